import { clearLine, createInterface, cursorTo } from "node:readline";
import type { Io } from "../io.ts";
import type { Line } from "./lines.ts";

/** Lines that a person types. The prompt makes way for what is printed meanwhile. */
export interface Prompt {
  readonly lines: AsyncIterable<Line>;
  /** Takes the prompt off the screen before something is printed. */
  hide(): void;
  /** Puts it back, with what was typed so far, when a line is wanted. */
  show(): void;
  close(): void;
}

/** Prompts on stderr, so that stdout is the conversation alone. Ctrl-D ends the lines; Ctrl-C calls `onInterrupt`. */
export const promptOn = ({ stdin, stderr }: Pick<Io, "stdin" | "stderr">, onInterrupt: () => void): Prompt => {
  const reader = createInterface({ input: stdin, output: stderr, prompt: "> " });
  const typed: string[] = [];
  let isWanted = false;
  let isShown = false;
  let isClosed = false;
  let wake = () => {};

  reader.on("SIGINT", onInterrupt);
  reader.on("line", (line) => {
    isShown = false;
    typed.push(line);
    wake();
  });
  reader.on("close", () => {
    isClosed = true;
    wake();
  });

  const show = () => {
    if (!isWanted || isShown || isClosed) return;
    isShown = true;
    reader.prompt(true);
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
      const text = typed.shift();
      if (text === undefined) return;
      yield { number, text };
    }
  }
  return {
    lines: lines(),
    show,
    hide() {
      if (!isShown) return;
      isShown = false;
      if (!stderr.isTTY) return;
      cursorTo(stderr, 0);
      clearLine(stderr, 0);
    },
    close: () => reader.close(),
  };
};
