import { textOf } from "../../../machines/history/entry.ts";
import type { ThreadId } from "../../../machines/history/ids.ts";
import type { Input } from "../../../machines/thread/input.ts";
import type { Filed, Grove, Told } from "./grove.ts";

/** Where everything is that was accepted (R1, R2), and in which order it was read (R3). */

/** Heads of what a parent hears of a child, apart from its reports. */
const endOf = (child: ThreadId): string => `The child thread ${child} has closed`;
const failureOf = (child: ThreadId): string => `The child thread ${child} could not go on`;

/** Sources end in the same words. */
const isEndOfSource = (input: Input): boolean =>
  input.kind === "event" && input.text.startsWith("The subscription has ended");

/** Ends that the thread has read of the child. */
export const endsRead = (tree: Grove, threadId: ThreadId, child: ThreadId): readonly string[] =>
  tree
    .fold(threadId)
    .stored.history.flatMap(({ entry }) =>
      entry.kind === "event" && entry.from === child && entry.text.startsWith(endOf(child)) ? [entry.text] : [],
    );

/** Says what a consumed input says, in the thread it was accepted by, or in the child that handles it. */
const readings = (tree: Grove, { threadId, waiting: { input } }: Filed): number => {
  const { history } = tree.fold(threadId).stored;
  switch (input.kind) {
    case "text":
      return history.filter(({ entry }) => entry.kind === "user" && entry.text === input.text).length;
    case "event": {
      const isOne = ({ entry }: (typeof history)[number]) =>
        entry.kind === "event" && entry.text === input.text && entry.source.callId === input.callId;
      const children = tree.childrenOf(threadId).map((child) => tree.fold(child));
      const below = children.filter(({ opening }) => opening?.source.callId === input.callId);
      return [history, ...below.map(({ stored }) => stored.history)].flat().filter(isOne).length;
    }
    case "report":
      // Failures of one child say the same: those are counted apart.
      return history.filter(
        ({ entry }) => entry.kind === "event" && entry.from === input.child && entry.text === input.text,
      ).length;
    case "message":
      return history.filter(({ entry }) => entry.kind === "event" && !entry.from && entry.text === input.text).length;
    case "ended":
      return endsRead(tree, threadId, input.child).length;
    case "result":
      return history.filter(
        ({ entry }) =>
          entry.kind === "result" &&
          entry.callId === input.callId &&
          (textOf(entry.content) === textOf(input.content) ||
            (input.subscription && textOf(entry.content).startsWith("Error: this thread has"))),
      ).length;
    default:
      return 0;
  }
};

const silent = ["interrupt", "halt", "close", "linger", "resume", "rested", "retry", "release"];

/** Nothing is read of it: a control, or the end of a child that nobody has to hear. */
const needsNoReading = (tree: Grove, { threadId, waiting: { input } }: Filed): boolean => {
  if (silent.includes(input.kind)) return true;
  if (input.kind !== "ended") return false;
  if (tree.fold(threadId).stored.record.closing) return true;
  return tree.fold(input.child).opening?.kind === "event" && input.report === null;
};

/** Why an input may have been discarded at all. */
const isSound = (told: Told, { threadId, waiting }: Filed, reason: string): boolean => {
  const { stored, commits } = told.tree.fold(threadId);
  if (reason === "closed") return stored.record.closing !== null;
  if (reason === "halted") return commits.some(({ facts }) => facts.some(({ type }) => type === "thread.halted"));
  const isFamily = ["report", "message", "ended", "rested"].includes(waiting.input.kind);
  return !isFamily || told.sentIds.has(waiting.dedupId);
};

