import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { ContentItem, DisplaySegment } from "../../machines/history/entry.ts";
import { ToolError } from "../../src/errors.ts";
import { failureOf, resultOf, storedLimit } from "../../src/tool/result.ts";
import { said } from "./bench-of-calls.ts";

const text = (value: unknown) => said(resultOf(value));
const cyclic = () => {
  const value: Record<string, unknown> = { n: 1 };
  value.self = value;
  value.map = new Map([["back", value]]);
  return value;
};

describe("what a tool returns", () => {
  it.each([
    ["text", "hello", "hello"],
    ["a number", 42, "42"],
    ["false", false, "false"],
    ["null", null, "null"],
    ["nothing", undefined, "(no output)"],
    ["empty text", "", "(no output)"],
    ["blank text", " \n", "(no output)"],
    ["no content", { content: [] }, "(no output)"],
    [
      "blank items",
      [
        { type: "text", text: "" },
        { type: "text", text: " " },
      ],
      "(no output)",
    ],
    ["an object", { a: [1, "b"] }, '{"a":[1,"b"]}'],
    ["an empty list", [], "[]"],
    ["a date", new Date(0), "1970-01-01T00:00:00.000Z"],
    ["no date", new Date(Number.NaN), "Invalid Date"],
    ["a bigint", 12n, "12"],
    ["NaN", Number.NaN, "NaN"],
    ["content beside other fields", { content: "x", page: 2 }, '{"content":"x","page":2}'],
    ["an error beside other fields", { error: null, data: 1 }, '{"error":null,"data":1}'],
    ["a NUL and half an emoji", "a\0b\ud83d", "a\uFFFDb\uFFFD"],
  ])("has a form: %s", (_, value, expected) => {
    expect(text(value)).toBe(expected);
    expect(resultOf(value)).not.toHaveProperty("error");
  });

  it("has a form for what JSON has none for (a Date, a BigInt, a Map, a function, undefined, NaN, a cycle)", () => {
    const odd = {
      at: new Date(0),
      n: 1n,
      m: new Map([["k", 1]]),
      s: new Set([1]),
      f() {},
      u: undefined,
      nan: Number.NaN,
      bad: new Date(Number.NaN),
      bytes: Buffer.from("abc"),
      e: new Error("secret"),
      pairs: new Map([[1, 2]]),
    };
    expect(JSON.parse(text(odd))).toEqual({
      at: "1970-01-01T00:00:00.000Z",
      n: "1",
      m: { k: 1 },
      s: [1],
      nan: "NaN",
      bad: "Invalid Date",
      bytes: "[3 bytes]",
      e: "[Error]",
      pairs: [[1, 2]],
    });
    expect(JSON.parse(text(cyclic()))).toEqual({ n: 1, self: "[Circular]", map: { back: "[Circular]" } });
    const shared = { x: 1 };
    expect(text({ a: shared, b: [shared, shared] })).toBe('{"a":{"x":1},"b":[{"x":1},{"x":1}]}');
  });

  it("may be content items, display segments and errors", () => {
    const image = { type: "image" as const, data: "aGk=", mediaType: "image/png" };
    const diff = { type: "diff" as const, content: { path: "a", patch: "b" } };
    expect(resultOf([{ type: "text", text: "see" }, image])).toEqual({
      content: [{ type: "text", text: "see" }, image],
    });
    expect(resultOf(image)).toEqual({ content: [image] });
    expect(resultOf({ content: "see", display: [diff] })).toEqual({
      content: [{ type: "text", text: "see" }],
      display: [diff],
    });
    expect(resultOf({ error: "gone", display: "Gone" })).toEqual({
      content: [{ type: "text", text: "Error: gone" }],
      error: true,
      display: [{ type: "text", content: "Gone" }],
    });
    expect(resultOf({ content: "see", display: [{ type: "film" }] })).toEqual({
      content: [{ type: "text", text: "see" }],
    });
  });

  it("tells in words of an image that would break every later request", () => {
    for (const image of [
      { data: "not base64!", mediaType: "image/png" },
      { data: "aGk=", mediaType: "text/html" },
      { data: "", mediaType: "image/png" },
    ])
      expect(text([{ type: "image", ...image }])).toContain("an image was left out");
  });

  it("is an error result when it has no form", () => {
    const throwing = {
      get a() {
        throw new Error("secret");
      },
    };
    let deep: unknown = 1;
    for (let n = 0; n < 100_000; n++) deep = [deep];
    const revoked = Proxy.revocable({}, {});
    revoked.revoke();
    for (const value of [
      () => 1,
      Symbol("x"),
      throwing,
      deep,
      revoked.proxy,
      new Error("secret"),
      {
        toJSON() {
          throw new Error("secret");
        },
      },
    ]) {
      const result = resultOf(value);
      expect(result.error).toBe(true);
      expect(said(result)).toMatch(/^Error: The tool returned/);
      expect(said(result)).not.toContain("secret");
    }
    expect(text(new ToolError("mine"))).toBe("Error: mine");
  });

  it("is an error result beyond 10 MB, also when it only grows so large by being written out", () => {
    let doubling: unknown = "x".repeat(1_000);
    for (let n = 0; n < 40; n++) doubling = [doubling, doubling];
    for (const value of [
      "x".repeat(storedLimit + 1),
      doubling,
      [{ type: "image", data: "aaaa".repeat(3_000_000), mediaType: "image/png" }],
    ])
      expect(resultOf(value)).toMatchObject({
        error: true,
        content: [{ text: expect.stringContaining("larger than 10 MB") }],
      });
    expect(resultOf("x".repeat(10_000_000))).not.toHaveProperty("error");
  });

  it("can always be stored and sent: well-formed, never blank, plain JSON, whatever it was", () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.anything({
            withBigInt: true,
            withDate: true,
            withMap: true,
            withSet: true,
            withTypedArray: true,
            withNullPrototype: true,
          }),
          fc.record({ content: fc.anything(), display: fc.anything() }),
          fc.string({ unit: "binary" }),
        ),
        (value) => {
          const result = resultOf(value);
          expect(z.array(ContentItem).min(1).parse(result.content)).toEqual(result.content);
          if (result.display) expect(z.array(DisplaySegment).min(1).parse(result.display)).toEqual(result.display);
          expect(JSON.parse(JSON.stringify(result))).toEqual(result);
          for (const item of result.content)
            if (item.type === "text") {
              expect(item.text.trim()).not.toBe("");
              expect(item.text.isWellFormed() && !item.text.includes("\0")).toBe(true);
            }
        },
      ),
    );
  });
});

