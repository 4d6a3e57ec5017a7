import { describe, expect, it } from "vitest";
import type { Entry } from "../../../machines/history/entry.ts";
import { callIdOf, ThreadId } from "../../../machines/history/ids.ts";
import { createPromptBuilder } from "../../../src/prompt/builder.ts";
import { replyOn } from "./talk.ts";

const callId = callIdOf(ThreadId.parse("t1"), 1, 0);
const at = 0;
const args = { to: 3 };
const source = { callId, providerCallId: "demo_1", name: "count_up", args };

/** A history as the runtime keeps it: a count that was begun. */
const counting: Entry[] = [
  { kind: "user", at, text: "count to 3" },
  { kind: "turn", at, parts: [{ type: "call", callId, providerCallId: "demo_1", name: "count_up", args }] },
  { kind: "result", at, callId, name: "count_up", origin: "tool", content: [{ type: "text", text: "Counting to 3." }] },
  { kind: "turn", at, parts: [{ type: "text", text: "Counting to 3." }] },
];

const promptOf = (eventsAs: "call" | "text", entries: readonly Entry[]) => {
  const builder = createPromptBuilder({ eventsAs, supportsImages: false });
  builder.append(entries.map((entry, position) => ({ position, entry })));
  return builder.prompt("Be brief.");
};

describe.each(["call", "text"] as const)("the demo model on the runtime's own prompts, events as %s", (eventsAs) => {
  it("knows an event from what the user says", async () => {
    const event: Entry = { kind: "event", at, source, text: "2" };
    expect((await replyOn(promptOf(eventsAs, [...counting, event]))).text).toBe("2 of 3.");
  });

  it("reads a text that interrupted", async () => {
    const text: Entry = { kind: "user", at, text: "say hi", interrupt: true };
    expect((await replyOn(promptOf(eventsAs, [...counting, text]))).text).toBe("hi");
  });
});
