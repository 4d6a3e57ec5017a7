import type { LanguageModelV4Message, LanguageModelV4Prompt } from "@ai-sdk/provider";
import type { PlacedEntry, ResultEntry, TurnEntry } from "../../machines/history/entry.ts";
import type { CallId } from "../../machines/history/ids.ts";
import { safeText } from "../tool/text.ts";
import { addUser } from "./add-user.ts";
import { eventBlock, eventPair } from "./event.ts";
import { PromptIds } from "./ids.ts";
import { shownTurn, summaryMessage, userMessage } from "./messages.ts";
import { outputOf, pendingResult } from "./output.ts";
import { seedBlock, seedPair } from "./seed.ts";

/** What a model can take; a builder has one style for life. */
export interface PromptStyle {
  /** How events and the openings of their children are shown; `text` for models that refuse calls they did not sign. */
  readonly eventsAs: "call" | "text";
  /** Whether images in results are sent; else a placeholder names their media type. */
  readonly supportsImages: boolean;
  /** The model has the tool that reads what was left out of a long result. Default false. */
  readonly readsResults?: boolean;
}

/**
 * A history in the form a model reads, grown entry by entry: entries are turned into messages once, and every prompt
 * after that holds the same message objects. Nothing that was handed out is changed later; readers change nothing in it.
 *
 * A prompt begins with the prompt of any shorter history, message by message, with two exceptions. A turn's reasoning at
 * its end goes when a user text follows it, so a prompt that ends in such a turn is no prefix (no request ends so). The
 * results of the last turn are one message that is replaced as they arrive; a call without a result has one there that
 * says it is still running, so a prompt is well formed also while calls are out.
 */
export interface PromptBuilder {
  /**
   * Ascending by position, but that results may follow later, in any order, while their turn is the last one. A result
   * that has no call there, or came before, is left out.
   */
  append(entries: readonly PlacedEntry[]): void;
  /** Stands for everything before; the first thing that is appended. */
  begin(summary: string): void;
  /**
   * The request: instructions unless blank, everything appended, then `extra`, which is not kept. Costs the new entries
   * and one copy of the list of messages (pointers, no content). The array is the caller's.
   */
  prompt(instructions: string, extra?: readonly PlacedEntry[]): LanguageModelV4Prompt;
  /**
   * A builder that goes on from here, whatever this one takes on later. It costs the same however much was appended, and
   * holds the same message objects.
   */
  fork(): PromptBuilder;
}

/** The results of the last turn: where their message stands in the tail, and which are still to come, by their place in it. */
interface OpenResults {
  readonly at: number;
  readonly missing: Map<CallId, number>;
}

/**
 * Messages on their way to a prompt. Those of the tail can still change: results of the last turn arrive, reasoning at
 * its end is dropped. Everything before the last turn stands.
 */
class Draft {
  readonly style: PromptStyle;
  readonly #before: DraftSoFar | undefined;
  readonly #standing: LanguageModelV4Message[] = [];
  readonly #tail: LanguageModelV4Message[];
  readonly #ids: PromptIds;
  #open: OpenResults | undefined;

  constructor(style: PromptStyle, from?: Draft) {
    this.style = style;
    this.#before = from && { draft: from, length: from.#standing.length };
    this.#tail = from ? [...from.#tail] : [];
    this.#ids = new PromptIds(from ? from.#ids : undefined);
    this.#open = from ? from.#openCopy() : undefined;
  }

  /** Goes on from here, whatever this one takes on later, at a cost that does not depend on what stands. */
  fork(): Draft {
    return new Draft(this.style, this);
  }

  /** `first`, then everything so far, in an array of its own. */
  after(first: LanguageModelV4Message[]): LanguageModelV4Message[] {
    return first.concat(...this.#standingUpTo(this.#standing.length), this.#tail);
  }

  /** What stands in the drafts before this one and in this one, as they were when it was forked from them. */
  #standingUpTo(length: number): readonly (readonly LanguageModelV4Message[])[] {
    const own = length === this.#standing.length ? this.#standing : this.#standing.slice(0, length);
    return this.#before ? [...this.#before.draft.#standingUpTo(this.#before.length), own] : [own];
  }

  begin(summary: string): void {
    addUser(this.#tail, summaryMessage(summary));
  }

  add({ position, entry }: PlacedEntry): void {
    if (entry.kind === "turn") this.#addTurn(entry);
    else if (entry.kind === "result") this.#addResult(entry);
    else if (entry.kind === "user") addUser(this.#tail, userMessage(entry));
    else if (this.style.eventsAs === "text")
      addUser(this.#tail, entry.kind === "seed" ? seedBlock(entry) : eventBlock(entry, this.#ids));
    else
      this.#tail.push(...(entry.kind === "seed" ? seedPair(entry, this.#ids) : eventPair(entry, position, this.#ids)));
  }

  #openCopy(): OpenResults | undefined {
    return this.#open && { at: this.#open.at, missing: new Map(this.#open.missing) };
  }

  #addTurn(turn: TurnEntry): void {
    // A turn behind a turn: a text that follows can still take the reasoning of both.
    if (this.#tail.at(-1)?.role !== "assistant") this.#standing.push(...this.#tail.splice(0));
    const { supportsImages } = this.style;
    const { message, calls } = shownTurn(turn, { ids: this.#ids, supportsImages });
    if (message) this.#tail.push(message);
    this.#open = undefined;
    if (calls.length === 0) return;
    this.#open = { at: this.#tail.length, missing: new Map(calls.map(({ callId }, index) => [callId, index])) };
    this.#tail.push({
      role: "tool",
      content: calls.map(({ toolCallId, toolName }) => pendingResult(toolCallId, toolName)),
    });
  }

  #addResult(result: ResultEntry): void {
    const index = this.#open?.missing.get(result.callId);
    if (!this.#open || index === undefined) return;
    const message = this.#tail[this.#open.at];
    const part = message?.role === "tool" ? message.content[index] : undefined;
    if (message?.role !== "tool" || part?.type !== "tool-result") return;
    const output = outputOf(result, this.style);
    this.#tail[this.#open.at] = { ...message, content: message.content.with(index, { ...part, output }) };
    this.#open.missing.delete(result.callId);
  }
}

/** What stands of a draft never changes, it only grows. */
interface DraftSoFar {
  readonly draft: Draft;
  /** Messages that stood. */
  readonly length: number;
}

interface SystemPrompt {
  readonly instructions: string;
  readonly message: LanguageModelV4Message;
}

export const createPromptBuilder = (style: PromptStyle): PromptBuilder => builderOn(new Draft(style));

const builderOn = (kept: Draft): PromptBuilder => {
  let system: SystemPrompt | undefined;
  return {
    begin: (summary) => kept.begin(summary),
    append(entries) {
      for (const entry of entries) kept.add(entry);
    },
    prompt(instructions, extra = []) {
      const draft = extra.length > 0 ? kept.fork() : kept;
      for (const entry of extra) draft.add(entry);
      if (instructions.trim() === "") return draft.after([]);
      if (system?.instructions !== instructions)
        system = { instructions, message: { role: "system", content: safeText(instructions) } };
      return draft.after([system.message]);
    },
    fork: () => builderOn(kept.fork()),
  };
};