describe("what a tool throws", () => {
  const secret = new Error("connect /var/run/db.sock?token=abc", { cause: new Error("denied") });

  it("is shown to the model when it is a ToolError, and told nobody else", () =>
    expect(failureOf(new ToolError("no build 42"), "r1")).toEqual({
      content: [{ type: "text", text: "Error: no build 42" }],
      error: true,
      origin: "tool",
    }));

  it("is a reference to the model, and its cause to the feed", () =>
    expect(failureOf(secret, "r1")).toEqual({
      content: [{ type: "text", text: "Error: The tool failed (reference r1)." }],
      error: true,
      origin: "tool",
      failure: { reference: "r1", message: "Error: connect /var/run/db.sock?token=abc, caused by Error: denied" },
    }));

  it("names its status when it has a numeric one", () => {
    expect(failureOf(Object.assign(new Error("secret"), { status: 503 }), "r1")).toMatchObject({
      origin: "http_error",
      content: [{ text: "Error: The tool failed with status 503 (reference r1)." }],
    });
    expect(failureOf({ status: 404 }, "r1").origin).toBe("http_error");
    expect(failureOf({ status: "404" }, "r1").origin).toBe("tool");
    expect(failureOf(Object.assign(new ToolError("gone"), { status: 410 }), "r1")).toMatchObject({
      origin: "http_error",
      content: [{ text: "Error: gone" }],
    });
  });

  it("never makes this throw, and never leaks", () => {
    const hostile = {
      get status() {
        throw new Error("secret");
      },
      toString() {
        throw new Error("secret");
      },
    };
    for (const error of [hostile, Object.create(null), Symbol("secret"), null, undefined, "secret", () => "secret"]) {
      const failed = failureOf(error, "r1");
      expect(said(failed)).toBe("Error: The tool failed (reference r1).");
      expect(failed.failure?.message).toEqual(expect.any(String));
    }
    fc.assert(
      fc.property(fc.anything(), (error) => {
        expect(failureOf(error, "r1").error).toBe(true);
      }),
    );
  });
});
