import type { Observable } from "rxjs";
import type { Input } from "../../machines/thread/input.ts";
import { AnswerInterruptedError, SystemStoppedError, ThreadFailedError } from "../errors.ts";
import type { Update } from "../thread/update.ts";

/** The answer to one text, found in what a thread publishes. */
export interface AwaitedAnswer {
  readonly answer: Promise<string>;
  /** Stops listening; the promise stays open. */
  forget(): void;
}

/**
 * Listens for the answer to the text that `dedupId` names: the visible text of the last turn, once a slice ends with no
 * active call outstanding. `waits` says whether the text is still in the inbox. Rejects with ThreadFailedError when a round or a limit failed, with AnswerInterruptedError
 * when another text or an interrupt came first. Subscribe before the text is sent.
 */
export const awaitAnswer = (
  updates: Observable<Update>,
  { threadId, dedupId, sender, waits }: { threadId: string; dedupId: string; sender: string; waits: () => boolean },
): AwaitedAnswer => {
  let accepted = false;
  let begun = false;
  let text = "";
  /** Nothing was settled since the model spoke. */
  let isLast = false;
  let settle: { resolve(text: string): void; reject(error: Error): void };
  const answer = new Promise<string>((resolve, reject) => {
    settle = { resolve, reject };
  });
  const isMine = ({ dedupId: id, input }: { dedupId: string; input: Input }): boolean =>
    id === dedupId && input.kind === "text" && input.sender === sender;
  const done = (end: () => void) => {
    subscription.unsubscribe();
    end();
  };
  const subscription = updates.subscribe({
    next(update) {
      if (update.type === "round.started") {
        const texts = update.inputs.filter(({ input }) => input.kind === "text");
        const mine = texts.some((waiting) => isMine(waiting));
        if (begun && !mine && texts.length > 0)
          done(() => settle.reject(new AnswerInterruptedError(threadId, "another text came before the answer")));
        begun ||= mine;
      }
      if (update.type === "input.accepted" && isMine(update)) accepted = true;
      if (!begun) {
        // The budget is used up: the text went into the history, and the model was not asked.
        if (update.type === "failure" && update.code === "BUDGET_REACHED" && accepted && !waits())
          done(() => settle.reject(new ThreadFailedError(threadId, update.code, update.message)));
        // A slice that was stopped before its round took the text into the history without asking the model.
        if (update.type === "slice.ended" && accepted && !waits())
          done(() => settle.reject(new AnswerInterruptedError(threadId, "the slice was stopped before its round")));
        return;
      }
      if (update.type === "failure" && update.code !== "TOOL_FAILED")
        done(() => settle.reject(new ThreadFailedError(threadId, update.code, update.message)));
      else if (update.type === "round.ended" && update.outcome === "cut")
        done(() => settle.reject(new AnswerInterruptedError(threadId, "the round was cut short")));
      else if (update.type === "round.ended") {
        text = update.text;
        isLast = true;
      } else if (update.type === "call.settled") isLast = false;
      else if (update.type === "slice.ended" && update.state !== "awaitingActiveCall")
        // The model has not read what came after its last words: somebody stopped it.
        done(() =>
          isLast
            ? settle.resolve(text)
            : settle.reject(new AnswerInterruptedError(threadId, "the work was stopped before the model had read it")),
        );
    },
    complete: () => settle.reject(new SystemStoppedError("the answer was waited for")),
  });
  return { answer, forget: () => subscription.unsubscribe() };
};
