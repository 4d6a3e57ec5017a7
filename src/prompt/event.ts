import type { LanguageModelV4Message } from "@ai-sdk/provider";
import type { EventEntry } from "../../machines/history/entry.ts";
import { JsonObject } from "../../machines/history/json.ts";
import { eventTool, noOutput } from "../../machines/history/wording.ts";
import { safeText } from "../tool/text.ts";
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

/** An event as a call that the model is said to have made, and its result. */
export const eventPair = (event: EventEntry, position: number, ids: PromptIds): LanguageModelV4Message[] => {
  const toolCallId = ids.forEvent(position);
  const toolName = eventTool;
  return [
    { role: "assistant", content: [{ type: "tool-call", toolCallId, toolName, input: argsOf(event, ids) }] },
    {
      role: "tool",
      content: [{ type: "tool-result", toolCallId, toolName, output: { type: "text", value: textOf(event) } }],
    },
  ];
};

/** An event as a user message of two parts, the source and the text: no text that a user sends has two parts like it. */
export const eventBlock = (event: EventEntry, ids: PromptIds): LanguageModelV4Message => ({
  role: "user",
  content: [
    { type: "text", text: blockStart + JSON.stringify(argsOf(event, ids)) + blockEnd },
    { type: "text", text: textOf(event) },
  ],
});

/** The arguments that the first part of an event block names; undefined for any other text. */
export const sourceOfBlock = (text: string): JsonObject | undefined => {
  if (!text.startsWith(blockStart) || !text.endsWith(blockEnd)) return undefined;
  try {
    return JsonObject.safeParse(JSON.parse(text.slice(blockStart.length, -blockEnd.length))).data;
  } catch {
    return undefined; // A user can write what looks like one.
  }
};
