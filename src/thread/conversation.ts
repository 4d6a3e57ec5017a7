import type { LanguageModelV4Prompt } from "@ai-sdk/provider";
import type { PlacedEntry } from "../../machines/history/entry.ts";
import type { ThreadId } from "../../machines/history/ids.ts";
import type { HistoryRepair } from "../../machines/history/repair.ts";
import { summaryRequest } from "../../machines/history/wording.ts";
import type { Opening, SummaryPlace } from "../../machines/thread/family.ts";
import { StoreError } from "../errors.ts";
import { createPromptBuilder, type PromptBuilder, type PromptStyle } from "../prompt/builder.ts";
import type { Store } from "../store/store.ts";
import { type KnownOfThread, readOwn } from "./damage.ts";
import { viewOf } from "./view.ts";

/** The conversation above a child, as it was where the child began. */
export interface Inherited {
  readonly style: PromptStyle;
  readonly builder: PromptBuilder;
}

/**
 * The history of a resident thread in the form a model reads. It is loaded once, then grows with each commit, so that a
 * round pays for new entries only.
 */
export interface Conversation {
  /** Nothing would be read: the history is there in this style. */
  isLoaded(style: PromptStyle): boolean;
  /**
   * Reads the history on the first call and when the style changed; cheap otherwise. The first time it is held against what
   * the record says of it: where it breaks R5, it is not loaded, and what mends it is returned.
   */
  load(style: PromptStyle, known: KnownOfThread): Promise<HistoryRepair | null>;
  /**
   * Entries that a commit made part of the history. Before the first load they are in the store and read there. Returns, for
   * each position at which a child begins, what that child inherits, which costs nothing; undefined before the first load.
   */
  append(entries: readonly PlacedEntry[], positions?: readonly number[]): readonly (Inherited | undefined)[];
  /**
   * Puts the request for a summary together: of the view up to `upTo`, behind the summary that is in force. Returns how many
   * characters it has. `summaryPrompt` gives it.
   */
  prepareSummary(style: PromptStyle, upTo: number, summary: SummaryPlace | null): Promise<number>;
  summaryPrompt(instructions: string): LanguageModelV4Prompt;
  /** A summary stands for the beginning from now on: the history is read anew from there. */
  forget(): void;
  /** The request of a round: the history, then `entries` that are not committed yet and are not kept. */
  prompt(instructions: string, entries: readonly PlacedEntry[]): LanguageModelV4Prompt;
}

const sameStyle = (a: PromptStyle, b: PromptStyle): boolean =>
  a.eventsAs === b.eventsAs && a.supportsImages === b.supportsImages && a.readsResults === b.readsResults;

/** Entries that are read at a time for a summary: others have their turn in between. */
const page = 200;

const summaryText = async (store: Pick<Store, "summary">, { of, upTo }: SummaryPlace): Promise<string> => {
  const text = await store.summary?.(of, upTo);
  if (text === undefined) throw new StoreError(`the summary of thread ${of} up to ${upTo} is gone.`);
  return text;
};

/** `inherited`: where the thread above is in memory, its child need not read what it is told by reference. */
export const createConversation = (
  store: Store,
  { threadId, opening }: { readonly threadId: ThreadId; readonly opening: Opening | null },
  inherited?: Inherited,
): Conversation => {
  let built: Inherited | undefined;
  let above = inherited;
  let summarising: PromptBuilder | undefined;
  /** A repair is tried once: what it could not mend is read as well as can be. */
  let isMended = false;
  const isLoaded = (style: PromptStyle): boolean => built !== undefined && sameStyle(built.style, style);
  return {
    isLoaded,
    async load(style, known) {
      if (isLoaded(style)) return null;
      const own = await readOwn(store, { threadId, opening }, known);
      if (own.repair && !isMended) {
        isMended = true;
        return own.repair;
      }
      const isShared = above !== undefined && sameStyle(above.style, style);
      const builder = isShared && above ? above.builder : createPromptBuilder(style);
      const { summary } = known;
      const entries = isShared
        ? own.entries
        : await viewOf(store, threadId, opening, { own: own.entries, from: summary?.upTo ?? 0 });
      const text = isShared || !summary ? undefined : await summaryText(store, summary);
      if (text !== undefined) builder.begin(text);
      // A second reading, should the style change, begins at the beginning: this builder has grown.
      above = undefined;
      builder.append(entries);
      built = { style, builder };
      return null;
    },
    append(entries, positions = []) {
      if (!built) return positions.map(() => undefined);
      const { style, builder } = built;
      if (positions.length === 0) {
        builder.append(entries);
        return [];
      }
      let left = entries;
      const forks = new Map<number, Inherited>();
      for (const place of [...new Set(positions)].sort((a, b) => a - b)) {
        builder.append(left.filter(({ position }) => position < place));
        left = left.filter(({ position }) => position >= place);
        forks.set(place, { style, builder: builder.fork() });
      }
      builder.append(left);
      return positions.map((place) => {
        const fork = forks.get(place);
        // Several may begin at one place: each goes on by itself.
        return fork && { style, builder: fork.builder.fork() };
      });
    },
    async prepareSummary(style, upTo, summary) {
      const builder = createPromptBuilder(style);
      if (summary) builder.begin(await summaryText(store, summary));
      for (let from = summary?.upTo ?? 0; from < upTo; from += page)
        builder.append(await viewOf(store, threadId, opening, { from, to: Math.min(from + page, upTo) }));
      const size = JSON.stringify(builder.prompt("")).length;
      summarising = builder;
      return size;
    },
    summaryPrompt(instructions) {
      if (!summarising) throw new Error("The summary was not prepared: that comes before it is asked for.");
      const entry = { kind: "user", at: 0, text: summaryRequest } as const;
      const prompt = summarising.prompt(instructions, [{ position: Number.MAX_SAFE_INTEGER, entry }]);
      summarising = undefined;
      return prompt;
    },
    forget() {
      built = undefined;
      above = undefined;
    },
    prompt(instructions, entries) {
      if (!built) throw new Error("The conversation was not loaded: prepare comes before a round.");
      return built.builder.prompt(instructions, entries);
    },
  };
};
