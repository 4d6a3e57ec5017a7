import type { LanguageModelV4Prompt } from "@ai-sdk/provider";
import type { PlacedEntry } from "../../machines/history/entry.ts";
import type { ThreadId } from "../../machines/history/ids.ts";
import type { Opening } from "../../machines/thread/family.ts";
import { createPromptBuilder, type PromptBuilder, type PromptStyle } from "../prompt/builder.ts";
import type { Store } from "../store/store.ts";
import { viewOf } from "./view.ts";

/**
 * The history of a resident thread in the form a model reads. It is loaded once, then grows with each commit, so that a
 * round pays for new entries only.
 */
export interface Conversation {
  /** Reads the history on the first call and when the style changed; cheap otherwise. */
  load(style: PromptStyle): Promise<void>;
  /** Entries that a commit made part of the history. Before the first load they are in the store and read there. */
  append(entries: readonly PlacedEntry[]): void;
  /** The request of a round: the history, then `entries` that are not committed yet and are not kept. */
  prompt(instructions: string, entries: readonly PlacedEntry[]): LanguageModelV4Prompt;
}

const sameStyle = (a: PromptStyle, b: PromptStyle): boolean =>
  a.eventsAs === b.eventsAs && a.supportsImages === b.supportsImages;

export const createConversation = (
  store: Store,
  { threadId, opening }: { readonly threadId: ThreadId; readonly opening: Opening | null },
): Conversation => {
  let built: { style: PromptStyle; builder: PromptBuilder } | undefined;
  return {
    async load(style) {
      if (built && sameStyle(built.style, style)) return;
      const builder = createPromptBuilder(style);
      builder.append(await viewOf(store, threadId, opening));
      built = { style, builder };
    },
    append: (entries) => built?.builder.append(entries),
    prompt(instructions, entries) {
      if (!built) throw new Error("The conversation was not loaded: prepare comes before a round.");
      return built.builder.prompt(instructions, entries);
    },
  };
};
