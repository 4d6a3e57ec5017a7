import type { LanguageModelV4Prompt } from "@ai-sdk/provider";
import { type AssistantPart, type Check, eventTool, isCall, place } from "./check.ts";

/** Which message and which part may follow which. */

const isReasoning = (part: AssistantPart | undefined): boolean =>
  part?.type === "reasoning" || part?.type === "reasoning-file";

export const system_first: Check = function* (prompt) {
  const conversation = prompt.findIndex(({ role }) => role !== "system");
  for (const [index, { role }] of prompt.entries())
    if (role === "system" && conversation >= 0 && index > conversation)
      yield `${place(index)}: a system message inside the conversation`;
};

const isEvent = ({ role, content }: LanguageModelV4Prompt[number]): boolean =>
  role === "assistant" &&
  content.length > 0 &&
  content.every((part) => part.type === "tool-call" && part.toolName === eventTool);

/** The conversation begins with an input: a user message, or an event shown as a call. */
export const first_is_input: Check = function* (prompt) {
  const index = prompt.findIndex(({ role }) => role !== "system");
  const first = prompt[index];
  if (!first) yield "messages: there is no input";
  else if (first.role !== "user" && !isEvent(first))
    yield `${place(index)}: the first message is no input but of the role ${first.role}`;
};

/** The last entry is an input or a result, never a turn of the model. */
export const ends_on_input: Check = function* (prompt) {
  if (prompt.at(-1)?.role === "assistant")
    yield `${place(prompt.length - 1)}: the last message is a turn of the assistant`;
};

export const no_reasoning_before_user: Check = function* (prompt) {
  for (const [index, message] of prompt.entries())
    if (message.role === "assistant" && prompt[index + 1]?.role === "user" && isReasoning(message.content.at(-1)))
      yield `${place(index, message.content.length - 1)}: reasoning directly before a user text`;
};

/** What the model said beside its calls stands before them: results follow calls directly. */
export const calls_end_their_turn: Check = function* (prompt) {
  for (const [index, message] of prompt.entries()) {
    if (message.role !== "assistant") continue;
    const firstCall = message.content.findIndex(isCall);
    if (firstCall < 0) continue;
    for (const [inner, part] of message.content.entries())
      if (inner > firstCall && !isCall(part))
        yield `${place(index, inner)}: ${part.type} after a call of the same turn`;
  }
};
