import type { LanguageModelV4Message } from "@ai-sdk/provider";
import { withoutTrailingReasoning } from "./messages.ts";

/** Adds a user message; reasoning directly before it goes (R5), and with it what was nothing else. */
export const addUser = (messages: LanguageModelV4Message[], message: LanguageModelV4Message): void => {
  for (let last = messages.at(-1); last?.role === "assistant"; last = messages.at(-1)) {
    const shorter = withoutTrailingReasoning(last);
    if (shorter === last) break;
    messages.pop();
    if (shorter) messages.push(shorter);
  }
  messages.push(message);
};
