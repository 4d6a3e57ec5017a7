import { z } from "zod";
import { builtinAct } from "./builtin.ts";

export const closeThread = builtinAct({
  name: "close_thread",
  description:
    "Close the thread you are, for good, when your work is done; only a child thread can. Threads that it spawned close with " +
    "it, its subscriptions end, and nothing reaches it any more. Of other calls made beside this one, those that take time " +
    "are not carried out.",
  inputSchema: z.object({
    thread_id: z
      .string()
      .describe("Your own thread id, which you read where you began; other threads cannot be closed"),
    report_to_parent: z.string().describe("A last report that your parent gets with the news of your end").optional(),
  }),
  display: ({ thread_id }) => `Close the thread ${thread_id}`,
  act: ({ thread_id: threadId, report_to_parent: report = "" }) => ({
    do: "close",
    threadId,
    report: report.trim() === "" ? null : report,
  }),
});
