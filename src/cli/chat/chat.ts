import { consoleLogger } from "../../logger.ts";
import { flushed, type Io } from "../io.ts";
import { endingOf } from "../run/ending.ts";
import { goOnWith } from "../run/introduce.ts";
import { converse } from "../run/run.ts";
import { openSession, type Parts, type SessionOptions } from "../run/session.ts";
import { talkAt } from "./talk.ts";
import { type Terminal, terminalOn } from "./terminal.ts";

/**
 * A conversation with one thread, until the person leaves or something from outside ends it; resolves to the exit code.
 * Somebody at a terminal is heard at once. What comes through a pipe is sent line by line, as `run` does it. Rejects with
 * WakefulError for what cannot work from the start.
 */
export const chat = async (options: SessionOptions, io: Io, parts: Parts): Promise<number> => {
  // Warnings of the runtime may come while somebody types, and must not write across what is there.
  let terminal: Terminal | undefined;
  const warn = (fields: object, message: string): void => {
    if (terminal) terminal.say(`warning: ${message} ${JSON.stringify(fields)}`);
    else consoleLogger.warn(fields, message);
  };
  const logger = { ...consoleLogger, warn, error: warn };

  const session = await openSession(options, { env: io.env, logger }, parts);
  const ending = endingOf(io, {
    clock: parts.clock,
    seconds: options.for,
    signals: io.stdin.isTTY ? ["SIGINT", "SIGTERM", "SIGHUP"] : ["SIGINT", "SIGTERM"],
    ...(io.stdin.isTTY && { say: (text) => terminal?.say(text) }),
  });
  try {
    if (!io.stdin.isTTY)
      return await converse(
        session,
        { words: [], json: options.json, yes: options.yes ?? false },
        { io, ending, talk: { thoughts: false } },
      );
    terminal = terminalOn(io, session, options.json, parts.clock);
    return await talkAt(terminal, session, ending);
  } finally {
    await session.close();
    await flushed(io.stdout);
    ending.release();
    goOnWith(session, "chat", options, io);
  }
};
