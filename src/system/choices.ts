import type { ThreadId } from "../../machines/history/ids.ts";
import { type Choice, chosenOf, isOpen } from "../../machines/thread/choice.ts";
import { ChoiceClosedError, NoSuchChoiceError } from "../errors.ts";
import type { Resident } from "../thread/resident.ts";
import { type AnswerOptions, answerFor, threadOfChoice } from "../tool/answer.ts";

interface ChoiceDependencies {
  readonly deliver: (envelope: unknown) => Promise<boolean>;
  readonly freshId: () => string;
  readonly load: (threadId: ThreadId) => Promise<Resident | undefined>;
}

/** The questions of a thread that nobody has answered, with `tree` also those of the threads below it, nearest first. */
export const openChoices = async (
  threadId: ThreadId,
  { load }: Pick<ChoiceDependencies, "load">,
  { tree = false } = {},
): Promise<readonly Choice[]> => {
  const open: Choice[] = [];
  const next = [threadId];
  for (const id of next) {
    const ledger = (await load(id))?.snapshot.context;
    if (!ledger) continue;
    open.push(...ledger.choices.filter(isOpen));
    if (tree) next.push(...ledger.children.map((child) => child.threadId));
  }
  return open;
};

const closed = ({ choiceId, choices, answer }: Choice): ChoiceClosedError => {
  const by = answer?.by ? ` by ${answer.by}` : "";
  const how = answer?.expired ? "ran out; taken was" : `was answered${by} with`;
  return new ChoiceClosedError(choiceId, `it ${how} ${JSON.stringify(choices[answer?.index ?? 0])}.`);
};

/** See `Thread.answer`. Children and grandchildren are answered through any thread above them, and through no other. */
export const answerChoice = async (
  above: ThreadId,
  { deliver, freshId, load }: ChoiceDependencies,
  choiceId: string,
  choice: number | string,
  options: AnswerOptions = {},
): Promise<boolean> => {
  const asker = threadOfChoice(choiceId);
  const resident = asker && (await load(asker));
  const isOurs = resident && (asker === above || resident.loaded.opening?.stack.includes(above));
  const find = () => resident?.snapshot.context.choices.find((other) => other.choiceId === choiceId);
  const open = isOurs ? find() : undefined;
  if (!open)
    throw new ChoiceClosedError(choiceId, `no call of thread ${above}, or of one below it, waits for an answer to it.`);
  if (!isOpen(open)) throw closed(open);
  const index = chosenOf(open, choice);
  if (index === undefined) throw new NoSuchChoiceError(choiceId, JSON.stringify(choice), open.choices);
  const { id = freshId() } = options;
  const fresh = await deliver(answerFor(choiceId, index, { ...options, id }));
  // Two may answer at the same moment: the one who was second is told so.
  const now = find();
  const { by = null } = options;
  if (fresh && now && !isOpen(now) && (now.answer?.index !== index || now.answer.by !== by)) throw closed(now);
  return fresh;
};
