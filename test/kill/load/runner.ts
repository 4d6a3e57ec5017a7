import { z } from "zod";
import { LeaseHeldError } from "../../../src/errors.ts";
import { silentLogger } from "../../../src/logger.ts";
import { type ScriptedReply, scriptedModel } from "../../../src/model/scripted/scripted-model.ts";
import { sqliteStore } from "../../../src/store/sqlite.ts";
import type { System } from "../../../src/system/api.ts";
import { createSystem } from "../../../src/system/create.ts";
import type { ToolCall } from "../../../src/tool/call.ts";
import { defineTool } from "../../../src/tool/define.ts";
import { notebook } from "../notes.ts";
import { type Load, lease, pause, threadIds } from "./load.ts";

/** A tool begins to work on a call. */
export interface Begun {
  readonly name: string;
  readonly callId: string;
  readonly address: string;
  /** Of the process. */
  readonly pid: number;
}

/** A process has the lease, and its threads are loaded. */
export interface Runs {
  readonly pid: number;
}

/** Tools whose calls may not be made twice. */
export const onlyOnce: readonly string[] = ["charge", "stamp"];

const base = (name: string) => ({ name, description: `Does ${name}.`, inputSchema: z.object({}) });

/** Some work for each text: the number that it ends with says which. */
const work = [["charge"], ["look"], ["stamp"], ["hand"], ["charge", "stamp", "look"], [], ["sleep"]];

/** ms that a model and a tool take. */
const moment = 15;

const reply: ScriptedReply = async ({ prompt }) => {
  await pause(moment);
  const last = prompt.at(-1);
  const text = last?.role === "user" ? last.content.map((part) => (part.type === "text" ? part.text : "")).join() : "";
  const number = /(\d+)\D*$/.exec(text)?.[1];
  const names = number === undefined ? [] : (work[Number(number) % work.length] ?? []);
  if (names.length === 0) return `answer to ${text || "what was done"}`;
  const calls = names.map((name) => ({ name, args: name === "sleep" ? { seconds: 1 } : {} }));
  return { text: `doing ${text}`, calls };
};

const begin = async (options: Parameters<typeof createSystem>[0]): Promise<System> => {
  for (;;) {
    try {
      return await createSystem(options);
    } catch (error) {
      if (!(error instanceof LeaseHeldError)) throw error;
    }
    await pause(moment);
  }
};

/** Runs the threads of the load until it is killed. */
export const runLoad = async (load: Load): Promise<void> => {
  const book = notebook<Begun>(load.begun);
  const { pid } = process;
  const began = (name: string, { id: callId, address }: ToolCall): void => book.add({ name, callId, address, pid });
  const works = (name: string) => async (_: unknown, call: ToolCall) => {
    began(name, call);
    await pause(moment);
    return `${name} is done`;
  };
  const system = await begin({
    model: scriptedModel(reply, { strict: true, keep: 0 }),
    store: sqliteStore(load.file, { logger: silentLogger }),
    logger: silentLogger,
    limits: { lease, pollInterval: 50, equalCalls: 1_000, rounds: 1_000_000 },
    tools: [
      defineTool({ ...base("charge"), run: works("charge") }),
      defineTool({ ...base("look"), annotations: { readOnly: true }, run: works("look") }),
      defineTool({ ...base("stamp"), inline: works("stamp") }),
      defineTool({ ...base("hand"), onRestart: "again", dispatch: (_, call) => began("hand", call) }),
    ],
  });
  for (const id of threadIds) await system.open(id);
  notebook<Runs>(load.runs).add({ pid });
};
