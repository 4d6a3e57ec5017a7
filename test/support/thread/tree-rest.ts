import { textOf } from "../../../machines/history/entry.ts";
import type { ThreadId } from "../../../machines/history/ids.ts";
import { isActive } from "../../../machines/thread/commit.ts";
import type { Input } from "../../../machines/thread/input.ts";
import type { Asked, Grove, Told } from "./grove.ts";
import { endsRead, faultsOfFailures, faultsOfOrder, faultsOfPlaces } from "./tree-places.ts";

/** What holds of a tree in which nothing goes on by itself any more, beside what was asked of its threads. */

/** What became of a call, by the words that its model gave it; undefined when its turn is not in the history. */
const originOf = (tree: Grove, { by, words }: Asked): string | undefined => {
  const { history } = tree.fold(by).stored;
  const part = history
    .flatMap(({ entry }) => (entry.kind === "turn" ? entry.parts : []))
    .find((other) => other.type === "call" && other.providerCallId === words);
  const result = history.find(
    ({ entry }) => entry.kind === "result" && part?.type === "call" && entry.callId === part.callId,
  )?.entry;
  return result?.kind === "result" ? result.origin : undefined;
};

const filedAs = <K extends Input["kind"]>(tree: Grove, to: ThreadId, kind: K): readonly Extract<Input, { kind: K }>[] =>
  tree.filed.flatMap(({ threadId, waiting: { input } }) =>
    threadId === to && input.kind === kind ? [input as Extract<Input, { kind: K }>] : [],
  );

/** How often the words are anywhere but in the turn that said them; the id of a thread can end like them. */
const countOf = (tree: Grove, words: string): number => {
  const pattern = new RegExp(`(?<![\\w-])${RegExp.escape(words)}`);
  const read = tree.threads.flatMap((threadId) =>
    tree.fold(threadId).stored.history.flatMap(({ entry }) => {
      if (entry.kind === "result") return [textOf(entry.content)];
      return entry.kind === "event" || entry.kind === "user" ? [entry.text] : [];
    }),
  );
  const filed = tree.filed.map(({ waiting }) => JSON.stringify(waiting.input));
  return [...read, ...filed].filter((text) => pattern.test(text)).length;
};

const seededWith = (tree: Grove, words: string): readonly ThreadId[] =>
  tree.threads.filter((threadId) =>
    tree
      .fold(threadId)
      .stored.history.some(
        ({ entry }) =>
          entry.kind === "result" && entry.origin === "spawn_seed" && textOf(entry.content).endsWith(`\n${words}`),
      ),
  );

/** What a model was told it did is what happened, once; what it was refused did not happen. */
const faultsOfAsked = ({ tree }: Told, asked: Asked): string[] => {
  const { by, what, words, to, wrong } = asked;
  const name = `${what} ${words} by ${by}`;
  const parent = tree.fold(by).opening?.parent;
  const origin = originOf(tree, asked);
  if (origin !== "ack" && origin !== "spawned")
    return countOf(tree, words) === 0 ? [] : [`${name} was not carried out (${origin}), and is somewhere`];
  if (wrong) return [`${name} was accepted, though it must not be`];
  const times = (count: number) => (count === 1 ? [] : [`${name} was carried out ${count} times`]);
  switch (what) {
    case "report":
      return times(parent ? filedAs(tree, parent, "report").filter(({ text }) => text === words).length : 0);
    case "message": {
      const child = to as ThreadId;
      const count = filedAs(tree, child, "message").filter(({ text }) => text === words).length;
      // It closed before, and its parent had not heard of it.
      return count === 0 && tree.isClosed(child) ? [] : times(count);
    }
    case "spawn": {
      const children = seededWith(tree, words).filter((child) => tree.fold(child).opening?.parent === by);
      return times(children.length);
    }
    case "close":
      return tree.isClosed(by) ? [] : [`${name} was accepted, and it is open`];
  }
};

/** Each child's end is heard once in its parent, with what it closed with; one that is open has none. */
const faultsOfEnds = ({ tree, asked }: Told): string[] =>
  tree.threads.flatMap((child) => {
    const { opening } = tree.fold(child);
    if (!opening) return [];
    const { parent, kind } = opening;
    const ended = filedAs(tree, parent, "ended").filter((input) => input.child === child);
    const read = endsRead(tree, parent, child);
    const waits = tree.fold(parent).stored.inbox.some(({ input }) => input.kind === "ended" && input.child === child);
    if (!tree.isClosed(child))
      return ended.length + read.length === 0 ? [] : [`the end of ${child} is heard too early`];
    const faults = ended.length === 1 ? [] : [`the end of ${child} was told ${ended.length} times`];
    const isLast = asked.find(
      (other) => other.what === "close" && other.by === child && originOf(tree, other) === "ack",
    );
    const report = ended[0]?.report ?? null;
    if (report !== null && report !== isLast?.words) faults.push(`${child} ended with ${report}`);
    const isHeard = kind === "spawned" || report !== null;
    const { closing } = tree.fold(parent).stored.record;
    const fits = read.length === (isHeard && !waits ? 1 : 0) || (closing !== null && read.length === 0);
    if (!fits) faults.push(`the end of ${child} is ${read.length} times in ${parent}`);
    if (report !== null && !closing && !waits && !read[0]?.includes(report))
      faults.push(`the last report of ${child} is lost`);
    return faults;
  });

/** No thread is stuck, and none is open that nobody can reach. */
const faultsOfRest = ({ tree }: Told): string[] =>
  tree.threads.flatMap((threadId) => {
    const { state, stored, context, opening } = tree.fold(threadId);
    const { record, inbox, children } = stored;
    const faults: string[] = [];
    const claim = (holds: boolean, fault: string) => holds || faults.push(`${fault} (${threadId}, ${state})`);
    const active = stored.calls.some(isActive);
    if (tree.isClosed(threadId)) {
      claim(inbox.length === 0, "R1: something waits in a closed thread");
      claim(stored.calls.length === 0, "R9: a call of a closed thread is outstanding");
      claim(stored.subscriptions.length === 0, "a subscription of a closed thread is open");
      return faults;
    }
    claim(!state.startsWith("running"), "R9: still running");
    claim(record.closing === null, "R9: it does not come to its end");
    claim(active || inbox.every(({ input }) => input.kind === "event"), "R9: an input waits for nothing");
    claim(!inbox.some(({ input }) => input.kind === "text" && input.whileBusy === "interrupt"), "R6: a text waits");
    const listed = new Set(context.calls.map(({ callId }) => callId));
    const isListed = listed.size === stored.calls.length && stored.calls.every(({ callId }) => listed.has(callId));
    claim(isListed, "R9: the calls that are out are not listed");
    for (const child of children)
      claim(
        !tree.isClosed(child.threadId) || inbox.some(({ input }) => "child" in input && input.child === child.threadId),
        `it waits for its child ${child.threadId}, which is closed`,
      );
    if (!opening) return faults;
    claim(!tree.isClosed(opening.parent), "an orphan: its parent is closed");
    claim(
      tree.fold(opening.parent).stored.children.some((child) => child.threadId === threadId),
      "an orphan: its parent does not know it",
    );
    return faults;
  });

export const faultsAtRest = (told: Told): string[] => [
  ...faultsOfRest(told),
  ...faultsOfPlaces(told),
  ...faultsOfFailures(told),
  ...faultsOfOrder(told),
  ...faultsOfEnds(told),
  ...told.asked.flatMap((asked) => faultsOfAsked(told, asked)),
];
