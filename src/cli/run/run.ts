import type { LanguageModelV4 } from "@ai-sdk/provider";
import { OptionError } from "../../errors.ts";
import { suggestions } from "../../model/demo/suggest.ts";
import type { System, SystemOptions, Thread } from "../../system/api.ts";
import { defaultLimits } from "../../system/limits.ts";
import { builtinTools } from "../../tool/builtin/index.ts";
import type { Tool } from "../../tool/define.ts";
import { exitCodes } from "../exit-codes.ts";
import { flushed, type Io, notice } from "../io.ts";
import { type Ending, endingOf } from "./ending.ts";
import { sendLines } from "./line-queue.ts";
import { type Line, linesOf } from "./lines.ts";
import { paintFor } from "./paint.ts";
import { type Prompt, promptOn } from "./prompt.ts";
import { isStuck } from "./rest.ts";
import { oneLine } from "./terminal-text.ts";
import { loadTools } from "./tools-file.ts";
import { jsonTranscript, plainTranscript } from "./transcript.ts";

export interface RunOptions {
  /** Paths of modules that export tools. */
  readonly tools: readonly string[];
  readonly instructions?: string;
  /** Print updates as JSON lines. */
  readonly json: boolean;
  /** The id of the thread; default: a fresh one. */
  readonly thread?: string;
  /** The words of one text to send; none: lines are read from stdin. */
  readonly words: readonly string[];
}

/** What a run is made with; tests put their own in. */
export interface RunParts {
  readonly createSystem: (options: SystemOptions) => Promise<System>;
  readonly model: () => LanguageModelV4;
}

/**
 * Sends lines to one thread, prints what happens, and resolves to the exit code once the lines are at an end and the
 * thread is over, or something from outside ended it. Rejects with WakefulError for what cannot work from the start.
 */
export const run = async (options: RunOptions, io: Io, parts: RunParts): Promise<number> => {
  const { words } = options;
  if (words.length > 0 && words.every((word) => word.trim() === ""))
    throw new OptionError("TEXT", "is blank; say something");
  const tools = await loadTools(options.tools);
  const ending = endingOf(io);
  try {
    const system = await parts.createSystem({ model: parts.model(), tools });
    try {
      return await converse(await threadOf(system, options), options, io, ending, tools);
    } finally {
      await system.stop();
    }
  } finally {
    ending.release();
  }
};

const threadOf = (system: System, { thread, instructions }: RunOptions): Promise<Thread> => {
  const spec = instructions === undefined ? {} : { instructions };
  return thread === undefined ? system.launch(spec) : system.open(thread, spec);
};

const converse = async (
  thread: Thread,
  { words, json }: RunOptions,
  io: Io,
  ending: Ending,
  tools: readonly Tool[],
): Promise<number> => {
  notice(io, "this is the demo model: a few rules, offline, no LLM.");
  const prompt = words.length === 0 && io.stdin.isTTY ? promptOn(io, () => ending.interrupt("SIGINT")) : undefined;
  if (prompt) introduce(io, tools);
  print(thread, io, json, prompt);
  const sending = sendLines({
    thread,
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

const introduce = ({ stderr }: Io, tools: readonly Tool[]): void => {
  const tries = suggestions(new Set([...tools, ...builtinTools].map(({ name }) => name))).slice(0, 3);
  stderr.write(`Things to try (Ctrl-D ends):\n${tries.map((text) => `  ${text}\n`).join("")}`);
};

/** Writes what happens in a thread, as it happens, until the system stops. */
const print = (thread: Thread, io: Io, json: boolean, prompt: Prompt | undefined): void => {
  const transcript = json ? jsonTranscript() : plainTranscript({ paint: paintFor(io), echo: !prompt });
  const atRest = () => {
    if (!transcript.midLine && thread.state !== "running") prompt?.show();
  };
  thread.updates$.subscribe((update) => {
    const text = transcript.next(update);
    if (text === "") return;
    prompt?.hide();
    io.stdout.write(text);
    atRest();
  });
  // What tells of a state comes before the thread is in it.
  thread.state$.subscribe(atRest);
};
