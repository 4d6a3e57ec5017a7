import { styleText } from "node:util";
import type { Io } from "../io.ts";

/** What a line of the transcript is about. */
export type Kind = "user" | "call" | "result" | "error" | "event" | "state" | "note" | "failure" | "thought" | "speech";

export type Paint = (kind: Kind, text: string) => string;

const styles = {
  user: "bold",
  call: "cyan",
  result: "green",
  error: "red",
  event: "magenta",
  state: "dim",
  note: "dim",
  failure: ["red", "bold"],
  thought: "dim",
} as const satisfies Record<Exclude<Kind, "speech">, Parameters<typeof styleText>[0] | readonly string[]>;

const plain: Paint = (_, text) => text;
const coloured: Paint = (kind, text) =>
  text === "" || kind === "speech" ? text : styleText([styles[kind]].flat(), text, { validateStream: false });

/** Colour on a terminal only, and not where NO_COLOR is set or the terminal has none. */
export const paintFor = ({ stdout, env }: Pick<Io, "stdout" | "env">): Paint =>
  stdout.isTTY && !env.NO_COLOR && env.TERM !== "dumb" ? coloured : plain;