export const faultsOfPlaces = (told: Told): string[] => {
  const { tree } = told;
  return tree.filed.flatMap((filed) => {
    const { threadId, waiting } = filed;
    const { dedupId, input, seq } = waiting;
    const name = `${input.kind} ${dedupId} to ${threadId}`;
    const about = "callId" in input ? input.callId : undefined;
    const { commits, stored } = tree.fold(threadId);
    const consumed = commits.filter((commit) => commit.consumed.includes(seq));
    const waits = stored.inbox.some((other) => other.seq === seq);
    if (consumed.length > 1) return [`R2: ${name} was consumed twice`];
    if (waits === (consumed.length === 1)) return [`R1: ${name} waits and was consumed, or is nowhere`];
    const all = consumed.flatMap(({ facts }) =>
      facts.flatMap((fact) =>
        fact.type === "input.discarded" && fact.dedupId === dedupId && fact.kind === input.kind && fact.callId === about
          ? [fact.reason]
          : [],
      ),
    );
    // What children say of themselves has the same ids in each of them.
    const reasons = "child" in input ? [...new Set(all)] : all;
    const faults = reasons
      .filter((reason) => !isSound(told, filed, reason))
      .map((reason) => `R1: ${name} was discarded: ${reason}`);
    if (input.kind === "report" && input.failed) return faults;
    // Two processes can say the same of the end of a source: what was discarded is not what was read.
    const read = isEndOfSource(input) && reasons.length > 0 ? 0 : readings(tree, filed);
    const places = read + reasons.length + (waits ? 1 : 0);
    const isFine = places === 1 || (places === 0 && needsNoReading(tree, filed));
    // A refusal of one subscription too many stands for every result of its call.
    const isRefusal = input.kind === "result" && input.subscription === true && places === 2 && reasons.length === 1;
    return isFine || isRefusal ? faults : [...faults, `R1: ${name} is in ${places} places`];
  });
};

/** Failures of a spawned child that ended its slice for good are heard as often as they happened. */
export const faultsOfFailures = ({ tree }: Told): string[] =>
  tree.threads.flatMap((child) => {
    const { opening, commits } = tree.fold(child);
    if (!opening) return [];
    const happened = commits.filter(
      ({ record, facts }) =>
        opening.kind === "spawned" &&
        record &&
        !record.retry &&
        record.state !== "closed" &&
        facts.some(({ type }) => type === "slice.ended") &&
        facts.some((fact) => fact.type === "failure" && fact.code !== "TOOL_FAILED"),
    ).length;
    const parent = tree.fold(opening.parent);
    const filed = tree.filed.filter(
      ({ threadId, waiting: { input } }) =>
        threadId === opening.parent && input.kind === "report" && input.failed && input.child === child,
    );
    const read = parent.stored.history.filter(
      ({ entry }) => entry.kind === "event" && entry.from === child && entry.text.startsWith(failureOf(child)),
    ).length;
    const ownIds = filed.map(({ waiting }) => waiting.dedupId);
    const discarded = filed.filter(({ waiting: { seq } }) =>
      parent.commits.some(
        ({ consumed, facts }) =>
          consumed.includes(seq) &&
          facts.some(
            (fact) => fact.type === "input.discarded" && fact.kind === "report" && ownIds.includes(fact.dedupId),
          ),
      ),
    ).length;
    const waiting = filed.filter(({ waiting: { seq } }) =>
      parent.stored.inbox.some((other) => other.seq === seq),
    ).length;
    // What was discarded of another child can have the same id.
    const isThere = read + waiting <= filed.length && filed.length <= read + waiting + discarded;
    return happened === filed.length && isThere
      ? []
      : [
          `${child} failed ${happened} times; its parent was told ${filed.length}, read ${read}, discarded ${discarded}`,
        ];
  });

/** R3: what can wait is read in the order it was accepted, and events of one subscription open their children in it. */
export const faultsOfOrder = ({ tree }: Told): string[] =>
  tree.threads.flatMap((threadId) => {
    const order = tree.filed.flatMap(({ threadId: at, waiting: { input } }) => {
      if (at !== threadId || !("text" in input)) return [];
      if (isEndOfSource(input)) return [];
      const isOther = input.kind === "text" ? input.whileBusy === "interrupt" : input.kind === "report" && input.failed;
      return isOther ? [] : [input.text];
    });
    const read = tree.fold(threadId).stored.history.flatMap(({ position, entry }) => {
      const isOwn = position >= (tree.fold(threadId).opening?.position ?? 0) + 2 || !tree.fold(threadId).opening;
      return isOwn && "text" in entry && order.includes(entry.text) ? [entry.text] : [];
    });
    const handled = Map.groupBy(
      tree.childrenOf(threadId).filter((child) => tree.fold(child).opening?.kind === "event"),
      (child) => tree.fold(child).opening?.source.callId,
    );
    const begun = [...handled.values()].map((children) =>
      children.map((child) => {
        const first = tree.fold(child).stored.history.find(({ entry }) => entry.kind === "event")?.entry;
        return first?.kind === "event" ? first.text : "";
      }),
    );
    return [read, ...begun].flatMap((words) => {
      const places = words.map((word) => order.indexOf(word));
      return places.every((place, index) => index === 0 || place >= (places[index - 1] as number))
        ? []
        : [`R3: ${threadId} took ${words.join(" ")}, which came as ${order.join(" ")}`];
    });
  });
