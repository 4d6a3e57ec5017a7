import type { LanguageModelV4Message, LanguageModelV4Prompt } from "@ai-sdk/provider";
import type { JsonObject } from "../../machines/history/json.ts";
import { noOutput } from "../../machines/history/wording.ts";
import { safeText } from "../tool/text.ts";
import { addUser } from "./add-user.ts";
import { type BlockKind, block } from "./block.ts";
import { cutForModel } from "./cut.ts";

/**
 * The calls of all pairs, with what each would say as a block. A model can make a call that looks like one of these (it is
 * told that there is no such tool), so what a message says does not tell the two apart.
 */
const madeUp = new WeakMap<LanguageModelV4Message, { readonly kind: BlockKind; readonly args: JsonObject }>();

/** What the runtime tells a model, as a call that the model is said to have made, and its result. */
export const pair = (
  kind: BlockKind,
  toolCallId: string,
  args: JsonObject,
  value: string,
): LanguageModelV4Message[] => {
  const call: LanguageModelV4Message = {
    role: "assistant",
    content: [{ type: "tool-call", toolCallId, toolName: kind.tool, input: args }],
  };
  madeUp.set(call, { kind, args });
  const output = { type: "text" as const, value };
  return [call, { role: "tool", content: [{ type: "tool-result", toolCallId, toolName: kind.tool, output }] }];
};

/** A text of the runtime's as every provider takes it: never blank, cut where it is too long. */
export const toldText = (text: string): string => (text.trim() === "" ? noOutput : cutForModel(safeText(text)));

/** Whether a prompt that a builder made has pairs in it. */
export const showsEventsAsCalls = (prompt: LanguageModelV4Prompt): boolean =>
  prompt.some((message) => madeUp.has(message));

/** The same prompt with its pairs as blocks, as a builder of that style makes it. */
export const withEventsAsText = (prompt: LanguageModelV4Prompt): LanguageModelV4Prompt => {
  const messages: LanguageModelV4Message[] = [];
  let open: { readonly kind: BlockKind; readonly args: JsonObject } | undefined;
  for (const message of prompt) {
    const [part] = message.role === "system" ? [] : message.content;
    const made = madeUp.get(message);
    if (made) open = made;
    else if (open && part?.type === "tool-result" && part.output.type === "text") {
      addUser(messages, block(open.kind, open.args, part.output.value));
      open = undefined;
    } else messages.push(message);
  }
  return messages;
};
