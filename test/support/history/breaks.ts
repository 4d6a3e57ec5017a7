import { callsOf, type Entry, type PlacedEntry } from "../../../machines/history/entry.ts";
import type { CallId } from "../../../machines/history/ids.ts";
import type { StoredHistory } from "./histories.ts";

/** One way to break a well-formed history. `break` takes a number to choose the place by; undefined: not possible here. */
export interface Break {
  readonly name: string;
  /** One of the faults says this. */
  readonly fault: RegExp;
  readonly break: (history: StoredHistory, choice: number) => StoredHistory | undefined;
}

const pick = <T>(items: readonly T[], choice: number): T | undefined => items[choice % items.length];

const resultsOf = ({ entries }: StoredHistory) => entries.filter(({ entry }) => entry.kind === "result");
const turnsOf = ({ entries }: StoredHistory) => entries.filter(({ entry }) => entry.kind === "turn");

const replaced = (history: StoredHistory, target: PlacedEntry | undefined, change: (entry: Entry) => Entry) =>
  target && {
    ...history,
    entries: history.entries.map((each) => (each === target ? { ...each, entry: change(each.entry) } : each)),
  };

const without = (history: StoredHistory, target: PlacedEntry | undefined) =>
  target && { ...history, entries: history.entries.filter((each) => each !== target) };

/** Puts an entry at the place of another and moves everything from there on by one. */
const inserted = (history: StoredHistory, before: PlacedEntry | undefined, entry: Entry) =>
  before && {
    ...history,
    entries: history.entries.flatMap((each) => {
      const moved = each.position >= before.position ? { ...each, position: each.position + 1 } : each;
      return each === before ? [{ position: before.position, entry }, moved] : [moved];
    }),
  };

const hello: Entry = { kind: "user", at: 0, text: "hello" };
const orphan: CallId = "t1#99.0" as CallId;

const seed: Entry = { kind: "seed", at: 0, callId: "t1/e#0.0" as CallId, args: {}, text: "You are a child." };

