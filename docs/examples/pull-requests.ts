import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { defineTool, type System, type SystemOptions } from "wakeful";
import { z } from "zod";
import { createWhenFree } from "./when-free.ts";

/** What the agent works with. */
export interface Forge {
  /** A folder with a file for each pull request that is watched: the address that hears of it. */
  readonly watches: string;
  /** Takes minutes. */
  check(commit: string, signal: AbortSignal): Promise<string>;
  /** The same key again is the same comment. */
  comment(pull: string, text: string, key: string): Promise<void>;
}

/** Reviews pull requests, one in each thread. Another process opens the threads, and tells of pushes. */
export const reviewer = (forge: Forge, options: Pick<SystemOptions, "model" | "store" | "logger">): Promise<System> => {
  const watch = defineTool({
    name: "watch_pull_request",
    description: "Hear of each push to the pull request of this thread, and of its end.",
    inputSchema: z.object({}),
    annotations: { idempotent: true },
    dispatch: async (_, call) => {
      writeFileSync(join(forge.watches, encodeURIComponent(call.threadId)), call.address, { flush: true });
      await call.sender.send(call.result("Watching.", { subscription: true }));
    },
  });
  const check = defineTool({
    name: "run_checks",
    description: "Run the checks of a commit.",
    inputSchema: z.object({ commit: z.string() }),
    annotations: { readOnly: true, longRunning: true },
    run: ({ commit }, call) => forge.check(commit, call.signal),
  });
  const comment = defineTool({
    name: "comment",
    description: "Comment on the pull request of this thread.",
    inputSchema: z.object({ text: z.string() }),
    annotations: { idempotent: true },
    run: async ({ text }, call) => {
      await forge.comment(call.threadId, text, call.id);
      return "It is there.";
    },
  });
  const instructions = "You review a pull request. Watch it. Check what was pushed, and comment on what you find.";
  return createWhenFree({ ...options, instructions, tools: [watch, check, comment] });
};
