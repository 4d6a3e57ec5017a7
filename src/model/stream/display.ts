/** Shown to who watches, and never stored. */
export type Delta =
  | { readonly type: "text.delta"; readonly text: string }
  | { readonly type: "thinking.started" }
  | { readonly type: "thinking.delta"; readonly text: string }
  | { readonly type: "thinking.ended" };

type Kind = "text" | "reasoning";

/**
 * What somebody who watches sees of a turn. Thinking starts with the first reasoning that is open and ends with the last.
 * A character whose two halves come in two deltas is shown with the second; half a character is shown as U+FFFD.
 */
export class Display {
  readonly #publish: (delta: Delta) => void;
  #thinking = 0;
  /** The first half of a character that waits for its second. */
  readonly #half: Record<Kind, string> = { text: "", reasoning: "" };

  constructor(publish: (delta: Delta) => void) {
    this.#publish = publish;
  }

  began(kind: Kind): void {
    if (kind === "reasoning" && this.#thinking++ === 0) this.#publish({ type: "thinking.started" });
  }

  grew(kind: Kind, delta: string): void {
    if (delta === "") return;
    const text = this.#half[kind] + delta;
    const last = text.charCodeAt(text.length - 1);
    const isSplit = last >= 0xd800 && last <= 0xdbff;
    this.#half[kind] = isSplit ? text.slice(-1) : "";
    this.#show(kind, isSplit ? text.slice(0, -1) : text);
  }

  ended(kind: Kind): void {
    this.#flush(kind);
    if (kind === "reasoning" && --this.#thinking === 0) this.#publish({ type: "thinking.ended" });
  }

  /** The turn is over, whatever was still open. A second call does nothing. */
  close(): void {
    this.#flush("text");
    this.#flush("reasoning");
    if (this.#thinking > 0) this.#publish({ type: "thinking.ended" });
    this.#thinking = 0;
  }

  #flush(kind: Kind): void {
    this.#show(kind, this.#half[kind]);
    this.#half[kind] = "";
  }

  #show(kind: Kind, text: string): void {
    if (text === "") return;
    this.#publish({ type: kind === "text" ? "text.delta" : "thinking.delta", text: text.toWellFormed() });
  }
}
