import {
  APICallError,
  InvalidPromptError,
  InvalidResponseDataError,
  LoadAPIKeyError,
  NoSuchModelError,
  UnsupportedFunctionalityError,
} from "@ai-sdk/provider";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { newsOf } from "../../../src/model/stream/failure.ts";
import { retryAfterOf } from "../../../src/model/stream/retry-after.ts";

const now = Date.UTC(2026, 9, 21, 7, 28, 0);
const api = (more: Partial<ConstructorParameters<typeof APICallError>[0]> = {}) =>
  new APICallError({ message: "Too many requests", url: "https://x.test", requestBodyValues: {}, ...more });

describe("the wait that a provider asks for", () => {
  it.each<[Record<string, string>, number | undefined]>([
    [{ "retry-after-ms": "1500" }, 1_500],
    [{ "retry-after": "7" }, 7_000],
    [{ "Retry-After": " 0.5 " }, 500],
    [{ "retry-after": "86400" }, 86_400_000],
    [{ "retry-after": "Wed, 21 Oct 2026 07:28:30 GMT" }, 30_000],
    [{ "retry-after": "Wed, 21 Oct 2026 07:27:30 GMT" }, 0],
    [{ "retry-after-ms": "250", "retry-after": "7" }, 250],
    [{ "retry-after-ms": "soon", "retry-after": "7" }, 7_000],
    [{ "retry-after": "abc" }, undefined],
    [{ "retry-after": "abc, 12" }, undefined],
    [{ "retry-after": "-5" }, undefined],
    [{ "retry-after": "12 monkeys" }, undefined],
    [{ "retry-after": "" }, undefined],
    [{ "retry-after": "9".repeat(400) }, undefined],
    [{}, undefined],
  ])("in %j is %s ms", (headers, ms) => expect(retryAfterOf(headers, now)).toBe(ms));

  it("is a length of time or nothing, whatever the header says", () =>
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.float().map(String), fc.date().map(String)), (value) => {
        const ms = retryAfterOf({ "retry-after": value, "retry-after-ms": value }, now);
        if (ms !== undefined) expect(Number.isFinite(ms) && ms >= 0).toBe(true);
      }),
    ));
});

describe("the failure of a request", () => {
  it("may be tried again when the SDK says so, and waits as its headers say", () => {
    const error = api({ statusCode: 429, isRetryable: true, responseHeaders: { "retry-after": "7" } });
    expect(newsOf(error, now)).toEqual({
      retryable: true,
      retryAfter: 7_000,
      message: "The request to the model failed (HTTP 429): Too many requests.",
    });
  });

  it("is fatal when the SDK says so, whatever its message says", () =>
    expect(newsOf(api({ statusCode: 400, isRetryable: false, message: "please retry, overloaded" }), now)).toEqual({
      retryable: false,
      refused: "content",
      message: "The request to the model failed (HTTP 400): please retry, overloaded.",
    }));

  it.each([
    new LoadAPIKeyError({ message: "no key" }),
    new InvalidPromptError({ prompt: [], message: "no" }),
    new NoSuchModelError({ modelId: "x", modelType: "languageModel" }),
    new UnsupportedFunctionalityError({ functionality: "files" }),
  ])("is fatal when the request itself cannot work: $name", (error) =>
    expect(newsOf(error, now).retryable).toBe(false),
  );

  it.each([
    new TypeError("fetch failed", { cause: new Error("ECONNRESET") }),
    new Error("socket hang up, do not retry"),
    new DOMException("aborted by the model's own timeout", "AbortError"),
    new InvalidResponseDataError({ data: {} }),
    { type: "overloaded_error", message: "Overloaded" },
    "gone",
    undefined,
    null,
  ])("may be tried again when it says nothing of itself: %s", (error) =>
    expect(newsOf(error, now).retryable).toBe(true),
  );

  it("of a gateway says of itself whether it may be tried again", () =>
    expect(newsOf(Object.assign(new Error("no credit"), { isRetryable: false }), now).retryable).toBe(false));

  it.each<[unknown, string]>([
    [{ type: "overloaded_error", message: "Overloaded" }, "Overloaded."],
    [{ code: 7 }, '{"code":7}.'],
    ["gone", "gone."],
    [new Error(""), "Error."],
    [new Error("Stop!"), "Stop!"],
    [Object.assign(Object.create(null), { self: 1n }), "an error that cannot be shown."],
  ])("is told in words, as a whole sentence: %o", (error, words) =>
    expect(newsOf(error, now).message).toBe(`The request to the model failed: ${words}`),
  );

  it("is told in short where a provider answers with a page", () =>
    expect(newsOf(new Error("x".repeat(1e6)), now).message.length).toBeLessThan(1_100));
});
