import { intents } from "./intents.ts";

/** Tools that only `call` drives are suggested last, and no more than this many. */
const mostOthers = 3;

/** Built-in tools that are of no use without words of their own, or to a thread that no other one opened. */
const unsaid = new Set([
  "sleep_until",
  "report_to_parent",
  "send_message_to_child",
  "close_thread",
  "cancel_subscription",
  "read_result",
]);

/** Said once before the first thing that is not understood, and in every help. */
export const notice = "I am the demo model: a few rules that work offline, not an LLM.";

/** Examples of what can be done with the tools that are offered, at least three. */
export const suggestions = (offered: ReadonlySet<string>): string[] => {
  const examplesOf = (needsTool: boolean) =>
    intents.flatMap(({ example, tool }) =>
      example !== undefined && (tool !== undefined) === needsTool && (tool === undefined || offered.has(tool))
        ? [example]
        : [],
    );
  const known = new Set(intents.map(({ tool }) => tool));
  const others = [...offered].filter((name) => !known.has(name) && !unsaid.has(name)).slice(0, mostOthers);
  const examples = [...examplesOf(true), ...others.map((name) => `call ${name} {}`), ...examplesOf(false)];
  return examples.length < 3 ? [...examples, "say one thing then say another"] : examples;
};

/** `"a", "b" or "c"`. */
export const listed = (examples: readonly string[]): string => {
  const quoted = examples.map((example) => `"${example}"`);
  return quoted.length < 2 ? quoted.join("") : `${quoted.slice(0, -1).join(", ")} or ${quoted.at(-1)}`;
};
