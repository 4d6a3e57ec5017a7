import type { ThreadId } from "../../../machines/history/ids.ts";
import { type Choice, isOpen } from "../../../machines/thread/choice.ts";
import type { Clock } from "../../clock.ts";
import { createSender } from "../../queue/sender.ts";
import type { SharedStore } from "../../store/store.ts";
import { answerFor, threadOfChoice } from "../../tool/answer.ts";
import { exitCodes } from "../exit-codes.ts";
import { type Io, notice } from "../io.ts";
import { fromNow } from "../moments.ts";
import { jsonText, outputOf } from "../output.ts";
import { meantBy, offered } from "../run/questions.ts";
import { oneLine } from "../run/terminal-text.ts";
import { runnerName, runnerOf } from "../runner.ts";

export interface AnswerOptions {
  readonly db: string;
  /** The id of a question; none: those that are open are listed. */
  readonly question?: string;
  readonly choice?: string;
  readonly by?: string;
  readonly reason?: string;
  readonly id?: string;
  readonly json: boolean;
}

const page = 200;

/** Open questions of all threads, by thread. A thread with one waits for an active call. */
async function* openQuestions(store: SharedStore): AsyncGenerator<{ threadId: ThreadId; choice: Choice }> {
  for (let after: ThreadId | undefined; ; ) {
    const threads = await store.threads({
      state: "awaitingActiveCall",
      limit: page,
      ...(after !== undefined && { after }),
    });
    for (const { threadId } of threads)
      for (const choice of (await store.load(threadId))?.choices ?? []) if (isOpen(choice)) yield { threadId, choice };
    after = threads.at(-1)?.threadId;
    if (threads.length < page) return;
  }
}

const listed = async (store: SharedStore, json: boolean, io: Io, clock: Clock): Promise<number> => {
  const output = outputOf(io);
  let count = 0;
  for await (const { threadId, choice } of openQuestions(store)) {
    const { choiceId, prompt, expiresAt } = choice;
    const ends = expiresAt === null ? "" : `, runs out ${fromNow(expiresAt, clock.now())}`;
    const text = json
      ? jsonText({ threadId, ...choice })
      : `${choiceId}${ends}\n  ${oneLine(prompt)}\n  ${offered(choice)}`;
    count++;
    if (!(await output.write(`${text}\n`))) break;
  }
  if (count === 0 && !json) await output.write("No question is open.\n");
  return output.code(exitCodes.done);
};

/** Why a question takes no such answer; undefined when it does. */
const problemOf = (found: Choice | undefined, choice: string): string | undefined => {
  if (!found) return "it was never asked, its call has ended, or its id is another";
  if (!isOpen(found)) return `it was answered with ${JSON.stringify(found.choices[found.answer?.index ?? 0])}`;
  return meantBy(choice, found) ? undefined : `it has no choice ${JSON.stringify(choice)}; it offers ${offered(found)}`;
};

/**
 * Lists open questions, or answers one, whoever runs the threads and whenever. Resolves to the exit code: 1 when the
 * question takes no such answer.
 */
export const answerQuestion = async (
  store: SharedStore,
  options: AnswerOptions,
  io: Io,
  clock: Clock,
): Promise<number> => {
  const { question, choice = "", by, reason, id = crypto.randomUUID(), json } = options;
  if (question === undefined) return listed(store, json, io, clock);
  const threadId = threadOfChoice(question);
  const found = threadId && (await store.load(threadId))?.choices.find(({ choiceId }) => choiceId === question);
  const problem = problemOf(found, choice);
  const meant = found && meantBy(choice, found);
  if (problem !== undefined || !found || !meant) {
    notice(
      io,
      `question ${question} was not answered: ${problem}. wakeful answer --db ${options.db} lists those that are open.`,
    );
    return exitCodes.failed;
  }
  const because = reason ?? meant.reason;
  const sender = createSender(store, { clock });
  try {
    const given = { id, ...(by !== undefined && { by }), ...(because !== undefined && { reason: because }) };
    const isNew = await sender.send(answerFor(question, meant.index, given));
    const runner = await runnerOf(store, clock.now());
    const chosen = found.choices[meant.index] ?? "";
    const where = runner ? `${runnerName(runner)} runs this database` : "nobody runs this database now, it waits";
    const said = isNew ? `answered: ${oneLine(chosen)}` : `seen before as ${oneLine(id)}, nothing was added`;
    const output = outputOf(io);
    await output.write(
      json ? `${jsonText({ threadId, question, choice: chosen, id, isNew, runner })}\n` : `${said}; ${where}\n`,
    );
    return output.code(exitCodes.done);
  } finally {
    await sender.stop();
  }
};
