import { type Heard, type Intent, number, numberOf, sentence } from "../intent.ts";

const asks = new RegExp(
  `^(?:watch|follow)(?: the)? build #?([\\w.-]{1,100})(?: for (${number}) updates?)?` +
    "(?:,? and (?:tell me|say|let me know)(?: when it(?: is|'s) (?:green|done|ready))?)?$",
  "i",
);

const update = /\bupdate (\d+) of (\d+)\b/i;

const isGreen = (text: string): boolean => /\bgreen\b/i.test(text);
const isLast = ({ text }: Heard): boolean => {
  const [, at, of] = update.exec(text) ?? [];
  return at !== undefined && Number(at) >= Number(of);
};

/** Its events are handled in children, each of which passes its event on; what is heard of them sounds the same. */
export const watchBuild: Intent = {
  name: "watch build",
  example: "watch build 42 for 3 updates and tell me when it is green",
  tool: "watch_build",
  read: (piece) => {
    const [, id, updates] = asks.exec(piece) ?? [];
    if (id === undefined) return undefined;
    const args = { build_id: id, ...(updates !== undefined && { updates: numberOf(updates) }) };
    return { kind: "call", name: "watch_build", args };
  },
  tell: ({ args }) => `I watch build ${String(args.build_id)}, and tell you when it is green.`,
  ends: isLast,
  hear: (event) => {
    const text = event.text.replace(/^update \d+ of \d+,?\s*/i, "");
    if (isGreen(text)) return sentence(`${text.charAt(0).toUpperCase()}${text.slice(1)}`);
    return sentence(isLast(event) ? `It did not become green: ${text}` : `Not green yet: ${text}`);
  },
};
