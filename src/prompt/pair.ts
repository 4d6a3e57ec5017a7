import type { LanguageModelV4Message } from "@ai-sdk/provider";
import type { JsonObject } from "../../machines/history/json.ts";
import { noOutput } from "../../machines/history/wording.ts";
import { safeText } from "../tool/text.ts";
import { cutForModel } from "./cut.ts";

/** What the runtime tells a model, as a call that the model is said to have made, and its result. */
export const pair = (
  toolCallId: string,
  toolName: string,
  input: JsonObject,
  value: string,
): LanguageModelV4Message[] => [
  { role: "assistant", content: [{ type: "tool-call", toolCallId, toolName, input }] },
  { role: "tool", content: [{ type: "tool-result", toolCallId, toolName, output: { type: "text", value } }] },
];

/** A text of the runtime's as every provider takes it: never blank, cut where it is too long. */
export const toldText = (text: string): string => (text.trim() === "" ? noOutput : cutForModel(safeText(text)));
