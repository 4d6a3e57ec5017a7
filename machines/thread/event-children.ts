import type { EventEntry, PlacedEntry } from "../history/entry.ts";
import { elsewhereText, eventSeedArgs, eventSeedText } from "../history/family-wording.ts";
import type { CallId, ThreadId } from "../history/ids.ts";
import { type Call, newRecord, type Subscription } from "./commit.ts";
import type { Child, NewThread } from "./family.ts";
import type { EventInput } from "./input.ts";
import { inherited, type Ledger, type WaitingOf } from "./ledger.ts";

/** Children that handle events of the subscription and have not come to rest. */
const atWork = ({ children }: Pick<Ledger, "children">, callId: CallId): number =>
  children.filter(({ kind, source, rested }) => kind === "event" && !rested && source.callId === callId).length;

export const hasRoomFor = (ledger: Pick<Ledger, "children" | "limits">, callId: CallId): boolean =>
  atWork(ledger, callId) < ledger.limits.eventChildrenAtOnce;

export const freshThreadId = ({ freshId, born }: Pick<Ledger, "freshId" | "born">): ThreadId =>
  `${freshId}.${born + 1}` as ThreadId;

export const stackOf = ({ opening, threadId }: Pick<Ledger, "opening" | "threadId">): readonly ThreadId[] => [
  ...(opening?.stack ?? []),
  threadId,
];

/**
 * The child that handles a non-associative event. It sees what stands before the event in its subscriber's history;
 * calls there that are outstanding are answered elsewhere.
 */
export const eventChild = (
  ledger: Ledger,
  waiting: WaitingOf<EventInput>,
  subscription: Subscription,
  outstanding: readonly Call[],
): { readonly thread: NewThread; readonly child: Child } => {
  const threadId = freshThreadId(ledger);
  const stack = stackOf(ledger);
  const position = ledger.record.nextPosition;
  const { callId, providerCallId, name, args } = subscription;
  const source = { callId, providerCallId, name, args };
  const { at, input } = waiting;
  const final = input.final ? { final: true as const } : {};
  const event: EventEntry = { kind: "event", at, source, text: input.text, ...final };
  const entries: PlacedEntry[] = [
    ...outstanding.map(
      (call): PlacedEntry => ({
        position: call.position,
        entry: {
          kind: "result",
          at,
          callId: call.callId,
          name: call.name,
          origin: "elsewhere",
          content: elsewhereText(),
        },
      }),
    ),
    {
      position,
      entry: {
        kind: "seed",
        at,
        callId: `${threadId}#0.0` as CallId,
        args: eventSeedArgs(stack, source),
        text: eventSeedText(threadId, stack, source),
      },
    },
    { position: position + 1, entry: event },
  ];
  return {
    child: { threadId, kind: "event", source, rested: false },
    thread: {
      threadId,
      opening: { kind: "event", parent: ledger.threadId, stack, position, ...inherited(ledger), source },
      record: {
        ...newRecord,
        nextPosition: position + 2,
        turns: ledger.record.turns,
        roundDue: true,
        state: "running",
      },
      entries,
      facts: [
        ...entries.map(({ position, entry }) => ({ type: "entry.added" as const, position, entry })),
        { type: "state.changed", state: "running" },
      ],
    },
  };
};
