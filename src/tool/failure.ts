import type { ContentItem } from "../../machines/history/entry.ts";
import type { ToolFailure } from "../../machines/thread/input.ts";
import { ToolError } from "../errors.ts";
import { safeText } from "./text.ts";

/** What a thread is told of a tool that threw. `failure` is for the feed; a ToolError has said everything itself. */
export interface ToolFailed {
  readonly content: ContentItem[];
  readonly error: true;
  readonly origin: "tool" | "http_error";
  readonly failure?: ToolFailure;
}

const statusOf = (error: unknown): number | undefined => {
  const status = typeof error === "object" && error !== null && "status" in error ? error.status : undefined;
  return typeof status === "number" && Number.isFinite(status) ? status : undefined;
};

const oneLine = (error: unknown): string =>
  error instanceof Error ? `${error.name}: ${error.message}` : `thrown: ${String(error)}`;

/** An error and what caused it, for the feed and the log. Never throws, whatever was thrown. */
export const causeOf = (error: unknown): string => {
  const lines: string[] = [];
  try {
    for (
      let next = error;
      next !== undefined && lines.length < 5;
      next = next instanceof Error ? next.cause : undefined
    )
      lines.push(oneLine(next));
  } catch {
    lines.push("a value that cannot be described");
  }
  return safeText(lines.join(", caused by "));
};

const read = (error: unknown, reference: string): ToolFailed => {
  const status = statusOf(error);
  const origin = status === undefined ? "tool" : "http_error";
  if (error instanceof ToolError)
    return { content: [{ type: "text", text: safeText(`Error: ${error.message}`) }], error: true, origin };
  const named = status === undefined ? "" : ` with status ${status}`;
  return {
    content: [{ type: "text", text: `Error: The tool failed${named} (reference ${reference}).` }],
    error: true,
    origin,
    failure: { reference, message: causeOf(error) },
  };
};

/**
 * The result of a tool that threw `error`. A ToolError's message is for the model; of anything else the model learns
 * the reference and a numeric `status`, so that no path, query or token leaks. Never throws.
 */
export const failureOf = (error: unknown, reference: string): ToolFailed => {
  try {
    return read(error, reference);
  } catch {
    return read(new Error("an error whose properties cannot be read"), reference);
  }
};
