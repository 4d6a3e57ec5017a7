import { alwaysApprove, chosenOf, deny } from "../../../../machines/thread/choice.ts";
import type { ThreadCommit } from "../../../../machines/thread/commit.ts";
import type { Page } from "../record.ts";
import { guarded } from "../tools.ts";
import type { World } from "../world.ts";

/** R7: a call of a guarded tool is let through by an answer that says so, or by an earlier one that said so for good. */
export const faultsOfApprovals = (world: World, commit: ThreadCommit, before: Page): string[] => {
  const { threadId, calls, consumed, choices, record } = commit;
  const { asked, allowed } = world.record.questions;
  const faults: string[] = [];
  for (const { callId, name, status } of calls.made)
    if (guarded.has(name) && status !== "proposed" && !allowed.has(`${threadId} ${name}`))
      faults.push(`R7: ${callId} is made of ${name}, and nobody is asked`);
  const answers = consumed.flatMap((seq) => {
    const input = before.inbox.get(seq)?.input;
    return input?.kind === "answer" ? [input] : [];
  });
  for (const callId of calls.approved ?? []) {
    const question = asked.get(callId);
    const said = answers.flatMap((input) =>
      question && input.choiceId === callId ? [chosenOf(question.choice, input.choice)] : [],
    );
    if (!said.some((index) => index !== undefined && index !== deny))
      faults.push(`R7: ${callId} is approved, and nobody approved it`);
    if (!before.calls.has(callId)) faults.push(`R7: ${callId} is approved, and is not outstanding`);
  }
  for (const { choiceId, answer } of choices?.moved ?? []) {
    const question = asked.get(choiceId);
    if (question?.answer) faults.push(`R2: ${choiceId} is answered twice`);
    // A denial waits on for the results beside it.
    const said = [...before.inbox.values()].some(({ input }) => input.kind === "answer" && input.by === answer?.by);
    if (answer && !answer.expired && !said) faults.push(`${choiceId} is answered by ${answer.by}, who said nothing`);
  }
  for (const name of record?.allowed ?? []) {
    const isNew = !allowed.has(`${threadId} ${name}`);
    const isSaid = choices?.moved.some(
      ({ callId, answer }) => answer?.index === alwaysApprove && before.calls.get(callId)?.name === name,
    );
    if (isNew && !isSaid) faults.push(`R7: ${name} is approved for good in ${threadId}, and nobody said so`);
  }
  return faults;
};

/** R9: what a tool asked and somebody answered has reached the tool, as it was answered. */
export const faultsOfAskers = ({ record, main }: World): string[] => {
  const { asked, askers } = record.questions;
  const byPrompt = new Map([...asked.values()].map((question) => [question.choice.prompt, question]));
  return askers.flatMap(({ life, threadId, callId, prompt, heard, refused }) => {
    const question = byPrompt.get(prompt);
    const answer = question?.answer ?? null;
    if (heard) {
      const isSame = answer && answer.index === heard.index && (answer.by ?? undefined) === heard.by;
      return isSame ? [] : [`R2: ${callId} heard ${heard.choice} of ${heard.by}, which is not what is stored`];
    }
    const waits = life === main && !refused && record.page(threadId).calls.has(callId);
    if (waits && answer) return [`R9: the answer to ${question?.choice.choiceId} does not reach its tool`];
    return waits && !question ? [`R1: ${callId} waits for an answer to what nobody was asked`] : [];
  });
};

/** R9: each question was told once, and ended once. */
export const faultsOfQuestions = ({ record }: World): string[] =>
  [...record.questions.asked.values()].flatMap(({ choice, threadId, opened, closed }) => {
    const { choiceId } = choice;
    if (opened !== 1) return [`the question ${choiceId} of ${threadId} was told ${opened} times`];
    const isOver = record.page(threadId).state === "closed" || !record.page(threadId).calls.has(choice.callId);
    if (closed > 1) return [`R2: the question ${choiceId} of ${threadId} ended ${closed} times`];
    return isOver && closed === 0 ? [`R9: the question ${choiceId} of ${threadId} has not ended`] : [];
  });
