import type { LanguageModelV4Message, LanguageModelV4Prompt } from "@ai-sdk/provider";
import type { EventEntry } from "../../machines/history/entry.ts";
import { JsonObject } from "../../machines/history/json.ts";
import { eventTool, noOutput } from "../../machines/history/wording.ts";
import { safeText } from "../tool/text.ts";
import { addUser } from "./add-user.ts";
import { cutForModel } from "./cut.ts";
import { legalName, type PromptIds } from "./ids.ts";
import { safeArgs } from "./safe.ts";

const blockStart = `[An event arrived; the user did not write this. ${eventTool} `;
const blockEnd = "]";

/** The source as arguments: the call by the id and the name it has in this prompt, so that a model can find it. */
const argsOf = ({ source }: EventEntry, ids: PromptIds): JsonObject => ({
  original_tool_name: legalName(source.name),
  original_tool_call_id: ids.of(source.callId) ?? safeText(source.providerCallId || source.callId),
  original_args: safeArgs(source.args),
});

const textOf = ({ text }: EventEntry): string => (text.trim() === "" ? noOutput : cutForModel(safeText(text)));

/**
 * The calls of all pairs. A model can make a call that looks like one of these (it is told that there is no such tool),
 * so what a message says does not tell the two apart.
 */
const madeUp = new WeakSet<LanguageModelV4Message>();

/** An event as a call that the model is said to have made, and its result. */
export const eventPair = (event: EventEntry, position: number, ids: PromptIds): LanguageModelV4Message[] => {
  const toolCallId = ids.forEvent(position);
  const toolName = eventTool;
  const call: LanguageModelV4Message = {
    role: "assistant",
    content: [{ type: "tool-call", toolCallId, toolName, input: argsOf(event, ids) }],
  };
  madeUp.add(call);
  const output = { type: "text" as const, value: textOf(event) };
  return [call, { role: "tool", content: [{ type: "tool-result", toolCallId, toolName, output }] }];
};

const block = (source: unknown, text: string): LanguageModelV4Message => ({
  role: "user",
  content: [
    { type: "text", text: blockStart + JSON.stringify(source) + blockEnd },
    { type: "text", text },
  ],
});

/** An event as a user message of two parts, the source and the text: no text that a user sends has two parts like it. */
export const eventBlock = (event: EventEntry, ids: PromptIds): LanguageModelV4Message =>
  block(argsOf(event, ids), textOf(event));

/** Whether a prompt that a builder made has pairs in it. */
export const showsEventsAsCalls = (prompt: LanguageModelV4Prompt): boolean =>
  prompt.some((message) => madeUp.has(message));

/** The same prompt with its pairs as blocks, as a builder of that style makes it. */
export const withEventsAsText = (prompt: LanguageModelV4Prompt): LanguageModelV4Prompt => {
  const messages: LanguageModelV4Message[] = [];
  let source: unknown;
  for (const message of prompt) {
    const [part] = message.role === "system" ? [] : message.content;
    if (madeUp.has(message) && part?.type === "tool-call") source = part.input;
    else if (source !== undefined && part?.type === "tool-result" && part.output.type === "text") {
      addUser(messages, block(source, part.output.value));
      source = undefined;
    } else messages.push(message);
  }
  return messages;
};

/** The arguments that the first part of an event block names; undefined for any other text. */
export const sourceOfBlock = (text: string): JsonObject | undefined => {
  if (!text.startsWith(blockStart) || !text.endsWith(blockEnd)) return undefined;
  try {
    return JsonObject.safeParse(JSON.parse(text.slice(blockStart.length, -blockEnd.length))).data;
  } catch {
    return undefined; // A user can write what looks like one.
  }
};
