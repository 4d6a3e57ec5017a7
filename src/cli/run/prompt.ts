import { clearScreenDown, createInterface, cursorTo, moveCursor } from "node:readline";
import type { Io } from "../io.ts";
import type { Line } from "./lines.ts";

/** Lines that a person types. The prompt makes way for what is printed meanwhile. */
export interface Prompt {
  readonly lines: AsyncIterable<Line>;
  /** Takes the prompt off the screen before something is printed. */
  hide(): void;
  /** Puts it back, with what was typed so far, when a line is wanted. Needs a row of its own. */
  show(): void;
  /** What stands before the text from now on. A line that was entered has the usual sign. */
  sign(sign: string): void;
  close(): void;
}

export interface PromptOptions {
  /** Ctrl-C. */
  readonly onInterrupt: () => void;
  /** Any other key, before it does what it does. */
  readonly onKey?: () => void;
  /** A line is about to be entered. */
  readonly onEnter?: () => void;
  /** A line was entered, and the cursor stands on the row below it. */
  readonly onLine?: () => void;
  /** Lines that wait together, as pasted ones do, are taken as one text. */
  readonly joins?: boolean;
}

export const usualSign = "> ";

interface Key {
  readonly name?: string;
  readonly ctrl?: boolean;
}

/** Prompts on stderr, so that stdout is the conversation alone. Ctrl-D ends the lines. */
export const promptOn = ({ stdin, stderr }: Pick<Io, "stdin" | "stderr">, options: PromptOptions): Prompt => {
  const reader = createInterface({ input: stdin, output: stderr, prompt: usualSign });
  const typed: string[] = [];
  let isWanted = false;
  let isShown = false;
  let isClosed = false;
  let wake = () => {};

  /**
   * The reader goes up as many rows as it last drew its cursor below the prompt's first one, and forgets the rows that a
   * pasted text has added since (Node 26 and before): what it does not find there, it leaves on the screen.
   */
  const rememberRows = (): number => {
    const { rows } = reader.getCursorPos();
    Reflect.set(reader, "prevRows", rows);
    return rows;
  };
  const redraw = (sign: string): void => {
    if (reader.getPrompt() === sign || isClosed) return;
    reader.setPrompt(sign);
    rememberRows();
    if (isShown) reader.prompt(true);
  };
  // Before the reader's own listener: what Enter leaves on the screen has the usual sign.
  stdin.prependListener("keypress", (_text: string | undefined, key: Key = {}) => {
    rememberRows();
    if (key.ctrl && key.name === "c") return;
    options.onKey?.();
    if (key.name !== "return" && key.name !== "enter") return;
    options.onEnter?.();
    redraw(usualSign);
  });
  reader.on("SIGINT", options.onInterrupt);
  reader.on("line", (line) => {
    isShown = false;
    typed.push(line);
    options.onLine?.();
    wake();
  });
  reader.on("close", () => {
    isClosed = true;
    wake();
  });

  const show = () => {
    if (!isWanted || isShown || isClosed) return;
    isShown = true;
    // The reader goes up by these rows first.
    if (stderr.isTTY) stderr.write("\n".repeat(rememberRows()));
    reader.prompt(true);
  };
  const hide = () => {
    if (!isShown) return;
    isShown = false;
    if (!stderr.isTTY) return;
    const { rows } = reader.getCursorPos();
    if (rows > 0) moveCursor(stderr, 0, -rows);
    cursorTo(stderr, 0);
    clearScreenDown(stderr);
  };
  async function* lines(): AsyncGenerator<Line> {
    for (let number = 1; ; number++) {
      while (typed.length === 0 && !isClosed) {
        isWanted = true;
        show();
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
      isWanted = false;
      if (typed.length === 0) return;
      const text = options.joins ? typed.splice(0).join("\n") : (typed.shift() as string);
      yield { number, text };
    }
  }
  return {
    lines: lines(),
    show,
    hide,
    sign: redraw,
    close() {
      hide();
      reader.close();
    },
  };
};
