import { defineTool, type System, type SystemOptions } from "wakeful";
import { z } from "zod";
import { createWhenFree } from "./when-free.ts";

/** What the research works with. */
export interface Library {
  /** May take an hour. */
  search(topic: string, signal: AbortSignal): Promise<string>;
  /** The same key again is the same report. */
  publish(report: string, key: string): Promise<string>;
}

/** Researches overnight: a thread for each night, with a child for each topic. */
export const researcher = (library: Library, options: SystemOptions): Promise<System> => {
  const search = defineTool({
    name: "search",
    description: "Search the library for a topic.",
    inputSchema: z.object({ topic: z.string() }),
    annotations: { readOnly: true, longRunning: true },
    run: ({ topic }, call) => library.search(topic, call.signal),
  });
  const publish = defineTool({
    name: "publish",
    description: "Publish the report of the night.",
    inputSchema: z.object({ report: z.string() }),
    annotations: { idempotent: true },
    run: ({ report }, call) => library.publish(report, call.id),
  });
  return createWhenFree({
    ...options,
    instructions:
      "Spawn a child for each topic. A child searches, and closes with what it found. Sleep until all have closed, but no " +
      "longer than until seven; then publish one report with what there is.",
    tools: [search, publish],
  });
};

/**
 * Researches in the night of a day; resolves to the report, once all of the night has ended. Whoever calls it again, for a
 * night that goes on or is over, waits for the same report. Undefined: the system stopped, or the night was halted, before.
 */
export const overnight = async (system: System, night: string, topics: readonly string[]) => {
  const id = `research/${night}`;
  const instructions = `Your thread id is ${id}. Your full thread stack, root first, is ["${id}"].`;
  const thread = await system.open(id, { instructions });
  await thread.send(`It is the night of ${night}. Research ${topics.join(", ")}.`, { id: "begin" });

  let report = "";
  const types = ["call.made", "call.settled", "thread.halted"] as const;
  for await (const fact of system.feed({ where: { threadId: id, types } })) {
    if (fact.type === "thread.halted" && thread.view().halted) return undefined;
    if (fact.type === "thread.halted" || fact.name !== "publish") continue;
    if (fact.type === "call.made") report = String(fact.args.report);
    else if (!fact.error) {
      // Whoever still searches is told to stop. With an id, a second close is none.
      await thread.close({ id: "end" });
      return report;
    }
  }
  return undefined;
};
