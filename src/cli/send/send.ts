import type { Clock } from "../../clock.ts";
import { InputRefusedError } from "../../errors.ts";
import { createSender } from "../../queue/sender.ts";
import type { LeaseHolder, SharedStore } from "../../store/store.ts";
import { defaultLimits } from "../../system/limits.ts";
import { noThread, threadIdOf } from "../close-ids.ts";
import { exitCodes } from "../exit-codes.ts";
import { type Io, notice } from "../io.ts";
import { jsonText, outputOf } from "../output.ts";
import { oneLine } from "../run/terminal-text.ts";
import { runnerName, runnerOf } from "../runner.ts";
import { textToSend } from "./text.ts";

export interface SendOptions {
  readonly db: string;
  readonly thread: string;
  /** The words of the text; `-` alone is standard input. */
  readonly words: readonly string[];
  /** The same id again is dropped (R2). Default: a fresh one. */
  readonly id?: string;
  readonly whileBusy: "wait" | "interrupt";
  readonly json: boolean;
}

/**
 * Puts a text into a thread's inbox, whoever runs the thread and whenever, and says what came of it once that is durable.
 * Resolves to the exit code: 1 when the text was not accepted. Throws ThreadIdError, OptionError.
 */
export const sendText = async (store: SharedStore, options: SendOptions, io: Io, clock: Clock): Promise<number> => {
  const { db, words, id = crypto.randomUUID(), whileBusy, json } = options;
  const threadId = threadIdOf(options.thread);
  const sender = createSender(store, { clock });
  try {
    const text = await textToSend(words, io, threadId, defaultLimits.inputSize);
    const isNew = await sender.send({ threadId, dedupId: id, input: { kind: "text", text, whileBusy } });
    const runner = await runnerOf(store, clock.now());
    const output = outputOf(io);
    await output.write(json ? `${jsonText({ threadId, id, isNew, runner })}\n` : `${outcomeText(isNew, id, runner)}\n`);
    return output.code(exitCodes.done);
  } catch (error) {
    if (!(error instanceof InputRefusedError)) throw error;
    const isThere = (await store.load(threadId)) !== undefined;
    notice(io, isThere ? error.message : `not sent: ${await noThread(store, threadId, db)}`);
    return exitCodes.failed;
  } finally {
    await sender.stop();
  }
};

const outcomeText = (isNew: boolean, id: string, runner: LeaseHolder | null): string => {
  const said = isNew ? `accepted as ${oneLine(id)}` : `seen before as ${oneLine(id)}, nothing was added`;
  if (runner) return `${said}; ${runnerName(runner)} runs this database`;
  return `${said}; nobody runs this database now${isNew ? ", it waits" : ""}`;
};
