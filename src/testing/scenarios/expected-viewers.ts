import { isDeepStrictEqual } from "node:util";
import type { ThreadSnapshot } from "../../system/snapshot.ts";
import { align } from "./align.ts";
import type { CallBook } from "./calls.ts";
import type { Difference } from "./difference.ts";
import type { Expectations } from "./expectation-schema.ts";
import { matches, type SeenMessage, tellMessage, tellPattern } from "./messages.ts";
import { storedMessages } from "./stored-messages.ts";

type Found = Omit<Difference, "where">;
type Expected = NonNullable<Expectations["snapshots"]>[string];

const told = (value: unknown): string => JSON.stringify(value) ?? "nothing";

/** What a viewer reads: the history, and behind it what the open round has said. */
const shownMessages = ({ history, round }: ThreadSnapshot): readonly SeenMessage[] => [
  ...storedMessages(history),
  ...(round?.inputs.flatMap(({ input }): SeenMessage[] =>
    input.kind === "text" ? [{ role: "user", kind: "text", text: input.text }] : [],
  ) ?? []),
  ...(round && round.text !== "" ? [{ role: "assistant", kind: "text", text: round.text } as const] : []),
];

/** The calls whose questions nobody has answered, by the scenario's names. */
export const pendingIn = ({ threadId, choices }: ThreadSnapshot, calls: CallBook): readonly string[] =>
  choices.map(({ callId }) => calls.labelOf(threadId, callId) ?? callId);

function* snapshotDifferences(expected: Expected, seen: ThreadSnapshot, calls: CallBook): Generator<Found> {
  const { round, views } = seen;
  const shown: Record<string, readonly [unknown, unknown]> = {
    in_progress: [expected.in_progress, round !== null],
    thinking: [expected.thinking, round?.thinking ?? null],
    pending_choices: [expected.pending_choices, pendingIn(seen, calls)],
    views: [expected.views, Object.fromEntries(views.map(({ viewType, content }) => [viewType, content]))],
  };
  for (const [what, [wanted, value]] of Object.entries(shown))
    if (wanted !== undefined && !isDeepStrictEqual(wanted, value))
      yield { what, expected: told(wanted), seen: told(value) };
  const tail = expected.messages_tail;
  if (!tail) return;
  const messages = shownMessages(seen).slice(-tail.length);
  const rows = align(tail, messages, { fits: matches, tellExpected: tellPattern, tellSeen: tellMessage });
  if (!rows.every(({ fits }) => fits)) yield { what: "messages_tail", rows };
}

/** Compares what viewers were shown when they attached. */
export function* viewerDifferences(
  { snapshots = {} }: Expectations,
  seen: ReadonlyMap<string, ThreadSnapshot>,
  calls: CallBook,
): Generator<Found> {
  for (const [name, expected] of Object.entries(snapshots)) {
    const snapshot = seen.get(name);
    if (!snapshot) yield { what: `snapshot ${name}`, expected: "a viewer that attached", seen: "none of that name" };
    else
      for (const found of snapshotDifferences(expected, snapshot, calls))
        yield { ...found, what: `snapshot ${name}, ${found.what}` };
  }
}
