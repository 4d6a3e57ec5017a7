import type { LanguageModelV4StreamPart } from "@ai-sdk/provider";

/** Content that the provider made itself: parts of these types are kept as what a later prompt sends back. */
export type ProvidedContent = Extract<
  LanguageModelV4StreamPart,
  { type: "tool-call" | "tool-result" | "file" | "reasoning-file" | "custom" }
>;

/**
 * The part of a prompt that sends `content` back, as plain JSON: bytes become base64, a URL its text, half a surrogate
 * pair U+FFFD. Throws a TypeError for what JSON cannot hold (a cycle, a bigint), which no provider may emit.
 */
export const promptPartOf = (content: ProvidedContent): { readonly part: unknown; readonly size: number } => {
  const { providerMetadata } = content;
  const text = JSON.stringify({
    ...withoutMetadata(content),
    ...(providerMetadata && { providerOptions: providerMetadata }),
  });
  const isIllFormed = /\\u[dD][89a-fA-F]/.test(text);
  const mend = (_: string, value: unknown) => (typeof value === "string" ? value.toWellFormed() : value);
  return { part: isIllFormed ? JSON.parse(text, mend) : JSON.parse(text), size: text.length };
};

const withoutMetadata = (content: ProvidedContent): object => {
  switch (content.type) {
    case "tool-call": {
      const { type, toolCallId, toolName, input } = content;
      return { type, toolCallId, toolName, input: parsed(input), providerExecuted: true };
    }
    case "tool-result": {
      const { type, toolCallId, toolName, result, isError } = content;
      return { type, toolCallId, toolName, output: { type: isError ? "error-json" : "json", value: result ?? null } };
    }
    case "custom":
      return { type: content.type, kind: content.kind };
    default: {
      const { type, mediaType, data } = content;
      return { type, mediaType, data: data.type === "url" ? { type: "url", url: urlOf(data) } : bytesOf(data) };
    }
  }
};

/** Arguments that are no JSON go back as `{}`: a request that no provider can read would be refused ever after. */
const parsed = (input: string): unknown => {
  try {
    return JSON.parse(input);
  } catch {
    return {};
  }
};

const urlOf = ({ url, originalUrl }: { url: URL; originalUrl?: string }): string => originalUrl ?? String(url);

const bytesOf = ({ data }: { data: Uint8Array | string }) => ({
  type: "data",
  data: typeof data === "string" ? data : Buffer.from(data).toString("base64"),
});
