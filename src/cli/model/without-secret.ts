import type { LanguageModelV4, LanguageModelV4StreamPart } from "@ai-sdk/provider";

/** Characters; a shorter one is no secret, as the `ollama` that some clients insist on is none. */
const shortest = 8;

const cleanText = (text: string, secret: string): string => text.replaceAll(secret, "(the key)");

/** Takes the secret out of what an error says, and out of its causes. The error stays the same object, of its class. */
const cleaned = (error: unknown, secret: string, depth = 4): unknown => {
  if (typeof error === "string") return cleanText(error, secret);
  if (typeof error !== "object" || error === null || depth === 0) return error;
  for (const name of Object.getOwnPropertyNames(error)) {
    const value: unknown = Reflect.get(error, name);
    const clean = cleaned(value, secret, depth - 1);
    if (clean !== value) Reflect.set(error, name, clean);
  }
  return error;
};

const cleanStream = (
  source: ReadableStream<LanguageModelV4StreamPart>,
  secret: string,
): ReadableStream<LanguageModelV4StreamPart> => {
  const reader = source.getReader();
  return new ReadableStream({
    async pull(controller) {
      try {
        const { done, value } = await reader.read();
        if (done) return controller.close();
        controller.enqueue(value.type === "error" ? { ...value, error: cleaned(value.error, secret) } : value);
      } catch (error) {
        throw cleaned(error, secret);
      }
    },
    cancel: (reason) => reader.cancel(reason),
  });
};

/**
 * The same model, whose errors never say the secret: some servers repeat a wrong key in what they answer, and failures are
 * shown and stored.
 */
export const withoutSecret = (model: LanguageModelV4, secret: string | undefined): LanguageModelV4 => {
  if (secret === undefined || secret.length < shortest) return model;
  const clean = async <T>(request: PromiseLike<T>): Promise<T> => {
    try {
      return await request;
    } catch (error) {
      throw cleaned(error, secret);
    }
  };
  return {
    specificationVersion: model.specificationVersion,
    provider: model.provider,
    modelId: model.modelId,
    get supportedUrls() {
      return model.supportedUrls;
    },
    doGenerate: (options) => clean(model.doGenerate(options)),
    async doStream(options) {
      const { stream, ...rest } = await clean(model.doStream(options));
      return { ...rest, stream: cleanStream(stream, secret) };
    },
  };
};
