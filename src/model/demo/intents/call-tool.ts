import { type Intent, type Step, sentence } from "../intent.ts";

const asks = /^(?:call|use|run)(?: the tool)? ([\w-]{1,64})(?:\s+with)?(?:\s+(\{.*\}))?$/is;

const argsIn = (text: string): Readonly<Record<string, unknown>> | undefined => {
  try {
    return JSON.parse(text) as Record<string, unknown>;
  } catch {
    return undefined;
  }
};

/** Drives any tool, for those that no other intent knows: `call TOOL {"key": "value"}`. */
export const callTool: Intent = {
  name: "call tool",
  read: (piece): Step | undefined => {
    const [, name, json = "{}"] = asks.exec(piece) ?? [];
    if (name === undefined) return undefined;
    const args = argsIn(json);
    return args && { kind: "call", name, args };
  },
  tell: ({ tool, text }) => sentence(`${tool} says: ${text}`),
};
