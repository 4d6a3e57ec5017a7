import type { ToolCall } from "../../tool/call.ts";
import type { Question, QuestionAnswer } from "../../tool/question.ts";
import type { Life } from "./life.ts";
import type { Asker, Questions } from "./questions.ts";

/** A tool asks, and what comes of it is noted. */
export const askedBy = async (
  life: Life,
  questions: Questions,
  call: ToolCall,
  question: Question,
): Promise<QuestionAnswer> => {
  const { threadId, id: callId } = call;
  const asker: Asker = { life, threadId, callId, prompt: question.prompt, heard: undefined, refused: false };
  questions.askers.push(asker);
  try {
    const answer = await call.ask(question);
    asker.heard = answer;
    return answer;
  } catch (error) {
    asker.refused = true;
    throw error;
  }
};
