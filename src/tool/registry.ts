import type { CallId, ThreadId } from "../../machines/history/ids.ts";
import type { Choice, ChoiceAnswer } from "../../machines/thread/choice.ts";
import type { InlineResult } from "../../machines/thread/close.ts";
import type { Call, Subscription } from "../../machines/thread/commit.ts";
import type { Clock } from "../clock.ts";
import type { Logger } from "../logger.ts";
import type { AboutCall, Sender } from "./call.ts";
import { resumeProducer, startTool } from "./dispatched.ts";
import { causeOf } from "./failure.ts";
import { freshIds } from "./fresh-id.ts";
import { type InlineOptions, runInlineCall } from "./inline.ts";
import { createLiveCall, type HandedCall, type LiveCall } from "./live-call.ts";
import type { FoundResult } from "./reading.ts";
import { errorResult } from "./result.ts";
import type { Tool } from "./tool.ts";

export type { InlineResult } from "../../machines/thread/close.ts";
export type { InlineOptions } from "./inline.ts";
export type { HandedCall } from "./live-call.ts";

export interface CallRegistryOptions {
  readonly clock: Clock;
  readonly logger: Logger;
  /** Delivers what the registry makes: results, events and progress. */
  readonly sender: Sender;
  /** Delivers what tools make with `call.sender`. Default: `sender`. */
  readonly door?: Sender;
  /** A question as its thread knows it. Default: none was ever asked. */
  readonly choice?: (threadId: ThreadId, choiceId: string) => Promise<Choice | undefined>;
  /** A result in the view of a thread. Default: there is none. */
  readonly findResult?: (threadId: ThreadId, shown: string) => Promise<FoundResult>;
  /** The process stays: it can follow a producer, and wait for a person. Default true. */
  readonly stays?: boolean;
  /** In [0, 1), for ids and references. */
  readonly random: () => number;
}

/**
 * The calls whose tools work in this process, by id. No call is a child of a thread's actor: a thread may hibernate
 * while its tools work, and they answer with envelopes like every other sender. What belongs to a call goes with it when it ends.
 */
export interface CallRegistry {
  /**
   * Starts dispatched calls in their order and waits for none. A call that is here already is left alone. `acknowledged`
   * is called when a `dispatch` returned: from then on somebody else delivers the result. What it gives back is waited for.
   */
  handOver(calls: readonly HandedCall[], acknowledged: (callId: CallId) => unknown): void;
  /**
   * What this process does for a handed over call that has not ended yet: resolves to true when it ended with a result that
   * was accepted, or with nobody who wants one; to false when somebody else goes on. Undefined when nothing is done here.
   */
  work(callId: CallId): Promise<boolean> | undefined;
  /** Runs inline calls side by side; results in the order of the calls, one each. Never rejects. */
  runInline(calls: readonly HandedCall[], options: InlineOptions): Promise<InlineResult[]>;
  /**
   * The process that followed the subscription ended: its tool's `resume` opens it again, from behind `lastEventId`.
   * Without one, or without a tool of that name, a last event says that it ended with a restart.
   */
  resume(subscription: Subscription, tool: Tool | undefined, about: AboutCall): void;
  /** Lets a subscription's events come: its confirmation is in the history. */
  listen(callId: CallId): void;
  /** Tells a call to stop: its signal aborts, its producer is stopped, nothing it says is sent any more. */
  abort(callId: CallId, reason: string): void;
  /**
   * The call is settled: lets go of it. A tool that still works for it, because somebody else delivered the result, is told
   * to stop. Not for a call whose result opened a subscription.
   */
  forget(callId: CallId): void;
  /** A question of the call has its answer, which is durable: its tool hears it, if it waits in this process. */
  answer(callId: CallId, choiceId: string, choices: readonly string[], answer: ChoiceAnswer): void;
  has(callId: CallId): boolean;
  /** Aborts every call. */
  stop(): void;
}

/** A subscription as the call it was made by: settled, and followed for its events. */
const callOf = ({ lastEventId: _, ...source }: Subscription): Call => ({
  ...source,
  position: 0,
  passive: false,
  onRestart: "fail",
  status: "acknowledged",
});

/** ms; an inline tool that takes longer holds its thread's slice for no good reason. */
const slow = 1_000;

export const createCallRegistry = ({
  clock,
  logger,
  sender,
  door = sender,
  random,
  stays = true,
  choice = async () => undefined,
  findResult = async () => ({ found: "no call" }),
}: CallRegistryOptions): CallRegistry => {
  const calls = new Map<CallId, LiveCall>();
  const warned = new Set<string>();
  const environment = { clock, logger, sender, door, random, stays, freshId: freshIds(random), choice, findResult };

  const open = (handed: HandedCall): LiveCall => {
    const live = createLiveCall(handed, environment);
    calls.set(live.callId, live);
    return live;
  };
  const close = (live: LiveCall) => {
    if (calls.get(live.callId) === live) calls.delete(live.callId);
  };

  const start = async (handed: HandedCall, acknowledged: (callId: CallId) => unknown): Promise<boolean> => {
    const live = open(handed);
    let noted: unknown;
    const note = (callId: CallId) => {
      noted = acknowledged(callId);
    };
    try {
      if (await startTool(handed, live, note)) {
        await noted;
        return false;
      }
    } catch (error) {
      logger.error({ callId: live.callId, error: causeOf(error) }, "a call could not be followed");
      await live.answer("not-followed", {
        ...errorResult("The tool failed in a way that cannot be told."),
        origin: "tool",
      });
    }
    close(live);
    return true;
  };
  const underway = new Map<CallId, Promise<boolean>>();

  const took = (name: string, ms: number): void => {
    if (ms <= slow || warned.has(name)) return;
    warned.add(name);
    logger.warn({ tool: name, ms }, "an inline tool took more than a second; work that long belongs into `run`");
  };

  const runOne = async (handed: HandedCall, options: InlineOptions): Promise<InlineResult> => {
    const live = open(handed);
    const result = await runInlineCall(handed, live, { ...options, clock, took });
    close(live);
    return result;
  };

  const abort = (callId: CallId, reason: string): void => {
    const live = calls.get(callId);
    calls.delete(callId);
    live?.abort(reason);
  };

  return {
    handOver(handed, acknowledged) {
      for (const one of handed) {
        const { callId } = one.call;
        if (calls.has(callId)) continue;
        const work = start(one, acknowledged).finally(() => {
          if (underway.get(callId) === work) underway.delete(callId);
        });
        underway.set(callId, work);
      }
    },
    work: (callId) => underway.get(callId),
    runInline: (handed, options) => Promise.all(handed.map((one) => runOne(one, options))),
    resume(subscription, tool, about) {
      if (calls.has(subscription.callId)) return;
      const live = open({ call: callOf(subscription), tool, about });
      resumeProducer(live, tool, subscription, clock.now())
        .catch((error) =>
          logger.error({ callId: live.callId, error: causeOf(error) }, "a subscription was not resumed"),
        )
        .finally(() => close(live));
    },
    listen: (callId) => calls.get(callId)?.listen(),
    abort,
    forget(callId) {
      const live = calls.get(callId);
      if (live?.isElsewhere) calls.delete(callId);
      // A tool that works on and was answered for by somebody else: nobody wants its result any more.
      else if (live && (!live.hasResult || live.waitsToListen)) abort(callId, "somebody else delivered its result");
    },
    answer: (callId, choiceId, choices, answer) => calls.get(callId)?.answered(choiceId, choices, answer),
    has: (callId) => calls.has(callId),
    stop() {
      for (const callId of [...calls.keys()]) abort(callId, "the system stops");
    },
  };
};
