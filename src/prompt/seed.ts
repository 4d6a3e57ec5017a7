import type { LanguageModelV4Message } from "@ai-sdk/provider";
import type { SeedEntry } from "../../machines/history/entry.ts";
import { spawnTool } from "../../machines/history/family-wording.ts";
import type { JsonObject } from "../../machines/history/json.ts";
import { argsOfBlock, type BlockKind, block } from "./block.ts";
import type { PromptIds } from "./ids.ts";
import { pair, toldText } from "./pair.ts";
import { safeArgs } from "./safe.ts";

const kind: BlockKind = { says: "This thread was opened; the user did not write this.", tool: spawnTool };

/** The opening of an event's child as a spawning call that its parent's model is said to have made, and its result. */
export const seedPair = ({ callId, args, text }: SeedEntry, ids: PromptIds): LanguageModelV4Message[] =>
  pair(kind, ids.forCall({ callId, providerCallId: "" }), safeArgs(args), toldText(text));

/** The opening of an event's child as a user message that names what would have been the call's arguments. */
export const seedBlock = ({ args, text }: SeedEntry): LanguageModelV4Message =>
  block(kind, safeArgs(args), toldText(text));

/** The arguments that the first part of a seed block names; undefined for any other text. */
export const argsOfSeedBlock = (text: string): JsonObject | undefined => argsOfBlock(kind, text);
