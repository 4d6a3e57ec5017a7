import { fromPromise } from "xstate";
import type { CallId, ThreadId } from "../../machines/history/ids.ts";
import type { Interrupter } from "../../machines/history/wording.ts";
import { roundMachine } from "../../machines/round/machine.ts";
import type { Usage } from "../../machines/round/turn.ts";
import type { TreeUse } from "../../machines/thread/budget.ts";
import type { Subscription, ThreadCommit } from "../../machines/thread/commit.ts";
import type { HandOver, StopReason } from "../../machines/thread/effect.ts";
import type { WaitingInput } from "../../machines/thread/input.ts";
import {
  answerTo,
  isClose,
  isHalt,
  isInterrupt,
  isInterruptingText,
  type Ledger,
  summaryOf,
} from "../../machines/thread/ledger.ts";
import { threadMachine } from "../../machines/thread/machine.ts";
import { point } from "../crash-points.ts";
import type { PromptStyle } from "../prompt/builder.ts";
import type { Store } from "../store/store.ts";
import { readResult } from "../tool/builtin/read-result.ts";
import type { AboutCall } from "../tool/call.ts";
import type { Configuration } from "./configuration.ts";
import type { ThreadEnvironment } from "./environment.ts";
import { persist, StoppedWaiting } from "./persist.ts";
import type { Resident } from "./resident.ts";
import { streamOf } from "./stream.ts";

/** A store that counts nothing was refused together with the budget. */
const treeUsage = async (store: Store, root: ThreadId): Promise<Usage> =>
  (await store.treeUsage?.(root)) ?? { inputTokens: 0, outputTokens: 0 };

/** Never resolves: the actor that waits for it is stopped with the system. */
const never = new Promise<never>(() => {});
const untilStopped = (error: unknown): Promise<never> => {
  if (error instanceof StoppedWaiting) return never;
  throw error;
};

/** What a tool learns about where its call came from. */
const aboutOf = (resident: Resident, message: string): AboutCall => {
  const { threadId, spec, opening } = resident.loaded;
  const { user_id: userId } = spec.metadata;
  return {
    threadId,
    threadStack: [...(opening?.stack ?? []), threadId],
    userId: typeof userId === "string" ? userId : undefined,
    metadata: spec.metadata,
    message,
  };
};

/**
 * The thread machine with its effects. One machine serves every thread of a system: each effect finds its thread by the
 * id that comes with it. Nothing here decides; what happens is data that the chart put together.
 */
