import { callIdOf, ThreadId } from "../../../machines/history/ids.ts";
import type { ToolCall } from "../../../src/tool/call.ts";

const threadId = ThreadId.parse("examples");

/** A call that nobody made, for tools that need little of it. */
export const callWith = (signal: AbortSignal = new AbortController().signal): ToolCall => ({
  id: callIdOf(threadId, 1, 0),
  providerCallId: "",
  threadId,
  threadStack: [threadId],
  userId: undefined,
  metadata: {},
  message: "",
  signal,
  address: "",
  progress: () => {},
  ask: () => Promise.reject(new Error("nobody is asked")),
  sender: { send: async () => true },
  result: () => {
    throw new Error("delivered by hand");
  },
  event: () => {
    throw new Error("delivered by hand");
  },
});
