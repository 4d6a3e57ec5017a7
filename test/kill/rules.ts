import { isDeepStrictEqual } from "node:util";
import { textOf } from "../../machines/history/entry.ts";
import { faultsOf } from "../../machines/history/faults.ts";
import type { FeedItem } from "../../machines/thread/facts.ts";
import { dedupKeyOf, type Input } from "../../machines/thread/input.ts";
import { callIdsOf, type Found, factsIn, resultsIn, textsIn } from "./found.ts";

/** Rules that are read off a file alone, whatever was run on it. One sentence for each fault. */

type Accepted = Extract<FeedItem, { type: "input.accepted" }>;

const keyOf = ({ threadId, dedupId, input }: Accepted): string =>
  dedupKeyOf({ threadId: threadId as never, dedupId, input });

/** Where an input is now: each place once. */
const placesOf = (found: Found, { dedupId, input }: Accepted): string[] => {
  const { history, thread } = found;
  const about = "callId" in input ? input.callId : undefined;
  const places: string[] = [];
  for (const { dedupId: id, input: other } of thread?.inbox ?? [])
    if (id === dedupId && isDeepStrictEqual(other, input)) places.push("waits");
  for (const { dedupId: id, kind, callId, reason } of factsIn(found, "input.discarded"))
    if (id === dedupId && kind === input.kind && callId === about) places.push(`discarded, ${reason}`);
  for (const { entry } of history) {
    if (input.kind === "text" && entry.kind === "user" && entry.text === input.text) places.push("history");
    if (input.kind === "event" && entry.kind === "event" && entry.source.callId === about && entry.text === input.text)
      places.push("history");
    if (entry.kind === "result" && entry.callId === about && settles(input, entry.origin, textOf(entry.content)))
      places.push("history");
  }
  return places;
};

const settles = (input: Input, origin: string, text: string): boolean =>
  (input.kind === "result" && input.origin === origin && textOf(input.content) === text) ||
  (input.kind === "timer" && origin === "timer");

/** R1, R2: what was accepted is in one place, and under one key once. For texts and events that say what no other says. */
export const faultsOfInputs = (found: Found): string[] => {
  const accepted = factsIn(found, "input.accepted");
  const keys = accepted.map(keyOf);
  return accepted.flatMap((fact, index) => {
    const places = placesOf(found, fact);
    const faults: string[] = [];
    if (keys.indexOf(keys[index] ?? "") !== index) faults.push(`R2: ${keys[index]} was accepted twice`);
    if (places.length !== 1) faults.push(`R1: ${keys[index]} is in ${places.join(", ") || "no place"}`);
    return faults;
  });
};

/** R5, and that the feed tells of every entry once, in an order that only grows. */
export const faultsOfHistory = (found: Found): string[] => {
  const faults = faultsOf(found.history, callIdsOf(found)).map((fault) => `R5: ${fault}`);
  const told = factsIn(found, "entry.added").map(({ position, entry }) => ({ position, entry }));
  const sorted = told.sort((a, b) => a.position - b.position);
  if (!isDeepStrictEqual(sorted, [...found.history])) faults.push("the feed tells another history");
  const positions = found.feed.map(({ feed }) => feed);
  if (positions.some((feed, index) => index > 0 && feed <= (positions[index - 1] ?? 0)))
    faults.push("the feed is not in order");
  return faults;
};

/**
 * R3, R4, R6: the texts were read once each and in their order. A text that interrupted a call comes before those that waited
 * for it.
 */
export const faultsOfOrder = (found: Found, texts: readonly string[]): string[] => {
  const read = textsIn(found);
  const interrupted = resultsIn(found).some(({ origin }) => origin === "interrupted");
  const [first = "", ...others] = texts;
  const expected = interrupted ? [first, ...others.reverse()] : texts;
  return isDeepStrictEqual(read, expected) ? [] : [`R3: it read ${read.join(", ")} in place of ${expected.join(", ")}`];
};

/** R9: nothing is under way and nothing waits. */
export const faultsOfRest = (found: Found): string[] => {
  const { thread } = found;
  if (!thread) return ["R1: the thread is gone"];
  const left = {
    state: thread.record.state,
    roundDue: thread.record.roundDue,
    calls: callIdsOf(found),
    subscriptions: thread.subscriptions.map(({ callId }) => callId as string),
    inbox: thread.inbox.map(({ dedupId }) => dedupId),
    failure: thread.record.lastFailure,
  };
  const rest = { state: "idle", roundDue: false, calls: [], subscriptions: [], inbox: [], failure: null };
  return isDeepStrictEqual(left, rest) ? [] : [`R9: it does not come to rest: ${JSON.stringify(left)}`];
};

/** A tool's result says the same in the history and in the feed. */
export const faultsOfResults = (found: Found): string[] => {
  const settled = factsIn(found, "call.settled").map(({ callId, origin }) => `${callId} ${origin}`);
  const stored = resultsIn(found).map(({ callId, origin }) => `${callId} ${origin}`);
  return isDeepStrictEqual(settled.sort(), stored.sort()) ? [] : [`R5: the feed settles ${settled.join()}`];
};
