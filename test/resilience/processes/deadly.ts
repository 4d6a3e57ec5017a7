import { z } from "zod";
import { LeaseHeldError } from "../../../src/errors.ts";
import { silentLogger } from "../../../src/logger.ts";
import { scriptedModel } from "../../../src/model/scripted/scripted-model.ts";
import { sqliteStore } from "../../../src/store/sqlite.ts";
import type { System, SystemOptions } from "../../../src/system/api.ts";
import { createSystem } from "../../../src/system/create.ts";
import { defineTool } from "../../../src/tool/define.ts";
import { notebook, notesIn } from "../../kill/notes.ts";

/**
 * Runs a thread whose tool does harm to its process, and another beside it, until both rest. Arguments: the store, the notes,
 * what the tool does, and what a restart may do with its call.
 */

export interface Note {
  readonly pid: number;
  readonly what: "began" | "ended" | "rests" | "refused";
}

const [file = "", notes = "", harm = "", onRestart = "fail"] = process.argv.slice(2);
const book = notebook<Note>(notes);
const { pid } = process;

/** ms. A process whose loop stands still for longer loses its lease. */
const lease = 300;
const blocked = 4 * lease;
const moment = 20;

const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

const harms: Readonly<Record<string, () => unknown>> = {
  exits: () => process.exit(7),
  "runs out of memory"() {
    const kept: number[][] = [];
    for (;;) kept.push(Array.from({ length: 100_000 }, (_, index) => index + kept.length));
  },
  "blocks the event loop"() {
    // Somebody else runs the threads by then: what it says from here on comes too late.
    if (notesIn<Note>(notes).filter(({ what }) => what === "began").length > 1) return "worked";
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, blocked);
    return "worked";
  },
};

const harmful = defineTool({
  name: "harmful",
  description: "Does harm.",
  inputSchema: z.object({}),
  onRestart: onRestart === "again" ? "again" : "fail",
  async run() {
    book.add({ pid, what: "began" });
    // What is under way beside it is durable by then.
    await pause(moment);
    const said = harms[harm]?.();
    book.add({ pid, what: "ended" });
    return said;
  },
});

const begin = async (options: SystemOptions): Promise<System> => {
  for (;;)
    try {
      return await createSystem(options);
    } catch (error) {
      if (!(error instanceof LeaseHeldError)) throw error;
      await pause(moment);
    }
};

const store = sqliteStore(file, { synchronous: "normal", logger: silentLogger });
const system = await begin({
  model: scriptedModel(({ prompt }) => {
    const last = prompt.at(-1);
    const text =
      last?.role === "user" ? last.content.map((part) => (part.type === "text" ? part.text : "")).join() : "";
    return text === "do harm" ? { calls: [{ name: "harmful" }] } : "done";
  }),
  store,
  logger: silentLogger,
  tools: [harmful],
  limits: { lease, pollInterval: 50, restarts: 1 },
});

try {
  const good = await system.open("good");
  await good.send("hello", { id: "hello" });
  const bad = await system.open("bad");
  await bad.send("do harm", { id: "harm", whileBusy: "wait" });
  const isOver = async () => {
    const threads = await store.threads();
    return threads.every(
      ({ state, waiting, due, quarantined }) =>
        quarantined !== undefined || (state === "idle" && waiting === 0 && !due),
    );
  };
  while (!(await isOver())) {
    // Rejects once another took over: a result that came too late waits then for whoever runs the store next.
    await system.thread("good");
    await pause(moment);
  }
  book.add({ pid, what: "rests" });
  await system.stop();
} catch {
  // Another took over: this system stopped by itself.
  book.add({ pid, what: "refused" });
}
process.exit(0);
