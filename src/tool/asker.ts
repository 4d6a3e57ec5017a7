import type { ThreadId } from "../../machines/history/ids.ts";
import type { Choice, ChoiceAnswer } from "../../machines/thread/choice.ts";
import { QuestionError } from "../errors.ts";
import type { CallAddress } from "./address.ts";
import type { Outbox } from "./outbox.ts";
import { answerOf, choiceIdOf, type Question, type QuestionAnswer, questionEnvelope } from "./question.ts";

/** The questions of one call whose tool works in this process. */
export interface Asker {
  ask(question: Question): Promise<QuestionAnswer>;
  /** The answer is durable: whoever waits for it has it. */
  answered(choiceId: string, choices: readonly string[], answer: ChoiceAnswer): void;
}

export interface AskerParts extends CallAddress {
  readonly outbox: Outbox;
  readonly signal: AbortSignal;
  /** The question as its thread knows it; undefined when it was not asked yet. */
  readonly choice: (threadId: ThreadId, choiceId: string) => Promise<Choice | undefined>;
}

/**
 * A question of a call that begins again after a restart is found by its key: open, it is waited for, answered, its answer
 * is given. One that is new is durable before anybody waits for it.
 */
export const createAsker = ({ threadId, callId, outbox, signal, choice }: AskerParts): Asker => {
  const waiting = new Map<string, PromiseWithResolvers<QuestionAnswer>>();
  let asked = 0;

  const begin = async (choiceId: string, question: Question): Promise<void> => {
    const envelope = questionEnvelope({ threadId, callId }, choiceId, "ask", question);
    const found = await choice(threadId, choiceId);
    if (found?.answer) return waiting.get(choiceId)?.resolve(answerOf(found.choices, found.answer));
    if (found) return;
    const sent = await outbox.send(envelope);
    if (sent.status === "refused") throw new QuestionError(sent.reason);
  };

  return {
    async ask(question) {
      if (signal.aborted) throw signal.reason;
      const key = question.key ?? String(++asked);
      const choiceId = choiceIdOf(callId, String(key));
      const known = waiting.get(choiceId);
      if (known) return known.promise;
      const answer = Promise.withResolvers<QuestionAnswer>();
      waiting.set(choiceId, answer);
      const stop = () => answer.reject(signal.reason);
      signal.addEventListener("abort", stop, { once: true });
      try {
        await Promise.race([begin(choiceId, question), answer.promise]);
        return await answer.promise;
      } catch (error) {
        waiting.delete(choiceId);
        // Nobody waits any more: what comes is not an error that nobody handled.
        answer.promise.catch(() => {});
        throw error;
      } finally {
        signal.removeEventListener("abort", stop);
      }
    },
    answered: (choiceId, choices, answer) => waiting.get(choiceId)?.resolve(answerOf(choices, answer)),
  };
};
