import type { LanguageModelV4 } from "@ai-sdk/provider";
import type { Budget } from "../../machines/thread/budget.ts";
import type { ResolvedModelOptions } from "../model/model.ts";
import type { LoadedThread } from "../store/store.ts";
import { causeOf } from "../tool/failure.ts";
import type { Toolset } from "../tool/toolset.ts";
import type { ThreadEnvironment } from "./environment.ts";
import { StoppedWaiting } from "./persist.ts";
import type { Announcement } from "./update.ts";

/** What a thread works with: its tools, what it is told to be, the model that is asked. */
export interface Configuration {
  readonly toolset: Toolset;
  readonly instructions: string;
  readonly model: LanguageModelV4;
  readonly options: ResolvedModelOptions;
  /** Of the tree that the thread is in. */
  readonly budget?: Budget | undefined;
}

/** The thread that is to be configured, as far as that takes one. */
export interface Configured {
  readonly loaded: LoadedThread;
  /** What it worked with last; undefined when it comes into memory, or was told to ask anew. */
  readonly configuration: Configuration | undefined;
  publish(update: Announcement): void;
}

/** ms before a source that failed is asked again: doubled each time, up to the last. */
const waits = [1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000] as const;

const isThere = (value: Configuration | Promise<Configuration>): value is Configuration => "toolset" in value;

/**
 * Asks for the thread's configuration until it is there: one that cannot be had now is waited for, and nothing of the
 * thread is lost meanwhile. Whoever watches hears of each try that failed. Rejects with StoppedWaiting when `signal`, or that
 * of the system, aborts.
 */
export const configurationOf = async (
  thread: Configured,
  env: Pick<ThreadEnvironment, "configure" | "clock" | "logger" | "signal" | "limits" | "patience">,
  signal: AbortSignal = env.signal,
): Promise<Configuration> => {
  const { clock, logger } = env;
  const { threadId } = thread.loaded;
  const stopped = (): boolean => signal.aborted || env.signal.aborted;
  for (let attempt = 1; ; attempt++) {
    if (stopped()) throw new StoppedWaiting(`configuration of ${threadId}`);
    try {
      const given = env.configure(thread);
      return isThere(given) ? given : await within(given, env.limits.configuration, clock);
    } catch (error) {
      if (stopped()) continue;
      if (env.patience !== undefined) throw error;
      const wait = waits[Math.min(attempt, waits.length) - 1] ?? 60_000;
      const message = causeOf(error);
      logger.warn({ threadId, attempt, wait, error: message }, "a thread is not configured yet, and asks again");
      thread.publish({ type: "configuration.failed", attempt, wait, message });
      await rest(wait, clock, [signal, env.signal]);
    }
  }
};

type Time = Pick<ThreadEnvironment["clock"], "setTimeout" | "clearTimeout">;

/** Turns of the microtask queue that a source may take before it gets a timer: most have what they say at hand. */
const atOnce = 4;

const within = async <T>(work: Promise<T>, ms: number, clock: Time): Promise<T> => {
  let isDone = false;
  const done = () => {
    isDone = true;
  };
  work.then(done, done);
  for (let turn = 0; turn < atOnce && !isDone; turn++) await undefined;
  if (isDone) return work;
  let timer: unknown;
  const late = new Promise<never>((_, reject) => {
    timer = clock.setTimeout(() => reject(new Error(`threadConfig has not answered for ${ms / 1_000} s`)), ms);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clock.clearTimeout(timer);
    // What fails after it was given up is nobody's error.
    work.catch(() => {});
  }
};

const rest = (ms: number, clock: Time, signals: readonly AbortSignal[]): Promise<void> =>
  new Promise((resolve) => {
    const done = () => {
      clock.clearTimeout(timer);
      for (const signal of signals) signal.removeEventListener("abort", done);
      resolve();
    };
    const timer = clock.setTimeout(done, ms);
    for (const signal of signals) signal.addEventListener("abort", done);
  });
