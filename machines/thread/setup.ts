import { assign, sendTo, setup } from "xstate";
import type { CallId, ThreadId } from "../history/ids.ts";
import type { HistoryRepair } from "../history/repair.ts";
import { roundMachine } from "../round/machine.ts";
import type { RoundOutput } from "../round/turn.ts";
import { takeBatch, takeQuiet } from "./batch.ts";
import { budgetFailure, type TreeUse } from "./budget.ts";
import {
  closeInline,
  closeLostInline,
  closeQuiet,
  closeTurn,
  closeWithoutRound,
  type InlineResult,
  markStarted,
  skipInline,
} from "./close.ts";
import type { Subscription, ThreadCommit } from "./commit.ts";
import { beginCompaction, closeCompaction, closeTooLong, dropCompact, giveUpCompaction } from "./compacting.ts";
import { beginInterruption, callsToStop, newlyDeferred } from "./decide.ts";
import { type HandOver, type StopReason, type ThreadEvent, withEffects } from "./effect.ts";
import { beginClosing, beginHalt } from "./ending.ts";
import { guards } from "./guards.ts";
import type { WaitingInput } from "./input.ts";
import { dropControls, sortIn } from "./judge.ts";
import { callsToHandOver, type Interruption, type Ledger, noSlice, type ThreadOrigin } from "./ledger.ts";
import { mend } from "./mend.ts";
import { providedAction, providedActor } from "./provided.ts";
import { countRestart, release, setAside } from "./quarantine.ts";
import { wake } from "./wake.ts";

