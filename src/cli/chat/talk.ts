import type { ThreadState } from "../../../machines/thread/commit.ts";
import { SystemStoppedError } from "../../errors.ts";
import type { Thread } from "../../system/api.ts";
import { exitCodes } from "../exit-codes.ts";
import type { Ending } from "../run/ending.ts";
import { thingsToTry } from "../run/introduce.ts";
import { sent } from "../run/line-queue.ts";
import { answeredBy } from "../run/questions.ts";
import type { Session } from "../run/session.ts";
import type { Keys, Terminal } from "./terminal.ts";

/** There is something that an interrupt would stop. */
const isWorking = (state: ThreadState): boolean => state === "running" || state === "awaitingActiveCall";

/**
 * Ctrl-C: the first interrupts, the second leaves. What counts as the second is over once the person types, or the agent
 * begins something new after it came to rest.
 */
const interrupting = (
  thread: Thread,
  terminal: Terminal,
  ending: Ending,
): Keys & { moved(state: ThreadState): void } => {
  let isSecond = false;
  let hasRested = false;
  return {
    onInterrupt() {
      if (isSecond) return ending.end(exitCodes.done);
      isSecond = true;
      hasRested = !isWorking(thread.state);
      if (hasRested) return terminal.say("Nothing to interrupt. Ctrl-C once more leaves.");
      thread.interrupt().catch((error: Error) => terminal.say(`not interrupted: ${error.message}`));
    },
    onKey() {
      isSecond = false;
    },
    moved(state) {
      if (!isWorking(state)) hasRested = true;
      else if (hasRested) isSecond = false;
    },
  };
};

/** Sends what the person types, at once; it interrupts what the agent does. Resolves when the person is done. */
const sendTyped = async (thread: Thread, terminal: Terminal, ending: Ending): Promise<void> => {
  for await (const line of terminal.lines) {
    if (ending.signal.aborted) return;
    if (!("text" in line) || line.text.trim() === "") continue;
    if (await answeredBy(thread, line.text).catch((error: Error) => failed(error, terminal))) continue;
    const reason = await sent(thread, line);
    if (reason !== undefined) terminal.say(`not sent: ${reason}`);
  }
  ending.end(exitCodes.done);
};

/** The line was meant as an answer, and came too late to be one: it is no text for the agent either. */
const failed = (error: Error, terminal: Terminal): true => {
  terminal.say(`not answered: ${error.message}`);
  return true;
};

/** A talk with somebody at a terminal. Resolves to the exit code; the system still runs then. */
export const talkAt = async (terminal: Terminal, session: Session, ending: Ending): Promise<number> => {
  const { thread } = session;
  const keys = interrupting(thread, terminal, ending);
  terminal.listen(keys);
  if (session.model.notice) terminal.say(session.model.notice);
  if (session.model.isDemo && !session.goesOn) terminal.say(`Try: ${thingsToTry(session).join(" · ")}`);
  terminal.say("Ctrl-C interrupts, twice leaves; Ctrl-D leaves.");
  if (session.goesOn) terminal.recall(await thread.history());

  thread.treeUpdates$.subscribe({
    next: terminal.tell,
    // Told to stop from elsewhere: the logger has said why.
    complete: () => ending.end(exitCodes.failed),
  });
  thread.state$.subscribe((state) => {
    keys.moved(state);
    if (!ending.signal.aborted) terminal.spin(isWorking(state));
  });
  const typing = sendTyped(thread, terminal, ending).catch((error) => {
    if (!(error instanceof SystemStoppedError)) throw error;
  });
  try {
    return await Promise.race([ending.code, typing.then(() => ending.code)]);
  } finally {
    terminal.close();
  }
};
