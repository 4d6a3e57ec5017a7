import type { LanguageModelV4Prompt } from "@ai-sdk/provider";
import { type Check, isCall, place, quoted, type ResultPart } from "./check.ts";

/** Calls and results. A turn's results are those of the tool messages that follow it with nothing in between. */

interface PlacedResult {
  readonly at: string;
  readonly part: ResultPart;
}

/** The results in the tool messages from `start` on. */
const resultsFrom = (prompt: LanguageModelV4Prompt, start: number): PlacedResult[] => {
  const results: PlacedResult[] = [];
  for (let index = start; ; index++) {
    const message = prompt[index];
    if (message?.role !== "tool") return results;
    for (const [inner, part] of message.content.entries())
      if (part.type === "tool-result") results.push({ at: place(index, inner), part });
  }
};

/** Each assistant message with its calls and the results that follow it directly. */
function* turnsOf(prompt: LanguageModelV4Prompt) {
  for (const [index, message] of prompt.entries())
    if (message.role === "assistant")
      yield { at: place(index), calls: message.content.filter(isCall), results: resultsFrom(prompt, index + 1) };
}

/** Every call of a turn is answered before anything but the results of that turn follows. */
export const answered_calls: Check = function* (prompt) {
  for (const { at, calls, results } of turnsOf(prompt)) {
    const answered = new Set(results.map(({ part }) => part.toolCallId));
    for (const { toolCallId, toolName } of calls)
      if (!answered.has(toolCallId))
        yield `${at}: the call ${quoted(toolCallId)} of ${quoted(toolName)} has no result directly after its turn`;
  }
};

/** Every result has its call earlier in the request, and each call at most one result. */
export const results_have_calls: Check = function* (prompt) {
  const unanswered = new Map<string, number>();
  for (const [index, message] of prompt.entries()) {
    if (message.role === "assistant")
      for (const { toolCallId } of message.content.filter(isCall))
        unanswered.set(toolCallId, (unanswered.get(toolCallId) ?? 0) + 1);
    if (message.role !== "tool") continue;
    for (const [inner, part] of message.content.entries()) {
      if (part.type !== "tool-result") continue;
      const left = unanswered.get(part.toolCallId);
      if (left === undefined)
        yield `${place(index, inner)}: a result of ${quoted(part.toolCallId)}, which no call before it has`;
      else if (left === 0) yield `${place(index, inner)}: a second result of the call ${quoted(part.toolCallId)}`;
      else unanswered.set(part.toolCallId, left - 1);
    }
  }
};

/** Results stand directly after their turn, in the order of its calls, and name the tool that was called. */
export const results_in_order: Check = function* (prompt) {
  for (const { calls, results } of turnsOf(prompt)) {
    let last = -1;
    for (const { at, part } of results) {
      const index = calls.findIndex(({ toolCallId }) => toolCallId === part.toolCallId);
      const call = calls[index];
      if (!call) yield `${at}: the result of ${quoted(part.toolCallId)} does not follow the turn that called it`;
      else if (call.toolName !== part.toolName)
        yield `${at}: the result names the tool ${quoted(part.toolName)}, its call ${quoted(call.toolName)}`;
      if (index >= 0 && index < last)
        yield `${at}: the result of ${quoted(part.toolCallId)} is not in the order of the calls`;
      last = Math.max(last, index);
    }
  }
};
