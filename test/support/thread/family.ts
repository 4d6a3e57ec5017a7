import type { ThreadId } from "../../../machines/history/ids.ts";
import { newRecord } from "../../../machines/thread/commit.ts";
import type { NewThread, Opening } from "../../../machines/thread/family.ts";
import { calls, says, settle, turn } from "./blocks.ts";
import { Fold, type GivenInput } from "./fold.ts";

export const text = (words: string): GivenInput => ({ kind: "text", text: words });
/** Everything a thread said to others, in order. */
export const sent = (fold: Fold) => fold.commits.flatMap((commit) => commit.sent);
/** Kinds of what it said, with whom it said it to. */
export const saidTo = (fold: Fold): string[] => sent(fold).map(({ threadId, input }) => `${input.kind} ${threadId}`);
export const born = (fold: Fold): NewThread[] => fold.commits.flatMap(({ children }) => children.opened);
/** Why inputs were discarded, in order. */
export const discards = (fold: Fold): string[] =>
  fold.commits.flatMap(({ facts }) => facts.flatMap((fact) => (fact.type === "input.discarded" ? [fact.reason] : [])));

const opening: Opening = {
  kind: "spawned",
  parent: "t0" as ThreadId,
  stack: ["t0" as ThreadId],
  position: 2,
  source: { callId: "t0#1.0" as never, providerCallId: "k", name: "spawn_thread", args: {} },
};

/** A thread that another one opened, in its first round. */
export const child = (more: Partial<Opening> = {}): Fold =>
  settle(
    new Fold(
      {},
      {
        version: 0,
        record: { ...newRecord, nextPosition: 3, roundDue: true },
        calls: [],
        subscriptions: [],
        history: [],
        inbox: [],
        children: [],
      },
      [],
      [],
      { ...opening, ...more },
    ),
  );

export const asking = (limits: ConstructorParameters<typeof Fold>[0] = {}): Fold =>
  settle(new Fold(limits).accept(text("go")));

/** A thread that has subscribed to `watch`, at rest. */
export const subscribed = (limits: ConstructorParameters<typeof Fold>[0] = {}): Fold => {
  const fold = turn(asking(limits), calls("watch"));
  const callId = fold.call("watch");
  settle(fold.accept({ kind: "result", callId, content: [{ type: "text", text: "watching" }], subscription: true }));
  return turn(fold, says("ok"));
};

/** An event of the thread's first subscription; non-associative unless said otherwise. */
export const event = (
  fold: Fold,
  words: string,
  more: { associative?: boolean; final?: boolean } = {},
): GivenInput => ({
  kind: "event",
  callId: fold.context.subscriptions[0]?.callId ?? ("t1#99.0" as never),
  text: words,
  ...more,
});
