import type { CallPart, ContentItem, Origin, PlacedEntry, ResultEntry } from "../history/entry.ts";
import {
  ackText,
  cancelledText,
  closingText,
  elsewhereText,
  noParentText,
  notAChildText,
  notYourThreadText,
  rootClosesText,
  secondCloseText,
  spawnedText,
  spawnSeedText,
  tooDeepText,
  tooManyChildrenText,
  unknownSubscriptionText,
  wrongStackText,
} from "../history/family-wording.ts";
import { type CallId, calledBy, type ThreadId } from "../history/ids.ts";
import type { BuiltinAct } from "../round/turn.ts";
import { newRecord, type Subscription } from "./commit.ts";
import { freshThreadId, stackOf } from "./event-children.ts";
import type { Child, NewThread } from "./family.ts";
import type { Envelope } from "./input.ts";
import { inherited, type Ledger } from "./ledger.ts";

/** A call of the turn that asks a built-in tool to do something. */
export interface Asked {
  readonly part: CallPart;
  readonly act: BuiltinAct;
}

/** What the call's result says; refused when `origin` is `validation`. */
export interface Answered {
  readonly origin: Extract<Origin, "spawned" | "ack" | "sync" | "validation">;
  readonly content: readonly ContentItem[];
}

/** What the acts of one turn come to. All of it is part of the turn's commit (R7). */
export interface Acts {
  readonly answers: ReadonlyMap<CallId, Answered>;
  readonly spawned: readonly { readonly threadId: ThreadId; readonly part: CallPart; readonly instructions: string }[];
  readonly sent: readonly Envelope[];
  readonly cancelled: readonly Subscription[];
  /** The thread is to close; `report`: what its parent hears with its end. */
  readonly closing: { readonly report: string | null } | null;
}

const refused = (content: readonly ContentItem[]): Answered => ({ origin: "validation", content });

/** Most turns ask nothing of a built-in tool. */
const noActs: Acts = { answers: new Map(), spawned: [], sent: [], cancelled: [], closing: null };

/** Judges and carries out, in the order of the calls: what one did counts for the next. */
export const actsOf = (ledger: Ledger, asked: readonly Asked[]): Acts => {
  if (asked.length === 0) return noActs;
  const { threadId, opening, children, limits } = ledger;
  const stack = stackOf(ledger);
  const answers = new Map<CallId, Answered>();
  const spawned: { threadId: ThreadId; part: CallPart; instructions: string }[] = [];
  const sent: Envelope[] = [];
  const cancelled: Subscription[] = [];
  let closing: Acts["closing"] = null;

  const spawn = (part: CallPart, { instructions, childOf }: Extract<BuiltinAct, { do: "spawn" }>): Answered => {
    if (JSON.stringify(childOf) !== JSON.stringify(stack)) return refused(wrongStackText(stack));
    if (stack.length > limits.depth) return refused(tooDeepText(limits.depth));
    const open = children.filter(({ kind }) => kind === "spawned").length + spawned.length;
    if (open >= limits.children) return refused(tooManyChildrenText(limits.children));
    const id = freshThreadId({ ...ledger, born: ledger.born + spawned.length });
    spawned.push({ threadId: id, part, instructions });
    return { origin: "spawned", content: spawnedText(id) };
  };
  const report = ({ callId }: CallPart, { text }: Extract<BuiltinAct, { do: "report" }>): Answered => {
    if (!opening) return refused(noParentText());
    sent.push({ threadId: opening.parent, dedupId: callId, input: { kind: "report", child: threadId, text } });
    return { origin: "ack", content: ackText("report", opening.parent) };
  };
  const message = ({ callId }: CallPart, { to, text }: Extract<BuiltinAct, { do: "message" }>): Answered => {
    const child = children.find((other) => other.threadId === to);
    if (!child)
      return refused(
        notAChildText(
          to,
          children.map((open) => open.threadId),
        ),
      );
    sent.push({ threadId: child.threadId, dedupId: callId, input: { kind: "message", parent: threadId, text } });
    return { origin: "ack", content: ackText("message", child.threadId) };
  };
  const close = (asked: Extract<BuiltinAct, { do: "close" }>): Answered => {
    if (asked.threadId !== threadId) return refused(notYourThreadText(asked.threadId, threadId));
    if (!opening) return refused(rootClosesText(threadId));
    if (closing) return refused(secondCloseText());
    closing = { report: asked.report };
    return { origin: "ack", content: closingText() };
  };
  const cancel = ({ call }: Extract<BuiltinAct, { do: "cancel" }>): Answered => {
    const open = ledger.subscriptions.filter((subscription) => !cancelled.includes(subscription));
    const subscription = calledBy(call, open);
    if (!subscription) return refused(unknownSubscriptionText(call, open));
    cancelled.push(subscription);
    return { origin: "sync", content: cancelledText(call) };
  };

  for (const { part, act } of asked) {
    const answer = (): Answered => {
      switch (act.do) {
        case "spawn":
          return spawn(part, act);
        case "report":
          return report(part, act);
        case "message":
          return message(part, act);
        case "close":
          return close(act);
        case "cancel":
          return cancel(act);
      }
    };
    answers.set(part.callId, answer());
  }
  return { answers, spawned, sent, cancelled, closing };
};

const seedOf = (call: CallPart, at: number, origin: Origin, content: ContentItem[]): ResultEntry => ({
  kind: "result",
  at,
  callId: call.callId,
  name: call.name,
  origin,
  content,
});

interface SpawningTurn {
  readonly place: number;
  readonly calls: readonly CallPart[];
  /** Turns up to this one: a child counts on, so that its own calls and those it inherits are shown under different ids. */
  readonly turns: number;
  readonly at: number;
}

/**
 * The children that a turn at `place` spawned. Each sees the history up to that turn; its own spawning call is answered
 * with its seed, every other call of the turn elsewhere.
 */
export const spawnedChildren = (
  ledger: Ledger,
  { spawned }: Acts,
  { place, calls, turns, at }: SpawningTurn,
): { readonly threads: readonly NewThread[]; readonly children: readonly Child[] } => {
  if (spawned.length === 0) return { threads: [], children: [] };
  const stack = stackOf(ledger);
  const born = spawned.map(({ threadId, part, instructions }) => {
    const { callId, providerCallId, name, args } = part;
    const source = { callId, providerCallId, name, args };
    const entries = calls.map((call, index): PlacedEntry => {
      const isOwn = call.callId === callId;
      const content = isOwn ? spawnSeedText(threadId, stack, instructions) : elsewhereText();
      return { position: place + 1 + index, entry: seedOf(call, at, isOwn ? "spawn_seed" : "elsewhere", content) };
    });
    const thread: NewThread = {
      threadId,
      opening: {
        kind: "spawned",
        parent: ledger.threadId,
        stack,
        position: place + 1,
        ...inherited(ledger),
        source,
      },
      record: { ...newRecord, nextPosition: place + 1 + calls.length, turns, roundDue: true, state: "running" },
      entries,
      facts: [
        ...entries.map(({ position, entry }) => ({ type: "entry.added" as const, position, entry })),
        { type: "state.changed", state: "running" },
      ],
    };
    const child: Child = { threadId, kind: "spawned", source, rested: false };
    return { thread, child };
  });
  return { threads: born.map(({ thread }) => thread), children: born.map(({ child }) => child) };
};
