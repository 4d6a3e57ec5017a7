import { type Check, isCall, partsOf, quoted } from "./check.ts";

/** Names and ids, which providers take only in a small alphabet and up to a length. */

const alphabet = /^[a-zA-Z0-9_-]+$/;
const allowed = "a-z A-Z 0-9 _ -";

const faultOf = (text: string, limit: number): string | undefined => {
  if (text === "") return "is empty";
  if (text.length > limit) return `is longer than ${limit} characters`;
  return alphabet.test(text) ? undefined : `has characters other than ${allowed}`;
};

/** Of the tools that are offered and of those that calls name. Two offered tools share no name. */
export const tool_names: Check = function* (prompt, { nameLimit, tools }) {
  const offered = new Set<string>();
  for (const [index, { name }] of tools.entries()) {
    const fault = faultOf(name, nameLimit);
    if (fault) yield `tools[${index}]: the name ${quoted(name)} ${fault}`;
    if (offered.has(name)) yield `tools[${index}]: a second tool of the name ${quoted(name)}`;
    offered.add(name);
  }
  for (const { at, part } of partsOf(prompt)) {
    const fault = isCall(part) && faultOf(part.toolName, nameLimit);
    if (isCall(part) && fault) yield `${at}: the tool name ${quoted(part.toolName)} ${fault}`;
  }
};

/** Every call of a request has an id of its own. */
export const call_ids: Check = function* (prompt, { idLimit }) {
  const seen = new Set<string>();
  for (const { at, part } of partsOf(prompt)) {
    if (part.type !== "tool-call") continue;
    const fault = faultOf(part.toolCallId, idLimit);
    if (fault) yield `${at}: the call id ${quoted(part.toolCallId)} ${fault}`;
    if (seen.has(part.toolCallId)) yield `${at}: a second call with the id ${quoted(part.toolCallId)}`;
    seen.add(part.toolCallId);
  }
};
