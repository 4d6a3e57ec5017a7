import { z } from "zod";
import { ContentItem, DisplaySegment } from "../../machines/history/entry.ts";
import { noOutput } from "../../machines/history/wording.ts";
import { ToolError } from "../errors.ts";
import { jsonText, TooLongError } from "./json-text.ts";
import { safeText } from "./text.ts";

export { failureOf, type ToolFailed } from "./failure.ts";

/** Bytes of content and display that are kept of one result. */
export const storedLimit = 10 * 1024 * 1024;

/** What a tool made of a call, as it is stored. */
export interface ToolResult {
  readonly content: ContentItem[];
  readonly error?: true;
  readonly display?: DisplaySegment[];
}

/**
 * What a tool may return, or be delivered by hand as its result. Anything else that can be written as JSON is shown to
 * the model as JSON text. `display` is for people; the first segment that a viewer supports wins.
 */
export type ResultContent =
  | string
  | readonly ContentItem[]
  | { readonly error: string; readonly display?: string | readonly DisplaySegment[] }
  | { readonly content: string | readonly ContentItem[]; readonly display?: string | readonly DisplaySegment[] };

const Items = z.array(ContentItem).min(1);
const Segments = z.array(DisplaySegment);
const base64 = /^[A-Za-z0-9+/]+={0,2}$/;

export const textItem = (text: string): ContentItem => ({ type: "text", text });
export const errorResult = (text: string): ToolResult & { readonly error: true } => ({
  content: [textItem(safeText(text.startsWith("Error: ") ? text : `Error: ${text}`))],
  error: true,
});

/** An image that a provider would refuse is told in words: in a history it would fail every later request. */
const safeItem = (item: ContentItem): ContentItem => {
  if (item.type === "text") return textItem(safeText(item.text));
  if (item.mediaType.startsWith("image/") && item.data.length % 4 !== 1 && base64.test(item.data)) return item;
  return textItem(`[an image was left out: its media type or its base64 data is not valid]`);
};

const safeContent = (items: readonly ContentItem[]): ContentItem[] => {
  const kept = items.map(safeItem).filter((item) => item.type !== "text" || item.text.trim() !== "");
  return kept.length > 0 ? kept : [textItem(noOutput)];
};

const safeSegment = (segment: DisplaySegment): DisplaySegment =>
  segment.type === "text" ? { ...segment, content: safeText(segment.content) } : segment;

const segmentsOf = (display: unknown): DisplaySegment[] | undefined => {
  if (typeof display === "string") return [{ type: "text", content: safeText(display) }];
  const { data } = Segments.safeParse(display);
  return data && data.length > 0 ? data.map(safeSegment) : undefined;
};

const hasOnly = (value: object, ...keys: string[]): boolean => Object.keys(value).every((key) => keys.includes(key));

const isItemLike = (value: unknown): boolean =>
  typeof value === "object" && value !== null && "type" in value && (value.type === "text" || value.type === "image");

const contentOf = (value: unknown): ContentItem[] | undefined => {
  if (typeof value === "string") return safeContent([textItem(value)]);
  const items = Array.isArray(value) ? value : [value];
  // The quick look spares a list of a million numbers a million complaints.
  const { data } = items.every(isItemLike) ? Items.safeParse(items) : {};
  return data && safeContent(data);
};

const asJson = (value: unknown): ToolResult => {
  if (typeof value === "function" || typeof value === "symbol")
    return errorResult(`The tool returned a ${typeof value}, which is no result.`);
  const text = jsonText(value, storedLimit);
  return { content: safeContent([textItem(text ?? "")]) };
};

const read = (value: unknown): ToolResult => {
  if (value === undefined) return { content: [textItem(noOutput)] };
  const content = contentOf(value);
  if (content) return { content };
  if (value instanceof ToolError) return errorResult(value.message);
  if (value instanceof Error) return errorResult("The tool returned an error.");
  if (typeof value === "number" || typeof value === "bigint") return { content: [textItem(String(value))] };
  if (value instanceof Date)
    return { content: [textItem(Number.isNaN(value.getTime()) ? "Invalid Date" : value.toISOString())] };
  if (typeof value !== "object" || value === null || Array.isArray(value)) return asJson(value);
  const display = "display" in value ? segmentsOf(value.display) : undefined;
  if ("error" in value && typeof value.error === "string" && hasOnly(value, "error", "display"))
    return { ...errorResult(value.error), ...(display && { display }) };
  if ("content" in value && hasOnly(value, "content", "display")) {
    const inner =
      Array.isArray(value.content) && value.content.length === 0 ? safeContent([]) : contentOf(value.content);
    if (inner) return { content: inner, ...(display && { display }) };
  }
  return asJson(value);
};

const bytes = (value: unknown): number => Buffer.byteLength(typeof value === "string" ? value : JSON.stringify(value));

const sizeOf = ({ content, display = [] }: ToolResult): number =>
  content.reduce((sum, item) => sum + bytes(item.type === "text" ? item.text : item.data), 0) +
  display.reduce((sum, { content: shown }) => sum + bytes(shown), 0);

const tooLarge = (): ToolResult =>
  errorResult(
    `The tool's result is larger than ${storedLimit / 1024 / 1024} MB and was not kept. Ask for a part of it.`,
  );

/**
 * What a value that a tool returned says to the model. Never throws: what has no form becomes an error result, so that
 * a thread can always be saved. Blank content is shown as "(no output)", text is made safe for stores and providers,
 * and more than 10 MB becomes an error result that says so.
 */
export const resultOf = (value: unknown): ToolResult => {
  try {
    const result = read(value);
    return sizeOf(result) > storedLimit ? tooLarge() : result;
  } catch (error) {
    if (error instanceof TooLongError) return tooLarge();
    return errorResult("The tool returned a value that cannot be written as JSON.");
  }
};