/** What the chart names: its actors and effects, which `src/` brings, its guards, and what its actions make of the ledger. */
export const threadSetup = setup({
  types: { context: {} as Ledger, events: {} as ThreadEvent, input: {} as ThreadOrigin },
  actors: {
    prepare: providedActor<
      { at: number; repair: HistoryRepair | null; window: number | null; tree?: TreeUse | undefined },
      { threadId: ThreadId; keepsConfiguration: boolean }
    >("prepare"),
    gather: providedActor<{ size: number }, { threadId: ThreadId; upTo: number }>("gather"),
    round: roundMachine,
    commit: providedActor<{ at: number; tree?: TreeUse | undefined }, ThreadCommit | null>("commit"),
    dispatch: providedActor<{ at: number }, HandOver>("dispatch"),
    inline: providedActor<{ results: readonly InlineResult[]; at: number }, HandOver>("inline"),
  },
  guards,
  actions: {
    /** Effect: a commit beside the slice, made at once and in the order it was put together. */
    record: (_, _params: { commit: ThreadCommit }) => providedAction("record")(),
    /** Effect: tells calls to stop. Their answers, if any still come, are discarded. */
    abort: (_, _params: { calls: readonly CallId[]; reason: StopReason }) => providedAction("abort")(),
    /** Effect: starts the producers of subscriptions again, from behind the last event; or says that they ended. */
    resume: (_, _params: { subscriptions: readonly Subscription[] }) => providedAction("resume")(),
    /** Effect: tells who watches that inputs are held back. */
    announce: (_, _params: { deferred: readonly WaitingInput[] }) => providedAction("announce")(),
    /** Effect: aborts the inline calls that run; the invoked actor hands back what is kept. */
    cutInline: providedAction("cutInline"),
    cutRound: sendTo("round", ({ context }) => ({ type: "round.cut", at: context.now })),
    wake: withEffects(({ context, enqueue }) => {
      const { ledger, commit, silent } = wake(context);
      enqueue.assign(ledger);
      if (commit) enqueue({ type: "record", params: { commit } });
      if (silent.length) enqueue({ type: "resume", params: { subscriptions: silent } });
    }),
    countRestart: assign(({ context }) => countRestart(context)),
    setAside: assign(({ context }) => setAside(context)),
    mend: assign(({ context }, { repair }: { repair: HistoryRepair | null }) =>
      repair ? mend(context, repair) : context,
    ),
    release: assign(({ context }) => release(context)),
    sort: withEffects<{ inputs: readonly WaitingInput[] }>(({ context, enqueue }, { inputs }) => {
      const { ledger, commit } = sortIn(context, inputs);
      enqueue.assign(ledger);
      if (commit) enqueue({ type: "record", params: { commit } });
      const late = inputs.flatMap((waiting) =>
        waiting.input.kind === "timer" && waiting.input.purpose === "deadline" && ledger.inbox.includes(waiting)
          ? [waiting.input.callId]
          : [],
      );
      if (late.length) enqueue({ type: "abort", params: { calls: late, reason: "deadline" } });
    }),
    dropControls: withEffects(({ context, enqueue }) => {
      const { ledger, commit } = dropControls(context);
      enqueue.assign(ledger);
      enqueue({ type: "record", params: { commit } });
    }),
    interrupt: withEffects<{ by: Interruption }>(({ context, enqueue }, { by }) => {
      enqueue.assign(beginInterruption(context, by));
      const calls = callsToStop(context);
      if (calls.length) enqueue({ type: "abort", params: { calls, reason: "interrupted" } });
    }),
    halt: withEffects(({ context, enqueue }) => {
      const { ledger, calls } = beginHalt(context);
      enqueue.assign(ledger);
      if (calls.length) enqueue({ type: "abort", params: { calls, reason: "halted" } });
    }),
    haltForBudget: withEffects<{ tree: TreeUse | null | undefined; at: number }>(
      ({ context, enqueue }, { tree, at }) => {
        if (!tree) return;
        const now = Math.max(context.now, at);
        const { ledger, calls } = beginHalt({ ...context, now }, budgetFailure(tree, now));
        enqueue.assign(ledger);
        if (calls.length) enqueue({ type: "abort", params: { calls, reason: "halted" } });
      },
    ),
    beginClosing: withEffects(({ context, enqueue }) => {
      const { ledger, calls } = beginClosing(context);
      enqueue.assign(ledger);
      if (calls.length) enqueue({ type: "abort", params: { calls, reason: "closed" } });
    }),
    takeQuiet: assign(({ context }) => takeQuiet(context)),
    closeQuiet: assign(({ context }) => closeQuiet(context)),
    wakeEarly: withEffects(({ context, enqueue }) => {
      const calls = callsToStop(context);
      if (calls.length) enqueue({ type: "abort", params: { calls, reason: "woken early" } });
    }),
    goOn: assign(({ context }) => ({ slice: { ...noSlice, causes: context.slice.causes, goesOn: true } })),
    stop: assign(({ context }, { at }: { at: number }) => ({ stopping: true, now: Math.max(context.now, at) })),
    /** The round that goes on is the last. */
    leave: assign({ leaving: true }),
    configure: assign(
      (_, { at, window, tree = null }: { at: number; window: number | null; tree?: TreeUse | null | undefined }) => ({
        configured: true,
        reread: false,
        now: at,
        window,
        tree,
      }),
    ),
    beginCompaction: assign(({ context }) => beginCompaction(context)),
    measure: assign(({ context: { compaction } }, { size }: { size: number }) => ({
      compaction: compaction && { ...compaction, size },
    })),
    closeTooLong: assign(({ context }, { output }: { output: RoundOutput }) => closeTooLong(context, output)),
    closeCompaction: assign(({ context }, { output }: { output: RoundOutput }) => closeCompaction(context, output)),
    giveUpCompaction: assign(({ context }) => giveUpCompaction(context)),
    dropCompact: assign(({ context }) => dropCompact(context)),
    /** A slice begins, and works with what its thread has by now. One that goes on keeps what it began with. */
    beginSlice: assign(({ context }) => ({
      // What others of its tree have used is another by now.
      configured: context.configured && !context.configuresEachSlice && context.tree === null,
    })),
    /** The model changed, or what is known of it: the next slice loads anew. */
    unconfigure: assign({ configured: false }),
    takeBatch: withEffects(({ context, enqueue }) => {
      const { ledger, refused } = takeBatch(context);
      enqueue.assign(ledger);
      if (refused.length) enqueue({ type: "abort", params: { calls: refused, reason: "too many subscriptions" } });
    }),
    closeTurn: assign(({ context }, { output }: { output: RoundOutput }) => closeTurn(context, output)),
    closeInline: assign(({ context }, { output }: { output: { results: readonly InlineResult[]; at: number } }) =>
      closeInline(context, output.results, output.at),
    ),
    closeLostInline: assign(({ context }) => closeLostInline(context)),
    skipInline: assign(({ context }, { at }: { at: number }) => skipInline(context, at)),
    closeWithoutRound: assign(({ context }) => closeWithoutRound(context)),
    forgetCommit: assign({ commit: null }),
    markStarted: assign(({ context }) =>
      markStarted(
        context,
        callsToHandOver(context).map(({ callId }) => callId),
      ),
    ),
    announceDeferred: withEffects(({ context, enqueue }) => {
      const deferred = newlyDeferred(context);
      if (deferred.length === 0) return;
      enqueue.assign({ announced: Math.max(...deferred.map(({ seq }) => seq)) });
      enqueue({ type: "announce", params: { deferred } });
    }),
  },
});
