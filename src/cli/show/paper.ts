import { wrapped } from "../columns.ts";
import { terminalText } from "../run/terminal-text.ts";

/** Lines and characters of one text that people are shown. */
const most = { lines: 20, characters: 1_500 };

const grouped = (count: number): string => count.toLocaleString("en-US");

/** A text that says what it says and does nothing to the terminal, or its beginning and how much of it was left out. */
export const shortText = (text: string): string => {
  const whole = terminalText(text).trimEnd();
  const lines = whole.split("\n");
  const few = lines.length > most.lines + 1 ? lines.slice(0, most.lines).join("\n") : whole;
  const shown =
    few.length > most.characters * 1.1 ? few.slice(0, most.characters).replace(/[\ud800-\udbff]$/, "") : few;
  const left = whole.length - shown.length;
  return left > 0 ? `${shown}…\n[${grouped(left)} more characters: --json has them]` : shown;
};

/** The same on one line. */
export const shortLine = (text: string): string => shortText(text.replace(/\s+/g, " ").trim());

/** What is written for people: lines no wider than `columns`, each text indented by two blanks a step. */
export interface Paper {
  /** Adds a text, which may have several lines. It is taken as it is: what others wrote goes through `shortText` first. */
  add(text: string, steps?: number): void;
  /** Adds a name and what it stands for, side by side where there is room for that. */
  fact(name: string, text: string): void;
  blank(): void;
  /** What was added since the last call. */
  take(): string;
}

const nameWidth = 14;

export const paperOf = (columns: number): Paper => {
  let lines: string[] = [];
  const add = (text: string, steps = 0): void => {
    lines.push(...wrapped(text, columns, "  ".repeat(steps)));
  };
  return {
    add,
    fact(name, text) {
      if (columns < nameWidth * 3) {
        add(name);
        add(text, 1);
        return;
      }
      const [first = "", ...rest] = wrapped(text, columns, " ".repeat(nameWidth));
      lines.push(`${name.padEnd(nameWidth)}${first.slice(nameWidth)}`.trimEnd(), ...rest);
    },
    blank: () => void lines.push(""),
    take() {
      const text = lines.map((line) => `${line}\n`).join("");
      lines = [];
      return text;
    },
  };
};
