import type { LanguageModelV4CallOptions } from "@ai-sdk/provider";

/** The texts of what a model has not answered yet: all behind its last turn. Events count as told, though shown as calls. */
export const lastTold = (prompt: LanguageModelV4CallOptions["prompt"]): string => {
  const isOwnTurn = ({ role, content }: (typeof prompt)[number]) =>
    role === "assistant" && !JSON.stringify(content).includes("receive_event__injected");
  return JSON.stringify(prompt.slice(prompt.findLastIndex(isOwnTurn) + 1));
};
