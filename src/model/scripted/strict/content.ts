import type { LanguageModelV4ToolResultOutput } from "@ai-sdk/provider";
import { callSignature, reasoningSignature, signatureIn } from "../signature.ts";
import { type Check, isCall, partsOf, place, quoted } from "./check.ts";

/** What may stand in a message and in a part. */

export const empty_messages: Check = function* (prompt) {
  for (const [index, { role, content }] of prompt.entries())
    if (role !== "system" && content.length === 0) yield `${place(index)}: the ${role} message is empty`;
};

/** The texts a result shows, as blocks of their own or as one. */
const textsOf = (output: LanguageModelV4ToolResultOutput): string[] => {
  if (output.type === "text" || output.type === "error-text") return [output.value];
  return output.type === "content" ? output.value.flatMap((item) => (item.type === "text" ? [item.text] : [])) : [];
};

/** An output that is one empty text is no block: providers send it as an empty result. */
export const blank_texts: Check = function* (prompt) {
  for (const [index, message] of prompt.entries())
    if (message.role === "system" && message.content.trim() === "") yield `${place(index)}: the system prompt is blank`;
  for (const { at, part } of partsOf(prompt)) {
    if (part.type === "text" && part.text.trim() === "") yield `${at}: the text is blank`;
    if (part.type === "tool-result" && part.output.type === "content")
      if (textsOf(part.output).some((text) => text.trim() === "")) yield `${at}: a text of the result is blank`;
  }
};

export const call_inputs: Check = function* (prompt) {
  for (const { at, part } of partsOf(prompt)) {
    if (!isCall(part)) continue;
    const { input } = part;
    if (typeof input !== "object" || input === null || Array.isArray(input))
      yield `${at}: the input of the call ${quoted(part.toolCallId)} is no object`;
  }
};

/** What cannot be written as UTF-8, or what databases behind the providers refuse. */
const unsendable = (value: unknown): "a lone surrogate" | "NUL" | undefined => {
  if (typeof value === "string")
    return !value.isWellFormed() ? "a lone surrogate" : value.includes("\0") ? "NUL" : undefined;
  if (typeof value !== "object" || value === null || value instanceof Uint8Array) return undefined;
  for (const [key, inner] of Object.entries(value)) {
    const found = unsendable(key) ?? unsendable(inner);
    if (found) return found;
  }
  return undefined;
};

export const sendable_text: Check = function* (prompt) {
  for (const [index, message] of prompt.entries()) {
    if (message.role !== "system") continue;
    const found = unsendable(message.content);
    if (found) yield `${place(index)}: the system prompt holds ${found}`;
  }
  for (const { at, part } of partsOf(prompt)) {
    const found = unsendable({ ...part, providerOptions: undefined });
    if (found) yield `${at}: the ${part.type} holds ${found}`;
  }
};

/** For models without image input. */
export const no_files: Check = function* (prompt, { files }) {
  if (files) return;
  for (const { at, part } of partsOf(prompt)) {
    if (part.type === "file") yield `${at}: the model takes no files, and this is ${part.mediaType}`;
    if (part.type === "tool-result" && part.output.type === "content")
      for (const item of part.output.value)
        if (item.type === "file") yield `${at}: the model takes no files, and the result holds ${item.mediaType}`;
  }
};

/** For models that refuse calls they did not sign, those that stand for events included. */
export const signed_parts: Check = function* (prompt, { signatures }) {
  if (!signatures) return;
  for (const { at, part } of partsOf(prompt)) {
    if (part.type !== "reasoning" && !isCall(part)) continue;
    const signature = signatureIn(part.providerOptions);
    const wanted = part.type === "reasoning" ? reasoningSignature(part.text) : callSignature(part.toolName);
    if (signature === wanted) continue;
    const what = part.type === "reasoning" ? "the reasoning" : `the call of ${quoted(part.toolName)}`;
    yield `${at}: ${what} ${signature === undefined ? "carries no signature" : "carries a signature that is not its own"}`;
  }
};