export const runnableThread = (env: ThreadEnvironment, residentOf: (threadId: ThreadId) => Resident) => {
  const { store, clock, registry, logger } = env;

  const styleOf = ({ options, toolset }: Configuration): PromptStyle => {
    const { eventsAs, supportsImages } = options;
    return { eventsAs, supportsImages, readsResults: toolset.get(readResult.name) === readResult };
  };

  /** The budget of the thread's tree and what was used of it, everywhere and until now; at once undefined without one. */
  const treeOf = (resident: Resident): Promise<TreeUse> | undefined => {
    const budget = resident.configuration?.budget;
    if (!budget) return undefined;
    const { threadId, loaded } = resident;
    const root = loaded.opening?.stack[0] ?? threadId;
    return persist(`usage of the tree of ${root}`, () => treeUsage(store, root), env).then(
      ({ inputTokens, outputTokens, cost = 0 }) => ({ budget, tokens: inputTokens + outputTokens, cost }),
    );
  };

  const prepare = async (
    { threadId, keepsConfiguration }: { readonly threadId: ThreadId; readonly keepsConfiguration: boolean },
    signal: AbortSignal,
  ) => {
    const resident = residentOf(threadId);
    const configuration = keepsConfiguration ? await resident.configuredOnce() : await resident.configure(signal);
    const style = styleOf(configuration);
    // A window of 0 switches summaries off; a store that keeps none has none.
    const window = (store.summary && configuration.options.contextWindow) || null;
    const reading = treeOf(resident);
    const tree = reading === undefined ? undefined : await reading;
    if (resident.conversation.isLoaded(style)) return { at: clock.now(), repair: null, window, tree };
    const { record, calls } = resident.snapshot.context;
    const summary = summaryOf(resident.snapshot.context);
    const repair = await persist(
      `history of ${threadId}`,
      () => resident.conversation.load(style, { record, calls, summary, at: clock.now(), freshId: env.freshId }),
      env,
    );
    return { at: clock.now(), repair, window, tree };
  };

  const prepareSummary = async (threadId: ThreadId, upTo: number) => {
    const resident = residentOf(threadId);
    const style = styleOf(await resident.configuredOnce());
    resident.publish({ type: "history.compacting", upTo });
    const summary = summaryOf(resident.snapshot.context);
    const size = await persist(
      `history of ${threadId}`,
      () => resident.conversation.prepareSummary(style, upTo, summary),
      env,
    );
    return { size };
  };

  const resume = async (resident: Resident, subscriptions: readonly Subscription[]): Promise<void> => {
    if (subscriptions.length === 0) return;
    const { toolset } = await resident.configuredOnce();
    for (const subscription of subscriptions)
      registry.resume(subscription, toolset.get(subscription.name), aboutOf(resident, ""));
  };

  const commit = async (input: ThreadCommit | null) => {
    if (!input) throw new Error("The thread committed nothing: a closing action comes before `committing`.");
    const resident = residentOf(input.threadId);
    const { opened, ended } = input.subscriptions;
    // Its producer ended with a process that had sent the confirmation and not seen it in the history (R9).
    const silent = opened.filter(
      ({ callId, form }) => form === "subscribe" && !registry.has(callId) && !ended.includes(callId),
    );
    const committed = await resident.commit(input);
    await resume(resident, silent);
    const tree = input.record ? treeOf(resident) : undefined;
    return tree === undefined ? committed : { ...committed, tree: await tree };
  };

  const dispatch = async ({ threadId, calls, message }: HandOver) => {
    const resident = residentOf(threadId);
    const ids = calls.map(({ callId }) => callId);
    const { toolset } = await resident.configuredOnce();
    // R7: an approval is a commit beside the slice, and comes first.
    await resident.settled();
    await persist(`delivery marks of ${threadId}`, () => store.mark(threadId, ids, "started"), env);
    point("marked");
    const about = aboutOf(resident, message);
    // A deadline can pass while the marks are written: the call was told to stop before its tool could hear it.
    const wanted = calls.filter(({ callId }) => !answerTo(resident.snapshot.context, callId));
    registry.handOver(
      wanted.map((call) => ({ call, tool: toolset.get(call.name), about })),
      (callId) => acknowledge(threadId, callId),
    );
    point("handed-over");
    return { at: clock.now() };
  };

  const acknowledge = (threadId: ThreadId, callId: CallId) =>
    persist(`acknowledgement of ${callId}`, () => store.mark(threadId, [callId], "acknowledged"), env).catch((error) =>
      logger.debug({ threadId, callId, error: String(error) }, "an acknowledgement was not written"),
    );

  const inline = async ({ threadId, calls, message }: HandOver) => {
    const resident = residentOf(threadId);
    const { toolset } = await resident.configuredOnce();
    resident.inlineCut = new AbortController();
    const ids = calls.map(({ callId }) => callId);
    await persist(`delivery marks of ${threadId}`, () => store.mark(threadId, ids, "started"), env);
    point("marked");
    const about = aboutOf(resident, message);
    const results = await registry.runInline(
      calls.map((call) => ({ call, tool: toolset.get(call.name), about })),
      { limit: env.limits.inlineTool, cut: resident.inlineCut.signal },
    );
    return { results, at: clock.now() };
  };

  return threadMachine.provide({
    actors: {
      prepare: fromPromise(({ input, signal }) => prepare(input, signal).catch(untilStopped)),
      gather: fromPromise(({ input }) => prepareSummary(input.threadId, input.upTo).catch(untilStopped)),
      round: roundMachine.provide({
        actors: { stream: streamOf(env, residentOf) },
        actions: {
          announceRetry: ({ context: { threadId, attempt, wait } }, { message }) =>
            residentOf(threadId as ThreadId).publish({ type: "round.retried", attempt, wait, message }),
        },
      }),
      commit: fromPromise(({ input }) => commit(input).catch(untilStopped)),
      dispatch: fromPromise(({ input }) => dispatch(input).catch(untilStopped)),
      inline: fromPromise(({ input }) => inline(input).catch(untilStopped)),
    },
    actions: {
      record: ({ context }, { commit }: { commit: ThreadCommit }) =>
        void residentOf(context.threadId)
          .commit(commit)
          .catch((error) =>
            logger.debug({ threadId: context.threadId, error: String(error) }, "a discard was not written"),
          ),
      abort: ({ context }, { calls, reason }: { calls: readonly CallId[]; reason: StopReason }) => {
        for (const callId of calls) {
          env.hooks.onAbort?.(context.threadId, callId);
          registry.abort(callId, reason);
        }
      },
      resume: ({ context }, { subscriptions }: { subscriptions: readonly Subscription[] }) =>
        void resume(residentOf(context.threadId), subscriptions).catch((error) => {
          if (!(error instanceof StoppedWaiting))
            logger.error({ threadId: context.threadId, error: String(error) }, "subscriptions were not resumed");
        }),
      announce: ({ context }, { deferred }: { deferred: readonly WaitingInput[] }) => {
        for (const { dedupId, input } of deferred)
          residentOf(context.threadId).publish({ type: "input.deferred", dedupId, kind: input.kind });
      },
      cutInline: ({ context }) => residentOf(context.threadId).inlineCut.abort(interrupterOf(context)),
    },
  });
};

/** What ended the inline calls, in the words of their results. */
const interrupterOf = ({ inbox }: Ledger): Interrupter => {
  if (inbox.some(isInterruptingText)) return "text";
  if (inbox.some(isClose)) return "close";
  if (inbox.some(isHalt)) return "halt";
  return inbox.some(isInterrupt) ? "control" : "stop";
};