export const breaks: readonly Break[] = [
  {
    name: "a seed among the results of a turn",
    fault: /a seed stands at the place of the result/,
    break: (history, choice) => inserted(history, pick(resultsOf(history), choice), seed),
  },
  {
    name: "a blank seed",
    fault: /a blank seed/,
    break: (history, choice) => inserted(history, pick(turnsOf(history), choice), { ...seed, text: " \n" }),
  },
  {
    name: "a seed under the id of a call",
    fault: /was used before/,
    break: (history, choice) => {
      const result = pick(resultsOf(history), choice)?.entry;
      return result?.kind === "result"
        ? inserted(history, turnsOf(history)[0], { ...seed, callId: result.callId })
        : undefined;
    },
  },
  {
    name: "a result without a call",
    fault: /the result of t1#99\.0 has no call/,
    break: (history) => ({
      ...history,
      entries: [
        ...history.entries,
        {
          position: (history.entries.at(-1)?.position ?? 0) + 1,
          entry: {
            kind: "result",
            at: 0,
            callId: orphan,
            name: "x",
            origin: "tool",
            content: [{ type: "text", text: "x" }],
          },
        },
      ],
    }),
  },
  {
    name: "a call that is answered twice",
    fault: /is a second one/,
    break: (history, choice) => {
      const result = pick(resultsOf(history), choice);
      const last = history.entries.at(-1);
      return (
        result && last && { ...history, entries: [...history.entries, { ...result, position: last.position + 1 }] }
      );
    },
  },
  {
    name: "results in the wrong order",
    fault: /belongs at position/,
    break: (history, choice) => {
      const pairs = history.entries.flatMap((each, index) => {
        const next = history.entries[index + 1];
        return each.entry.kind === "result" && next?.entry.kind === "result" ? [[each, next] as const] : [];
      });
      const [a, b] = pick(pairs, choice) ?? [];
      const swap = (each: PlacedEntry) => (each === a ? b?.entry : each === b ? a?.entry : undefined) ?? each.entry;
      return a && { ...history, entries: history.entries.map((each) => ({ ...each, entry: swap(each) })) };
    },
  },
  {
    name: "a result that is missing",
    fault: /the result of .* is missing/,
    break: (history, choice) => without(history, pick(resultsOf(history), choice)),
  },
  {
    name: "an entry other than a result that is missing",
    fault: /nothing stands there|belongs at position|has no call|is in no turn|does not stand behind/,
    break: (history, choice) => {
      const others = history.entries.slice(0, -1).filter(({ entry }) => entry.kind !== "result");
      return without(history, pick(others, choice));
    },
  },
  {
    name: "a result under another tool's name",
    fault: /names other/,
    break: (history, choice) =>
      replaced(history, pick(resultsOf(history), choice), (entry) => ({ ...entry, name: "other" }) as Entry),
  },
  {
    name: "a user text among the results of a turn",
    fault: /a user text stands at the place of the result/,
    break: (history, choice) => inserted(history, pick(resultsOf(history), choice), hello),
  },
  {
    name: "an event among the results of a turn",
    fault: /an event stands at the place of the result/,
    break: (history, choice) => {
      const source = { callId: orphan, providerCallId: "", name: "watch", args: {} };
      return inserted(history, pick(resultsOf(history), choice), { kind: "event", at: 0, text: "tick", source });
    },
  },
  {
    name: "an input behind calls that are outstanding",
    fault: /a user text follows while .* is outstanding/,
    break: (history) => {
      const last = turnsOf(history).at(-1)?.entry;
      const turn = turnsOf(history).at(-1)?.position ?? 0;
      if (last?.kind !== "turn" || history.outstanding.length === 0) return undefined;
      const position = turn + 1 + callsOf(last).length;
      return { ...history, entries: [...history.entries, { position, entry: hello }] };
    },
  },
  {
    name: "entries that change places",
    fault: /does not stand behind/,
    break: (history, choice) => {
      const index = choice % Math.max(1, history.entries.length - 1);
      const [a, b] = history.entries.slice(index, index + 2);
      return a && b && { ...history, entries: history.entries.map((each) => (each === a ? b : each === b ? a : each)) };
    },
  },
  {
    name: "two entries at one position",
    fault: /does not stand behind/,
    break: (history, choice) => {
      const target = pick(history.entries.slice(1), choice);
      const index = target ? history.entries.indexOf(target) : 0;
      const position = history.entries[index - 1]?.position;
      if (!target || position === undefined) return undefined;
      return { ...history, entries: history.entries.with(index, { ...target, position }) };
    },
  },
  {
    name: "a history that begins behind its start",
    fault: /position 0: nothing stands there/,
    break: (history) => ({
      ...history,
      entries: history.entries.map((each) => ({ ...each, position: each.position + 1 })),
    }),
  },
  {
    name: "a call id that is used twice",
    fault: /was used before/,
    break: (history, choice) => {
      const callers = turnsOf(history).filter(({ entry }) => entry.kind === "turn" && callsOf(entry).length > 0);
      return replaced(history, pick(callers, choice), (entry) =>
        entry.kind === "turn" ? { ...entry, parts: [...entry.parts, ...callsOf(entry).slice(0, 1)] } : entry,
      );
    },
  },
  {
    name: "a blank user text",
    fault: /a blank user text/,
    break: (history, choice) =>
      replaced(
        history,
        pick(
          history.entries.filter(({ entry }) => entry.kind === "user"),
          choice,
        ),
        (entry) => ({ ...entry, text: " \n" }) as Entry,
      ),
  },
  {
    name: "a blank event",
    fault: /a blank event/,
    break: (history, choice) =>
      replaced(
        history,
        pick(
          history.entries.filter(({ entry }) => entry.kind === "event"),
          choice,
        ),
        (entry) => ({ ...entry, text: "" }) as Entry,
      ),
  },
  {
    name: "a blank text in a turn",
    fault: /the turn has a blank text part/,
    break: (history, choice) =>
      replaced(history, pick(turnsOf(history), choice), (entry) =>
        entry.kind === "turn" ? { ...entry, parts: [...entry.parts, { type: "text", text: " " }] } : entry,
      ),
  },
  {
    name: "a blank text in a result",
    fault: /has a blank text part/,
    break: (history, choice) =>
      replaced(history, pick(resultsOf(history), choice), (entry) =>
        entry.kind === "result" ? { ...entry, content: [...entry.content, { type: "text", text: "" }] } : entry,
      ),
  },
  {
    name: "a result without content",
    fault: /has no content/,
    break: (history, choice) =>
      replaced(history, pick(resultsOf(history), choice), (entry) => ({ ...entry, content: [] }) as Entry),
  },
  {
    name: "an outstanding call that nobody made",
    fault: /the outstanding call t1#99\.0 is in no turn/,
    break: (history) => ({ ...history, outstanding: [...history.outstanding, orphan] }),
  },
  {
    name: "an outstanding call that has a result",
    fault: /the outstanding call .* has a result/,
    break: (history, choice) => {
      const result = pick(resultsOf(history), choice)?.entry;
      return result?.kind === "result"
        ? { ...history, outstanding: [...history.outstanding, result.callId] }
        : undefined;
    },
  },
  {
    name: "an outstanding call of an older turn",
    fault: /is not of the last turn/,
    break: (history, choice) => {
      const last = turnsOf(history).at(-1)?.position ?? 0;
      const older = pick(
        resultsOf(history).filter(({ position }) => position < last),
        choice,
      );
      const broken = without(history, older);
      return broken && older?.entry.kind === "result"
        ? { ...broken, outstanding: [...broken.outstanding, older.entry.callId] }
        : undefined;
    },
  },
  {
    name: "a call without result that the record does not know",
    fault: /the result of .* is missing/,
    break: (history) => (history.outstanding.length > 0 ? { ...history, outstanding: [] } : undefined),
  },
];
