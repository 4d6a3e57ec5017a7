import { suggestions } from "../../model/demo/suggest.ts";
import { builtinTools } from "../../tool/builtin/index.ts";
import { type Io, notice } from "../io.ts";
import type { Session, SessionOptions } from "./session.ts";

/** Three things that the demo model understands, with the tools there are. */
export const thingsToTry = ({ tools }: Pick<Session, "tools">): string[] =>
  suggestions(new Set([...tools, ...builtinTools].map(({ name }) => name))).slice(0, 3);

/** Says why it is this model, and to somebody at a prompt what to try with it. `how`: how to end. */
export const introduce = (session: Session, io: Pick<Io, "stderr">, how: string | undefined): void => {
  if (session.model.notice) notice(io, session.model.notice);
  if (how === undefined || !session.model.isDemo) return;
  const tries = thingsToTry(session).map((text) => `  ${text}\n`);
  io.stderr.write(`Things to try (${how}):\n${tries.join("")}`);
};

/** A word as a shell takes it. */
const quoted = (word: string): string => (/^[\w./:@=+-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`);

/** How to go on with the thread tomorrow; undefined when it ends with the program. */
export const commandToGoOn = (
  { thread }: Pick<Session, "thread">,
  command: string,
  { db, model, tools }: Pick<SessionOptions, "db" | "model" | "tools">,
): string | undefined => {
  if (db === undefined || db === ":memory:") return undefined;
  const flags = [
    ["--db", db],
    ["--thread", thread.id],
    ...(model === undefined ? [] : [["--model", model]]),
    ...tools.map((file) => ["--tools", file]),
  ].flat();
  return ["wakeful", command, ...flags].map(quoted).join(" ");
};

export const goOnWith = (session: Session, command: string, options: SessionOptions, io: Pick<Io, "stderr">): void => {
  const line = commandToGoOn(session, command, options);
  if (line !== undefined) notice(io, `to go on with this thread: ${line}`);
};
