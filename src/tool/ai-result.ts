import type { ContentItem } from "../../machines/history/entry.ts";
import { jsonText } from "./json-text.ts";
import { type ResultContent, storedLimit, textItem } from "./result.ts";

/** One item of content as the SDK has it, of this version or an earlier one. */
interface AiItem {
  readonly type: string;
  readonly text?: unknown;
  readonly data?: unknown;
  readonly url?: unknown;
  readonly mediaType?: unknown;
}

/** How the base64 of an image begins, for items that say no more than "an image". */
const beginnings: readonly (readonly [string, string])[] = [
  ["iVBORw0KGgo", "image/png"],
  ["/9j/", "image/jpeg"],
  ["R0lGOD", "image/gif"],
  ["UklGR", "image/webp"],
];

const base64Of = (data: unknown): string | undefined => {
  if (typeof data === "string") return data;
  if (data instanceof ArrayBuffer) return Buffer.from(data).toString("base64");
  if (ArrayBuffer.isView(data)) return Buffer.from(data.buffer, data.byteOffset, data.byteLength).toString("base64");
  return undefined;
};

const imageTypeOf = (mediaType: unknown, data: string): string | undefined => {
  if (typeof mediaType !== "string" || !/^image(\/|$)/.test(mediaType)) return undefined;
  if (/^image\/[^*]/.test(mediaType)) return mediaType;
  return beginnings.find(([beginning]) => data.startsWith(beginning))?.[1];
};

/** What a model cannot be given here is named in words, so that it knows of it. */
const leftOut = (what: string): ContentItem => textItem(`[${what} was left out]`);

const fileOf = (data: unknown, mediaType: unknown): ContentItem => {
  const base64 = base64Of(data);
  const image = base64 === undefined ? undefined : imageTypeOf(mediaType, base64);
  if (base64 !== undefined && image !== undefined) return { type: "image", data: base64, mediaType: image };
  return leftOut(typeof mediaType === "string" ? `a file of type ${mediaType}` : "a file");
};

const itemOf = ({ type, text, data, url, mediaType }: AiItem): ContentItem => {
  if (type === "text" && typeof text === "string") return textItem(text);
  if (typeof url === "string" || url instanceof URL) return textItem(String(url));
  // Since version 7 the data of a file says by its own type what it is.
  if (type === "file" && typeof data === "object" && data !== null && "type" in data)
    return data.type === "data" && "data" in data
      ? fileOf(data.data, mediaType)
      : itemOf({ ...(data as AiItem), mediaType });
  return data === undefined ? leftOut(`an item of type ${type}`) : fileOf(data, mediaType);
};

/** A string as it is, anything else as JSON text: the SDK reads no other meaning into what a tool returns. */
const asText = (value: unknown): unknown => {
  if (typeof value === "string" || value === undefined || value instanceof Error) return value;
  try {
    return jsonText(value, storedLimit);
  } catch {
    // It is too long, or cannot be read: whoever stores results says which.
    return value;
  }
};

const errorOf = (value: unknown): ResultContent => ({ error: String(asText(value)) });

/** What a tool of ours would have returned in place of what `execute` came to. */
export const aiResult = (output: unknown): unknown => asText(output);

/** The same of what `toModelOutput` made of it. A form that this version does not know is shown as JSON. */
export const aiModelResult = (output: unknown): unknown => {
  if (typeof output !== "object" || output === null || !("type" in output)) return asText(output);
  const { type, value, reason } = output as { type: unknown; value?: unknown; reason?: unknown };
  switch (type) {
    case "text":
    case "json":
      return asText(value);
    case "error-text":
    case "error-json":
      return errorOf(value);
    case "execution-denied":
      return errorOf(typeof reason === "string" ? `NOT executed: ${reason}` : "NOT executed: it was denied.");
    case "content":
      return Array.isArray(value) ? { content: value.map(itemOf) } : asText(output);
    default:
      return asText(output);
  }
};
