import type { LanguageModelV4Message, LanguageModelV4Prompt } from "@ai-sdk/provider";
import type { PlacedEntry, ResultEntry, TurnEntry } from "../../machines/history/entry.ts";
import type { CallId } from "../../machines/history/ids.ts";
import { eventBlock, eventPair } from "./event.ts";
import { PromptIds } from "./ids.ts";
import { shownTurn, userMessage, withoutTrailingReasoning } from "./messages.ts";
import { outputOf, pendingResult } from "./output.ts";

/** What a model can take; a builder has one style for life. */
export interface PromptStyle {
  /** `text` for models that refuse calls they did not sign. */
  readonly eventsAs: "call" | "text";
  /** Whether images in results are sent; else a placeholder names their media type. */
  readonly supportsImages: boolean;
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
  /**
   * The request: instructions unless blank, everything appended, then `extra`, which is not kept. Costs the new entries
   * and one copy of the list of messages (pointers, no content). The array is the caller's.
   */
  prompt(instructions: string, extra?: readonly PlacedEntry[]): LanguageModelV4Prompt;
}

/** The results of the last turn: where their message stands, and which are still to come, by their place in it. */
interface OpenResults {
  readonly at: number;
  readonly missing: Map<CallId, number>;
}

class Draft {
  readonly style: PromptStyle;
  readonly #messages: LanguageModelV4Message[];
  readonly #ids: PromptIds;
  #open: OpenResults | undefined;

  constructor(style: PromptStyle, messages: LanguageModelV4Message[] = [], ids = new PromptIds(), open?: OpenResults) {
    this.style = style;
    this.#messages = messages;
    this.#ids = ids;
    this.#open = open;
  }

  /** Goes on from here without changing this one, which must not grow as long as the fork is used. */
  fork(): Draft {
    const open = this.#open && { at: this.#open.at, missing: new Map(this.#open.missing) };
    return new Draft(this.style, this.#messages.slice(), new PromptIds(this.#ids), open);
  }

  get messages(): readonly LanguageModelV4Message[] {
    return this.#messages;
  }

  add({ position, entry }: PlacedEntry): void {
    if (entry.kind === "turn") this.#addTurn(entry);
    else if (entry.kind === "result") this.#addResult(entry);
    else if (entry.kind === "user") this.#addUser(userMessage(entry));
    else if (this.style.eventsAs === "text") this.#addUser(eventBlock(entry, this.#ids));
    else this.#messages.push(...eventPair(entry, position, this.#ids));
  }

  #addUser(message: LanguageModelV4Message): void {
    for (let last = this.#messages.at(-1); last?.role === "assistant"; last = this.#messages.at(-1)) {
      const shorter = withoutTrailingReasoning(last);
      if (shorter === last) break;
      this.#messages.pop();
      if (shorter) this.#messages.push(shorter);
    }
    this.#messages.push(message);
  }

  #addTurn(turn: TurnEntry): void {
    const { message, calls } = shownTurn(turn, this.#ids);
    if (message) this.#messages.push(message);
    this.#open = undefined;
    if (calls.length === 0) return;
    this.#open = {
      at: this.#messages.length,
      missing: new Map(calls.map(({ callId }, index) => [callId, index])),
    };
    this.#messages.push({
      role: "tool",
      content: calls.map(({ toolCallId, toolName }) => pendingResult(toolCallId, toolName)),
    });
  }

  #addResult(result: ResultEntry): void {
    const index = this.#open?.missing.get(result.callId);
    if (!this.#open || index === undefined) return;
    const message = this.#messages[this.#open.at];
    const part = message?.role === "tool" ? message.content[index] : undefined;
    if (message?.role !== "tool" || part?.type !== "tool-result") return;
    const output = outputOf(result, this.style.supportsImages);
    this.#messages[this.#open.at] = { ...message, content: message.content.with(index, { ...part, output }) };
    this.#open.missing.delete(result.callId);
  }
}

export const createPromptBuilder = (style: PromptStyle): PromptBuilder => {
  const kept = new Draft(style);
  return {
    append(entries) {
      for (const entry of entries) kept.add(entry);
    },
    prompt(instructions, extra = []) {
      const draft = extra.length > 0 ? kept.fork() : kept;
      for (const entry of extra) draft.add(entry);
      const { messages } = draft;
      return instructions.trim() === "" ? [...messages] : [{ role: "system", content: instructions }, ...messages];
    },
  };
};
