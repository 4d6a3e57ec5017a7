import type { LanguageModelV4Message } from "@ai-sdk/provider";
import { JsonObject } from "../../machines/history/json.ts";

/** What of the runtime is shown as a user text, where models refuse calls they did not sign. */
export interface BlockKind {
  /** What happened: a sentence. */
  readonly says: string;
  /** The tool that it would be a call of. */
  readonly tool: string;
}

const startOf = ({ says, tool }: BlockKind): string => `[${says} ${tool} `;
const end = "]";

/** A user message of two parts, what it stands for and the text: no text that a user sends has two parts like it. */
export const block = (kind: BlockKind, args: JsonObject, text: string): LanguageModelV4Message => ({
  role: "user",
  content: [
    { type: "text", text: startOf(kind) + JSON.stringify(args) + end },
    { type: "text", text },
  ],
});

/** The arguments that the first part of a block of that kind names; undefined for any other text. */
export const argsOfBlock = (kind: BlockKind, text: string): JsonObject | undefined => {
  const start = startOf(kind);
  if (!text.startsWith(start) || !text.endsWith(end)) return undefined;
  try {
    return JsonObject.safeParse(JSON.parse(text.slice(start.length, -end.length))).data;
  } catch {
    return undefined; // A user can write what looks like one.
  }
};
