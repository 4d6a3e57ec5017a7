import { existsSync } from "node:fs";
import { z } from "zod";
import { type CrashPoint, onPoint } from "../../src/crash-points.ts";
import { LeaseHeldError, SystemStoppedError } from "../../src/errors.ts";
import { silentLogger } from "../../src/logger.ts";
import { type ScriptedReply, scriptedModel } from "../../src/model/scripted/scripted-model.ts";
import { sqliteStore } from "../../src/store/sqlite.ts";
import type { System } from "../../src/system/api.ts";
import { createSystem } from "../../src/system/create.ts";
import { defineTool } from "../../src/tool/define.ts";
import { notebook } from "./notes.ts";

/** A process that runs the threads of a file, by real time. */
export interface Runner {
  readonly file: string;
  readonly notes: string;
  readonly name: string;
  /** ms. */
  readonly lease: number;
  /** Asks again while another has the lease; else it says who has, and ends. */
  readonly waits: boolean;
  /** Pauses itself (SIGSTOP) at the first visit of a point, or before the model's first answer. */
  readonly pausesAt?: CrashPoint | "asking";
  /** The model answers once this file is there. */
  readonly answersAfter?: string;
}

export type RunnerNote = { readonly name: string } & (
  | { readonly what: "refused"; readonly holder: string; readonly until: number; readonly message: string }
  | { readonly what: "runs" | "pauses" | "is asked" | "rests" | "was stopped" }
  | { readonly what: "began"; readonly callId: string }
);

export const threadId = "t";

/** ms between looks at something that another process does. */
const interval = 20;
const passes = () => new Promise<void>((resolve) => setTimeout(resolve, interval));

export const run = async ({ file, notes, name, lease, waits, pausesAt, answersAfter }: Runner): Promise<void> => {
  const book = notebook<RunnerNote>(notes);
  let paused = false;
  const pauseAt = (where: string): void => {
    if (paused || where !== pausesAt) return;
    paused = true;
    book.add({ name, what: "pauses" });
    process.kill(process.pid, "SIGSTOP");
  };
  onPoint(pauseAt);

  const reply: ScriptedReply = async ({ prompt }) => {
    book.add({ name, what: "is asked" });
    pauseAt("asking");
    while (answersAfter !== undefined && !existsSync(answersAfter)) await passes();
    return prompt.some(({ role }) => role === "tool") ? `done, says ${name}` : { calls: [{ name: "work" }] };
  };
  const work = defineTool({
    name: "work",
    description: "Works.",
    inputSchema: z.object({}),
    run: (_, { id: callId }) => {
      book.add({ name, what: "began", callId });
      return `worked by ${name}`;
    },
  });
  const options = {
    model: scriptedModel(reply, { strict: true }),
    store: sqliteStore(file, { synchronous: "normal", logger: silentLogger }),
    tools: [work],
    logger: silentLogger,
    limits: { lease },
  };

  const begin = async (): Promise<System | undefined> => {
    for (;;) {
      try {
        return await createSystem(options);
      } catch (error) {
        if (!(error instanceof LeaseHeldError)) throw error;
        const { holder, until, message } = error;
        if (!waits) return void book.add({ name, what: "refused", holder, until, message });
      }
      await passes();
    }
  };
  const system = await begin();
  if (!system) return options.store.close();
  book.add({ name, what: "runs" });
  try {
    const thread = await system.open(threadId);
    await thread.send("go", { id: "go" });
    while ((await thread.atRest()) !== "idle") await passes();
    book.add({ name, what: "rests" });
    // Until somebody ends the process, or another system takes over.
    for await (const fact of system.feed()) void fact;
  } catch (error) {
    if (!(error instanceof SystemStoppedError)) throw error;
  }
  book.add({ name, what: "was stopped" });
  await system.stop();
  await options.store.close();
};
