import type { LanguageModelV4Message, LanguageModelV4Prompt } from "@ai-sdk/provider";

const legal = /^[a-zA-Z0-9_-]{1,64}$/;

const callsIn = (message: LanguageModelV4Message | undefined) =>
  message?.role === "assistant"
    ? message.content.flatMap((part) => (part.type === "tool-call" && !part.providerExecuted ? [part] : []))
    : [];

const resultsIn = (message: LanguageModelV4Message | undefined) =>
  message?.role === "tool" ? message.content.flatMap((part) => (part.type === "tool-result" ? [part] : [])) : [];

const textsIn = (message: LanguageModelV4Message): string[] => {
  if (message.role === "system") return [message.content];
  return message.content.flatMap((part): string[] => {
    if (part.type === "text" || part.type === "reasoning") return [part.text];
    if (part.type !== "tool-result") return [];
    const { output } = part;
    if (output.type === "text" || output.type === "error-text") return [output.value];
    return output.type === "content" ? output.value.map((item) => (item.type === "text" ? item.text : "image")) : [];
  });
};

/** The four invariants of the scenario format, and what providers refuse besides; a sentence for each that is broken. */
export const refusalsIn = (prompt: LanguageModelV4Prompt): string[] => {
  const messages = prompt.filter(({ role }) => role !== "system");
  const refusals: string[] = [];
  const refuse = (broken: boolean, what: string) => broken && refusals.push(what);
  const ids = messages.flatMap((message) => callsIn(message).map(({ toolCallId }) => toolCallId));
  refuse(messages[0]?.role !== "user", "the first message is no input");
  refuse(messages.at(-1)?.role === "assistant", "ends_on_input: the last message is the assistant's");
  refuse(new Set(ids).size !== ids.length, "two calls have one id");
  for (const [index, message] of messages.entries()) {
    const before = messages[index - 1];
    const calls = callsIn(message).map(({ toolCallId, toolName }) => `${toolCallId} ${toolName}`);
    const answers = resultsIn(messages[index + 1]).map(({ toolCallId, toolName }) => `${toolCallId} ${toolName}`);
    refuse(calls.join() !== answers.join(), `answered_calls: ${calls.join()} by ${answers.join()}`);
    refuse(message.role === "tool" && callsIn(before).length === 0, "results_have_calls: results without calls");
    refuse(
      message.role === "assistant" && calls.length > 0 && message.content.at(-calls.length)?.type !== "tool-call",
      "something stands behind a call",
    );
    const last = before?.role === "assistant" ? before.content.at(-1)?.type : undefined;
    refuse(message.role === "user" && last === "reasoning", "no_reasoning_before_user");
    refuse(
      textsIn(message).some((text) => text.trim() === ""),
      "a blank text",
    );
    refuse(message.content.length === 0, "an empty message");
    for (const { toolCallId, toolName, input } of callsIn(message)) {
      refuse(!legal.test(toolCallId), `the id ${toolCallId}`);
      refuse(!legal.test(toolName), `the name ${toolName}`);
      refuse(typeof input !== "object" || input === null || Array.isArray(input), "arguments that are no object");
      refuse(/\\u(d[89a-f]|0000)/.test(JSON.stringify(input)), "arguments that are no Unicode text");
    }
  }
  return refusals;
};
