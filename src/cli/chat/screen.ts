import { cursorTo, moveCursor } from "node:readline";
import type { Clock } from "../../clock.ts";
import type { Io } from "../io.ts";
import type { Layout } from "../run/layout.ts";
import { type Prompt, usualSign } from "../run/prompt.ts";

/** ms for which a frame of the spinner stands. */
const frameTime = 120;
const frames = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"].map((frame) => `${frame} `);

/** A terminal with the conversation above and, on the last rows, what the person is typing. */
export interface Screen {
  /** Shows a piece of the conversation, which `layout` made; the prompt makes way and comes back below it. */
  print(text: string): void;
  /** A line was entered: what is printed next stands below it. */
  lineEntered(): void;
  /** Turns in place of the prompt's sign while the agent works. */
  spin(isWorking: boolean): void;
  /** Takes the prompt away for good; what comes after is printed all the same. */
  close(): void;
}

interface ScreenParts {
  readonly io: Pick<Io, "stdout">;
  readonly prompt: Prompt;
  readonly layout: Layout;
  readonly clock: Clock;
}

/**
 * For a terminal on which the cursor can be moved. Between two calls the cursor stands in a row of its own, the prompt's,
 * also while a line of the conversation is open in the row above: the next piece goes on there.
 */
export const screenOn = ({ io, prompt, layout, clock }: ScreenParts): Screen => {
  const { stdout } = io;
  /** The column at which the open line above the prompt goes on; undefined when there is none. */
  let openAt: number | undefined;
  let timer: unknown;

  const backToOpenLine = (): void => {
    if (openAt === undefined) return;
    moveCursor(stdout, 0, -1);
    cursorTo(stdout, openAt);
    openAt = undefined;
  };
  const turn = (frame: number): void => {
    prompt.sign(frames[frame % frames.length] ?? usualSign);
    timer = clock.setTimeout(() => turn(frame + 1), frameTime);
  };
  const spin = (isWorking: boolean): void => {
    if (isWorking === (timer !== undefined)) return;
    if (isWorking) turn(0);
    else {
      clock.clearTimeout(timer);
      timer = undefined;
      prompt.sign(usualSign);
    }
  };
  return {
    spin,
    print(text) {
      if (text === "") return;
      prompt.hide();
      backToOpenLine();
      stdout.write(text);
      if (layout.column > 0) {
        stdout.write("\n");
        openAt = layout.column;
      }
      prompt.show();
    },
    lineEntered() {
      openAt = undefined;
      layout.lineEnded();
    },
    close() {
      spin(false);
      prompt.close();
    },
  };
};

/** For an output that is no such terminal: pieces as they come, and the prompt between the lines. */
export const plainScreen = ({ io, prompt, layout }: Omit<ScreenParts, "clock">): Screen => ({
  spin: (isWorking) => {
    if (!isWorking && layout.column === 0) prompt.show();
  },
  print(text) {
    if (text === "") return;
    prompt.hide();
    io.stdout.write(text);
    if (layout.column === 0) prompt.show();
  },
  lineEntered: () => {},
  close: () => prompt.close(),
});
