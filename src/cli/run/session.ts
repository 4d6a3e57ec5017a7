import type { Clock } from "../../clock.ts";
import { OptionError, ThreadExistsError } from "../../errors.ts";
import type { Logger } from "../../logger.ts";
import type { SharedStore } from "../../store/store.ts";
import type { System, SystemOptions, Thread, ThreadOptions } from "../../system/api.ts";
import type { Tool } from "../../tool/define.ts";
import type { ChosenModel } from "../model/choose.ts";
import type { Env } from "../model/env.ts";
import { type Family, familyOf } from "./rest.ts";
import { loadTools } from "./tools-file.ts";

/** What the flags say that `run` and `chat` have in common. */
export interface SessionOptions {
  /** Paths of modules that export tools. */
  readonly tools: readonly string[];
  readonly instructions?: string;
  /** Print updates as JSON lines. */
  readonly json: boolean;
  /** Where nobody can be asked, calls that need approval are approved. Default: denied. */
  readonly yes?: boolean;
  /** The id of the thread; default: a fresh one. */
  readonly thread?: string;
  /** The file that threads are kept in; default: they end with the program. */
  readonly db?: string;
  /** Default: the demo model. */
  readonly model?: string;
  /** Seconds after which the program stops. */
  readonly for?: number;
}

/** What a session is made with; tests put their own in. */
export interface Parts {
  readonly createSystem: (options: SystemOptions) => Promise<System>;
  readonly chooseModel: (name: string | undefined, env: Env) => Promise<ChosenModel>;
  readonly openStore: (file: string, logger: Logger) => SharedStore | Promise<SharedStore>;
  readonly clock: Clock;
}

/** A system of its own, and the thread of it that somebody talks to. */
export interface Session {
  readonly thread: Thread;
  readonly family: Family;
  /** The thread was there before. */
  readonly goesOn: boolean;
  readonly model: ChosenModel;
  readonly tools: readonly Tool[];
  /** Stops the system gracefully, then closes its store. */
  close(): Promise<void>;
}

/** What a root thread has to know of itself to spawn others, beside what the user says. */
const stackOf = (id: string): string =>
  `Your thread id is ${id}. You are a root thread: your full thread stack, root first, is ${JSON.stringify([id])}.`;

const freshThread = async (system: System, spec: (id: string) => ThreadOptions): Promise<Thread> => {
  for (;;) {
    // Short enough to be typed tomorrow.
    const id = `thread-${crypto.randomUUID().slice(0, 8)}`;
    try {
      return await system.launch({ ...spec(id), id });
    } catch (error) {
      if (!(error instanceof ThreadExistsError)) throw error;
    }
  }
};

/** Rejects with WakefulError for what cannot work from the start; nothing is left open then. */
export const openSession = async (
  options: SessionOptions,
  { env, logger }: { readonly env: Env; readonly logger: Logger },
  parts: Parts,
): Promise<Session> => {
  const { db, instructions } = options;
  if (db !== undefined && db.trim() === "") throw new OptionError("--db", "is blank; name a file.");
  const tools = await loadTools(options.tools);
  const model = await parts.chooseModel(options.model, env);
  const store = db === undefined ? undefined : await parts.openStore(db, logger);
  let system: System | undefined;
  const close = async (): Promise<void> => {
    await system?.stop();
    await store?.close();
  };
  try {
    system = await parts.createSystem({ model: model.model, tools, logger, ...(store && { store }) });
    const spec = (id: string): ThreadOptions => ({
      instructions: [instructions ?? "", stackOf(id)].filter((text) => text !== "").join("\n\n"),
    });
    const there = options.thread === undefined ? undefined : await system.thread(options.thread);
    const thread =
      there ??
      (await (options.thread === undefined
        ? freshThread(system, spec)
        : system.open(options.thread, spec(options.thread))));
    return { thread, family: familyOf(system, thread), goesOn: there !== undefined, model, tools, close };
  } catch (error) {
    await close();
    throw error;
  }
};
