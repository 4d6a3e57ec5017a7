import type { Clock } from "../../clock.ts";
import type { Update } from "../../thread/update.ts";
import type { Io } from "../io.ts";
import { asItComes } from "../run/layout.ts";
import { paintFor } from "../run/paint.ts";
import { type Prompt, promptOn } from "../run/prompt.ts";
import type { Session } from "../run/session.ts";
import { terminalText } from "../run/terminal-text.ts";
import { jsonTranscript } from "../run/transcript.ts";
import { treeTranscript } from "../run/tree-transcript.ts";
import { recalled } from "./recall.ts";
import { plainScreen, screenOn } from "./screen.ts";
import { wrapAt } from "./wrap.ts";

/** What the person does. */
export interface Keys {
  onInterrupt(): void;
  /** Any other key. */
  onKey(): void;
}

/** Where a person reads and types. */
export interface Terminal {
  readonly lines: Prompt["lines"];
  /** Shows what happened. */
  tell(update: Update): void;
  /** Says a line about the program itself. */
  say(text: string): void;
  /** Shows the last entries of a history, and how many there are. */
  recall(history: Awaited<ReturnType<Session["thread"]["history"]>>): void;
  spin(isWorking: boolean): void;
  /** Who hears of the keys from now on. */
  listen(keys: Keys): void;
  close(): void;
}

/** Whether the cursor can be moved on it, and both outputs are it. */
const canMove = ({ stdout, stderr, env }: Io): boolean =>
  stdout.isTTY === true && stderr.isTTY === true && env.TERM !== "dumb";

export const terminalOn = (io: Io, { thread }: Session, json: boolean, clock: Clock): Terminal => {
  const isRich = canMove(io) && !json;
  const layout = isRich ? wrapAt(() => io.stdout.columns) : asItComes();
  const paint = paintFor(io);
  const transcript = json
    ? jsonTranscript()
    : treeTranscript({
        threadId: thread.id,
        paint,
        layout,
        echo: false,
        talk: { thoughts: isRich },
        view: thread.view(),
      });
  let keys: Keys | undefined;
  const prompt = promptOn(io, {
    onInterrupt: () => keys?.onInterrupt(),
    onKey: () => keys?.onKey(),
    onEnter: () => screen.print(layout.flush()),
    onLine: () => screen.lineEntered(),
    joins: true,
  });
  const screen = isRich ? screenOn({ io, prompt, layout, clock }) : plainScreen({ io, prompt, layout });
  return {
    lines: prompt.lines,
    tell: (update) => screen.print(transcript.next(update)),
    say(text) {
      const lines = terminalText(text).split("\n");
      if (!isRich) return void io.stderr.write(lines.map((line) => `wakeful: ${line}\n`).join(""));
      const folded = lines.flatMap((line) => layout.fold(line, 0)).map((line) => paint("note", line));
      screen.print(`${layout.endLine()}${folded.join("\n")}\n`);
    },
    recall(history) {
      if (!json) screen.print(recalled(history, { paint, layout }));
    },
    spin: screen.spin,
    listen(listener) {
      keys = listener;
    },
    close: screen.close,
  };
};
