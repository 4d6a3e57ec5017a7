import { APICallError } from "@ai-sdk/provider";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { answeredBy } from "../../../src/model/stream/answered.ts";
import { isPage, newsOf } from "../../../src/model/stream/failure.ts";
import { refusedBy } from "../../../src/model/stream/refusal.ts";
import { withoutKeys } from "../../../src/model/stream/secrets.ts";

const api = (statusCode: number | undefined, body: unknown, more = {}) =>
  new APICallError({
    message: "Bad Request",
    url: "https://user:pass@api.test/v1/chat?key=AIzaSecret",
    requestBodyValues: {},
    ...(statusCode !== undefined && { statusCode }),
    responseBody: typeof body === "string" ? body : JSON.stringify(body),
    ...more,
  });
const refused = (error: unknown) => refusedBy(answeredBy(error));

describe("a refusal", () => {
  it.each([
    api(400, { error: { code: "context_length_exceeded", message: "no" } }),
    api(400, { error: { type: "exceed_context_size_error", code: 400, message: "no" } }),
    api(413, "<html>too large</html>"),
    api(413, { type: "error", error: { type: "request_too_large", message: "no" } }),
    api(400, { type: "error", error: { type: "invalid_request_error", message: "prompt is too long: 2 > 1 maximum" } }),
    api(400, { error: { message: "input length and `max_tokens` exceed context limit: 3 + 4 > 5" } }),
    api(400, { message: "This model's maximum context length is 4096 tokens", type: "BadRequestError" }),
    api(400, { error: { message: "The input token count (9) exceeds the maximum number of tokens allowed (8)." } }),
    { message: "no", code: "context_length_exceeded", statusCode: 400, isRetryable: false },
  ])("is about the length where its name says so, or its words where it has no name: %o", (error) =>
    expect(refused(error)).toBe("length"),
  );

  it.each([api(400, { error: { message: "bad" } }), api(422, { detail: "bad" }), api(400, ""), { code: 400 }])(
    "is about something in the request: %o",
    (error) => expect(refused(error)).toBe("content"),
  );

  it.each([
    api(401, { error: { message: "prompt is too long" } }),
    api(404, { error: { message: "no such model" } }),
    api(429, { error: { message: "maximum context length" } }),
    api(500, {}),
    api(undefined, ""),
    new Error("prompt is too long"),
    { code: 7 },
    null,
    undefined,
    "gone",
  ])("is not about the request: %o", (error) => expect(refused(error)).toBeUndefined());

  it("is never asked again as it is, whatever the SDK says of its status", () =>
    expect(newsOf(api(400, { error: { code: "context_length_exceeded" } }, { isRetryable: true }), 0)).toMatchObject({
      retryable: false,
      refused: "length",
    }));
});

describe("what a provider says", () => {
  it.each<[unknown, string]>([
    [api(400, { error: "in a word" }), "in a word."],
    [api(400, { detail: "in detail" }), "in detail."],
    [api(400, { error: { message: "nested" } }), "nested."],
    [api(400, "<html>page</html>"), "Bad Request."],
    [api(400, { error: { message: " " } }), "Bad Request."],
  ])("is what the message has: %o", (error, words) =>
    expect(newsOf(error, 0).message).toBe(`The request to the model failed (HTTP 400): ${words}`),
  );

  it("comes with the address that was not there, but for what may be secret in it", () =>
    expect(newsOf(api(404, {}), 0).message).toContain("(HTTP 404 from https://api.test/v1/chat)"));

  it("is no failure of the request when the answer broke off: it may be tried again", () => {
    const broke = api(200, "", { message: "Failed to process successful response", isRetryable: false });
    expect(newsOf(broke, 0)).toEqual({
      retryable: true,
      message: "The request to the model failed: Failed to process successful response.",
    });
  });

  it.each([
    [{ code: 400, message: "no" }, false],
    [{ code: "404", message: "no" }, false],
    [{ status: 503, message: "no" }, true],
    [{ code: 429, message: "no" }, true],
    [{ code: "insufficient_quota", message: "no" }, false],
    [{ code: 400, message: "no", isRetryable: true }, false],
    [{ code: 7, message: "no" }, true],
  ])("in a stream tells by its status whether it may be tried again: %o", (error, retryable) =>
    expect(newsOf(error, 0, true).retryable).toBe(retryable),
  );

  it("of a request that cannot be made is final; the same in the middle of an answer is not", () => {
    const ours = [
      new TypeError("Headers.append: no"),
      new TypeError("Failed to parse URL", { cause: Object.assign(new Error(), { code: "ERR_INVALID_URL" }) }),
    ];
    for (const error of ours) {
      expect(newsOf(error, 0).retryable).toBe(false);
      expect(newsOf(error, 0, true).retryable).toBe(true);
    }
  });
});

describe("a key", () => {
  it.each([
    "Incorrect API key provided: sk-proj-abcDEF123456.",
    "bad Bearer abc.def.ghi, sorry",
    'Headers.append: "Bearer two\nlines" is an invalid header value.',
    "API key not valid: AIzaSyA1234567890",
    "gsk_abcdefghijk is no key",
  ])("is in no message: %s", (message) => {
    const shown = withoutKeys(message, false);
    expect(shown).toContain("[hidden]");
    expect(shown).not.toMatch(/sk-proj|abc\.def|lines|SyA1|gsk_/);
  });

  it("of any form is hidden where the message is about keys", () =>
    fc.assert(
      fc.property(fc.stringMatching(/^[A-Za-z]{6}[0-9]{6}[A-Za-z0-9_-]{0,30}$/), (key) => {
        expect(withoutKeys(`no such key: ${key}.`, true)).not.toContain(key);
      }),
    ));

  it.each([
    "The model `claude-sonnet-4-5-20250929` does not exist.",
    "See https://platform.openai.com/account/api-keys and the api-reference.",
    "prompt is too long: 210000 tokens > 200000 maximum",
  ])("is not seen in other words: %s", (message) => expect(withoutKeys(message, false)).toBe(message));
});

describe("an answer", () => {
  it.each([
    ["text/html", true],
    ["TEXT/HTML; charset=utf-8", true],
    ["text/event-stream", false],
    ["application/json", false],
    ["", false],
  ])("of type %s is a page: %s", (type, is) => {
    expect(isPage({ "content-type": type })).toBe(is);
    expect(isPage(undefined)).toBe(false);
  });
});
