import type { ResultEntry } from "../../machines/history/entry.ts";
import type { ToolCall } from "./call.ts";

/** What a model means by the id of a call that it reads in its prompt. */
export type FoundResult =
  | { readonly found: "result"; readonly result: ResultEntry }
  | { readonly found: "no call" }
  | { readonly found: "no result" };

/** Finds a result in the history of the thread that makes a call, by the id under which a model knows its call. */
export type ResultReader = (shown: string) => Promise<FoundResult>;

const readers = new WeakMap<ToolCall, ResultReader>();

/** What built-in tools may read beside what every tool is given. */
export const letRead = (call: ToolCall, reader: ResultReader): ToolCall => {
  readers.set(call, reader);
  return call;
};

export const readerOf = (call: ToolCall): ResultReader =>
  readers.get(call) ?? (async () => ({ found: "no call" as const }));
