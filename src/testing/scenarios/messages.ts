import { isDeepStrictEqual } from "node:util";
import type { Json } from "../../../machines/history/json.ts";
import type { MessagePattern } from "./expectation-schema.ts";

export type SeenContent =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "image"; readonly data: string; readonly media_type: string }
  | { readonly type: "image_placeholder" };

/** One entry of a request or a stored history, in the words of the format: what a message pattern is held against. */
export interface SeenMessage {
  readonly role: "user" | "assistant" | "tool";
  readonly kind: NonNullable<MessagePattern["kind"]>;
  readonly text?: string;
  readonly name?: string;
  /** The scenario's name of the call, e.g. `c1` or `c1@2`. */
  readonly call?: string;
  readonly origin?: string;
  readonly args?: Json;
  readonly source_call?: string;
  readonly source_tool?: string;
  readonly source_args?: Json;
  readonly interrupt?: boolean;
  readonly content?: readonly SeenContent[];
  /** Calls and results: what pairs them, unique within one list. */
  readonly pair?: string;
  /** Calls of one turn have the same number; absent when it is not known which turn they are of. */
  readonly turn?: number;
}

const matchesKey = (key: keyof MessagePattern, expected: unknown, seen: SeenMessage): boolean => {
  switch (key) {
    case "text_contains":
      return seen.text?.includes(String(expected)) ?? false;
    case "interrupt":
      return (seen.interrupt ?? false) === expected;
    default:
      return isDeepStrictEqual(seen[key], expected);
  }
};

const keysOf = (pattern: MessagePattern): readonly (keyof MessagePattern)[] =>
  (Object.keys(pattern) as (keyof MessagePattern)[]).filter((key) => pattern[key] !== undefined);

/** Keys of the pattern that the message does not match; none: it matches. Keys that are not listed may be anything. */
export const mismatches = (pattern: MessagePattern, seen: SeenMessage): readonly (keyof MessagePattern)[] =>
  keysOf(pattern).filter((key) => !matchesKey(key, pattern[key], seen));

export const matches = (pattern: MessagePattern, seen: SeenMessage): boolean => mismatches(pattern, seen).length === 0;

const quoted = (text: string): string => JSON.stringify(text);
const present = (parts: readonly (string | undefined)[]): string => parts.filter((part) => part).join(" ");

/** A message in one line, e.g. `tool tool_result c1 (sync) "echo: a"`. */
export const tellMessage = ({ role, kind, name, call, origin, interrupt, content, ...rest }: SeenMessage): string => {
  const items = content?.some(({ type }) => type !== "text") ? content.map(tellContent).join(" + ") : undefined;
  return present([
    role,
    kind,
    interrupt ? "(interrupt)" : undefined,
    name,
    call,
    tellSource(rest),
    origin && `(${origin})`,
    rest.args === undefined ? undefined : JSON.stringify(rest.args),
    items ?? (rest.text === undefined ? undefined : quoted(rest.text)),
  ]);
};

/** A pattern in the same form; `…` before and after text that has to be contained. */
export const tellPattern = (pattern: MessagePattern): string => {
  const { role, kind, name, call, origin, args, interrupt, content, text_contains: text } = pattern;
  return (
    present([
      role,
      kind,
      interrupt === undefined ? undefined : interrupt ? "(interrupt)" : "(no interrupt)",
      name,
      call,
      tellSource(pattern),
      origin && `(${origin})`,
      args === undefined ? undefined : JSON.stringify(args),
      content?.map(tellContent).join(" + "),
      text === undefined || content ? undefined : `"…${quoted(text).slice(1, -1)}…"`,
    ]) || "anything"
  );
};

const tellSource = ({
  source_call: call,
  source_tool: tool,
  source_args: args,
}: Pick<MessagePattern, "source_call" | "source_tool" | "source_args">): string | undefined => {
  if (call === undefined && tool === undefined && args === undefined) return undefined;
  return `of ${present([tool, call, args === undefined ? undefined : JSON.stringify(args)])}`;
};

const tellContent = (item: SeenContent): string => {
  if (item.type === "text") return quoted(item.text);
  return item.type === "image" ? `[${item.media_type} ${item.data.slice(0, 12)}]` : "[image placeholder]";
};
