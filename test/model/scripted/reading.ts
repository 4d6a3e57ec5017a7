import type { LanguageModelV4, LanguageModelV4CallOptions, LanguageModelV4StreamPart } from "@ai-sdk/provider";

export const hello: LanguageModelV4CallOptions = {
  prompt: [{ role: "user", content: [{ type: "text", text: "hello" }] }],
};

/** Everything a model streams. */
export const partsFrom = async (
  model: LanguageModelV4,
  options: LanguageModelV4CallOptions = hello,
): Promise<LanguageModelV4StreamPart[]> => {
  const { stream } = await model.doStream(options);
  const parts: LanguageModelV4StreamPart[] = [];
  for await (const part of stream) parts.push(part);
  return parts;
};

export const typesOf = (parts: readonly LanguageModelV4StreamPart[]): string[] => parts.map(({ type }) => type);

export const textOf = (parts: readonly LanguageModelV4StreamPart[]): string =>
  parts.map((part) => (part.type === "text-delta" ? part.delta : "")).join("");

export const ending = (parts: readonly LanguageModelV4StreamPart[]): string | undefined => {
  const last = parts.at(-1);
  return last?.type === "finish" ? last.finishReason.unified : undefined;
};
