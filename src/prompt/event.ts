import type { LanguageModelV4Message } from "@ai-sdk/provider";
import type { EventEntry } from "../../machines/history/entry.ts";
import type { JsonObject } from "../../machines/history/json.ts";
import { eventTool } from "../../machines/history/wording.ts";
import { safeText } from "../tool/text.ts";
import { argsOfBlock, type BlockKind, block } from "./block.ts";
import { legalName, type PromptIds } from "./ids.ts";
import { pair, toldText } from "./pair.ts";
import { safeArgs } from "./safe.ts";

const kind: BlockKind = { says: "An event arrived; the user did not write this.", tool: eventTool };

/**
 * The source as arguments: the call by the id and the name it has in this prompt, so that a model can find it, and the
 * thread that a report comes from.
 */
const argsOf = ({ source, from }: EventEntry, ids: PromptIds): JsonObject => ({
  original_tool_name: legalName(source.name),
  original_tool_call_id: ids.of(source.callId) ?? safeText(source.providerCallId || source.callId),
  original_args: safeArgs(source.args),
  ...(from !== undefined && { from_thread: from }),
});

/** An event as a call that the model is said to have made, and its result. */
export const eventPair = (event: EventEntry, position: number, ids: PromptIds): LanguageModelV4Message[] =>
  pair(kind, ids.forEvent(position), argsOf(event, ids), toldText(event.text));

/** An event as a user message that names its source. */
export const eventBlock = (event: EventEntry, ids: PromptIds): LanguageModelV4Message =>
  block(kind, argsOf(event, ids), toldText(event.text));

/** The arguments that the first part of an event block names; undefined for any other text. */
export const sourceOfBlock = (text: string): JsonObject | undefined => argsOfBlock(kind, text);
