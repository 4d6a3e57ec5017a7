import { OptionError } from "../../errors.ts";
import { consoleLogger } from "../../logger.ts";
import { defaultLimits } from "../../system/limits.ts";
import { exitCodes } from "../exit-codes.ts";
import { flushed, type Io, notice } from "../io.ts";
import { type Ending, endingOf } from "./ending.ts";
import { goOnWith, introduce } from "./introduce.ts";
import { sendLines } from "./line-queue.ts";
import { type Line, linesOf } from "./lines.ts";
import { paintFor } from "./paint.ts";
import { type Prompt, promptOn } from "./prompt.ts";
import { answerUnattended } from "./questions.ts";
import { isStuck } from "./rest.ts";
import { openSession, type Parts, type Session, type SessionOptions } from "./session.ts";
import { oneLine } from "./terminal-text.ts";
import { jsonTranscript, type TranscriptOptions } from "./transcript.ts";
import { treeTranscript } from "./tree-transcript.ts";

export interface RunOptions extends SessionOptions {
  /** The words of one text to send; none: lines are read from stdin. */
  readonly words: readonly string[];
}

/**
 * Sends lines to one thread, prints what happens, and resolves to the exit code once the lines are at an end and the
 * thread and those below it are over, or something from outside ended it. Rejects with WakefulError for what cannot work from the start.
 */
export const run = async (options: RunOptions, io: Io, parts: Parts): Promise<number> => {
  const { words } = options;
  if (words.length > 0 && words.every((word) => word.trim() === ""))
    throw new OptionError("TEXT", "is blank; say something");
  const session = await openSession(options, { env: io.env, logger: consoleLogger }, parts);
  const ending = endingOf(io, { clock: parts.clock, seconds: options.for });
  try {
    const prompt = words.length === 0 && io.stdin.isTTY ? promptFor(io, ending) : undefined;
    return await converse(session, options, { io, ending, prompt });
  } finally {
    await session.close();
    ending.release();
    if (options.thread === undefined) goOnWith(session, "run", options, io);
  }
};

const promptFor = (io: Io, ending: Ending): Prompt => promptOn(io, { onInterrupt: () => ending.interrupt("SIGINT") });

interface Place {
  readonly io: Io;
  readonly ending: Ending;
  readonly prompt?: Prompt | undefined;
  readonly talk?: TranscriptOptions["talk"];
}

/** Sends each line once the work on the one before is done. `talk`: as in the transcript. */
export const converse = async (
  session: Session,
  { words, json, yes = false }: Pick<RunOptions, "words" | "json" | "yes">,
  { io, ending, prompt, talk }: Place,
): Promise<number> => {
  const { thread } = session;
  introduce(session, io, prompt && "Ctrl-D ends");
  print(session, json, { io, ending, prompt, talk });
  thread.treeUpdates$.subscribe(answerUnattended(thread, { yes, say: (text) => notice(io, text) }));
  const sending = sendLines({
    thread,
    family: session.family,
    lines: prompt?.lines ?? (words.length > 0 ? oneLineOf(words) : linesOf(io.stdin, defaultLimits.inputSize)),
    onRefused: ({ number }, reason) => notice(io, `line ${number} was not sent: ${oneLine(reason)}`),
    signal: ending.signal,
  });
  try {
    const outcome = await Promise.race([ending.code, sending]);
    // An error of the last write is told after it.
    await flushed(io.stdout);
    if (ending.signal.aborted || typeof outcome === "number") return await ending.code;
    if (!isStuck(thread.view())) return outcome ? exitCodes.done : exitCodes.failed;
    notice(io, "the input is at an end, and the thread waits for something that only another input could bring.");
    return exitCodes.stuck;
  } finally {
    prompt?.close();
  }
};

async function* oneLineOf(words: readonly string[]): AsyncGenerator<Line> {
  yield { number: 1, text: words.join(" ") };
}

/** Writes what happens in a thread and below it, as it happens, until the system stops. */
const print = ({ thread }: Session, json: boolean, { io, prompt, talk }: Place): void => {
  const transcript = json
    ? jsonTranscript()
    : treeTranscript({
        threadId: thread.id,
        paint: paintFor(io),
        echo: !prompt,
        view: thread.view(),
        ...(talk && { talk }),
      });
  const atRest = () => {
    if (!transcript.midLine && thread.state !== "running") prompt?.show();
  };
  thread.treeUpdates$.subscribe((update) => {
    const text = transcript.next(update);
    if (text === "") return;
    prompt?.hide();
    io.stdout.write(text);
    atRest();
  });
  // What tells of a state comes before the thread is in it.
  thread.state$.subscribe(atRest);
};
