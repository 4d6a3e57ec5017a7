import type { InspectionEvent } from "xstate";
import { LeaseHeldError } from "../../../src/errors.ts";
import { silentLogger } from "../../../src/logger.ts";
import { scriptedModel } from "../../../src/model/scripted/scripted-model.ts";
import { sqliteStore } from "../../../src/store/sqlite.ts";
import type { System } from "../../../src/system/api.ts";
import { createSystem } from "../../../src/system/create.ts";
import { notebook } from "../notes.ts";
import { type Load, lease, pause, threadIds } from "./load.ts";
import { moment, reply } from "./script.ts";
import { toolsOfLoad } from "./tools.ts";

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

/** A thread came back into the memory of a process that it had left. */
export interface Wakes {
  readonly pid: number;
  readonly threadId: string;
}

const limits = {
  lease,
  pollInterval: 50,
  equalCalls: 1_000,
  rounds: 1_000_000,
  // Threads leave memory between two texts, and children of events end while the load goes on.
  hibernateAfter: 30,
  residents: 3,
  eventChildLinger: 200,
  // Nobody is set aside: it is not the threads that the processes die over.
  restarts: 1_000_000,
};

/** The thread whose actor begins; undefined for everything else that is inspected. */
const threadOfStart = (inspected: InspectionEvent): string | undefined => {
  if (inspected.type !== "@xstate.event" || inspected.event.type !== "xstate.init") return undefined;
  return inspected.actorRef.sessionId === inspected.rootId ? inspected.event.input?.threadId : undefined;
};

const begin = async (...given: Parameters<typeof createSystem>): Promise<System> => {
  for (;;) {
    try {
      return await createSystem(...given);
    } catch (error) {
      if (!(error instanceof LeaseHeldError)) throw error;
    }
    await pause(moment);
  }
};

/** Runs the threads of the load until it is killed. */
export const runLoad = async (load: Load): Promise<void> => {
  const book = notebook<Begun>(load.begun);
  const wakes = notebook<Wakes>(load.wakes);
  const { pid } = process;
  const here = new Set<string>();
  const system = await begin(
    {
      model: scriptedModel(reply, { strict: true, keep: 0 }),
      store: sqliteStore(load.file, { logger: silentLogger }),
      logger: silentLogger,
      limits,
      tools: toolsOfLoad((name, { id: callId, address }) => book.add({ name, callId, address, pid })),
    },
    {
      onInspection(inspected) {
        const threadId = threadOfStart(inspected);
        if (threadId === undefined) return;
        if (here.has(threadId)) wakes.add({ pid, threadId });
        here.add(threadId);
      },
    },
  );
  for (const id of threadIds) await system.open(id, { instructions: id });
  notebook<Runs>(load.runs).add({ pid });
};
