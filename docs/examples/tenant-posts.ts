import { existsSync, readFileSync, writeFileSync } from "node:fs";
import type { FeedItem, System } from "wakeful";

export interface Message {
  readonly text: string;
  /** One for each choice of a question. What comes back when one is pressed is its `question` and its `choice`. */
  readonly buttons?: readonly { readonly question: string; readonly choice: string }[];
}

/** Shows a message in a chat. The same key again is the same message: it is shown once. */
export type Post = (chat: string, message: Message, key: string) => Promise<void>;

/**
 * Posts what people should see, in order, until the system stops. What was posted and not noted when the process ended is
 * posted once more by the next one, under the same key.
 */
export const postAnswers = async (system: System, post: Post, cursorFile: string): Promise<void> => {
  const after = existsSync(cursorFile) ? Number(readFileSync(cursorFile, "utf8")) : 0;
  const types = ["round.ended", "choice.opened", "choice.closed", "input.discarded", "failure"] as const;
  for await (const fact of system.feed({ after, where: { types } })) {
    const message = messageOf(fact);
    if (message) await post(fact.threadId, message, String(fact.feed));
    writeFileSync(cursorFile, String(fact.feed), { flush: true });
  }
};

const messageOf = (fact: FeedItem): Message | undefined => {
  if (fact.type === "round.ended" && fact.text !== "") return { text: fact.text };
  if (fact.type === "choice.opened")
    return { text: fact.prompt, buttons: fact.choices.map((choice) => ({ question: fact.choiceId, choice })) };
  if (fact.type === "choice.closed" && fact.answer) return { text: `${fact.answer.by} said: ${fact.choice}` };
  if (fact.type === "input.discarded" && fact.kind === "answer") return { text: "That question is over." };
  // After a tool that failed the thread goes on by itself.
  if (fact.type === "failure" && fact.code !== "TOOL_FAILED")
    return { text: "I cannot answer now. Write again later." };
  return undefined;
};
