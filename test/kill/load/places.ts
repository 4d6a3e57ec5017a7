import { type Entry, textOf } from "../../../machines/history/entry.ts";
import type { FeedItem } from "../../../machines/thread/facts.ts";
import { dedupKeyOf, type Envelope, type Input } from "../../../machines/thread/input.ts";

/** What one input says: inputs of the world outside say what no other of their thread says. */
const wordsOf = (input: Input): string | undefined => {
  if (input.kind === "text") return input.text;
  if (input.kind === "event") return `${input.callId} ${input.text}`;
  if (input.kind === "result") return `${input.callId} ${textOf(input.content)}`;
  return undefined;
};

const wordsOfEntry = (entry: Entry): string | undefined => {
  if (entry.kind === "user") return entry.text;
  if (entry.kind === "event") return `${entry.source.callId} ${entry.text}`;
  return entry.kind === "result" ? `${entry.callId} ${textOf(entry.content)}` : undefined;
};

/** Where inputs are, by thread and by what they say. A child's event is in its history, under its parent's call. */
export interface Places {
  /** Each place of an input, once; none: it is lost. */
  of(envelope: Envelope): readonly string[];
}

/** `histories`: the own entries of each thread. */
export const placesIn = (histories: ReadonlyMap<string, readonly Entry[]>, feed: readonly FeedItem[]): Places => {
  const places = new Map<string, string[]>();
  const add = (key: string, place: string): void => {
    places.set(key, [...(places.get(key) ?? []), place]);
  };
  const inHistory = (kind: string, words: string): string => `${kind} ${words}`;
  const discarded = (threadId: string, kind: string, about: string, dedupId: string): string =>
    JSON.stringify(["discarded", threadId, kind, about, dedupId]);
  for (const [threadId, entries] of histories)
    for (const entry of entries) {
      const words = wordsOfEntry(entry);
      if (words !== undefined) add(inHistory(entry.kind === "user" ? "text" : entry.kind, words), `in ${threadId}`);
    }
  for (const fact of feed) {
    if (fact.type === "input.discarded")
      add(
        discarded(fact.threadId, fact.kind, fact.choiceId ?? fact.callId ?? "", fact.dedupId),
        `discarded, ${fact.reason}`,
      );
    if (fact.type === "choice.closed" && fact.outcome === "answered" && fact.answer?.by)
      add(inHistory("answer", fact.choiceId), "acted on");
  }
  return {
    of({ threadId, dedupId, input }) {
      const words = input.kind === "answer" ? input.choiceId : (wordsOf(input) ?? "");
      const about = input.kind === "answer" ? input.choiceId : "callId" in input ? (input.callId ?? "") : "";
      return [
        ...(places.get(inHistory(input.kind, words)) ?? []),
        ...(places.get(discarded(threadId, input.kind, about, dedupId)) ?? []),
      ];
    },
  };
};

/** Keys under which something was accepted, one for each time (R2); also of what threads and timers say. */
export const acceptedKeysIn = (feed: readonly FeedItem[]): readonly string[] =>
  feed.flatMap((fact) =>
    fact.type === "input.accepted"
      ? [
          `${fact.threadId} ${dedupKeyOf({ threadId: fact.threadId as Envelope["threadId"], dedupId: fact.dedupId, input: fact.input })}`,
        ]
      : [],
  );
