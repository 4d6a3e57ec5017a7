import { describe, expect, it } from "vitest";
import { TurnTooLongError } from "../../../src/errors.ts";
import { call, judge, type Part, Reading, reasoning, text } from "./reading.ts";

const read = (...parts: readonly Part[]) => new Reading().read(...parts);
const delta = (id: string, words: string): Part => ({ type: "text-delta", id, delta: words });
const start = (id: string): Part => ({ type: "text-start", id });
const end = (id: string): Part => ({ type: "text-end", id });

describe("what a provider tells of its stream", () => {
  it("is no content of the turn, unlike other parts of its own making", () => {
    const custom = (kind: `${string}.${string}`): Part => ({ type: "custom", kind, providerMetadata: { p: { a: 1 } } });
    const { told } = new Reading().read(custom("anthropic.message_start"), custom("anthropic.fallback")).finish();
    expect(told).toEqual(["provided:custom"]);
  });
});

describe("the blocks of a turn", () => {
  it("are handed on as soon as they are whole", () => {
    const reading = read(...reasoning("hm", "s"), ...text("hello"), start("t2"), delta("t2", "and"));
    expect(reading.told).toEqual(["reasoning:hm", "text:hello"]);
  });

  it("come in the order the model began them, however their parts interleave", () => {
    const [a, b, c] = ["a", "b", "c"].map((name, index) => call(name, { index }, `id-${index}`));
    const parts = [a?.[0], b?.[0], c?.[0], c?.[1], b?.[1], c?.[2], c?.[3], a?.[1], b?.[2], b?.[3], a?.[2], a?.[3]];
    const { blocks } = read(...parts.flatMap((part) => part ?? []));
    expect(blocks).toMatchObject([
      { name: "a", args: { index: 0 } },
      { name: "b", args: { index: 1 } },
      { name: "c", args: { index: 2 } },
    ]);
  });

  it("keep apart what has the same id one after the other, also while an earlier one is open", () => {
    const reading = read(start("open"), delta("open", "first"), ...text("second", "0"), ...text("third", "0"));
    expect(reading.read(end("open")).told).toEqual(["text:first", "text:second", "text:third"]);
  });

  it("end where their id starts anew, though their provider does not say so", () => {
    const reading = read(start("0"), delta("0", "first"), start("0"), delta("0", "second"), end("0"));
    expect(reading.told).toEqual(["text:first", "text:second"]);
  });

  it("keep apart calls whose ids are empty, in the order they began", () => {
    const one = call("one", { n: 1 }, "");
    const two = call("two", { n: 2 }, "");
    const reading = read(one[0] as Part, two[0] as Part, one[3] as Part, two[3] as Part);
    expect(reading.blocks).toMatchObject([
      { name: "one", providerCallId: "", args: { n: 1 } },
      { name: "two", providerCallId: "", args: { n: 2 } },
    ]);
  });

  it("end with the turn where their provider does not end them, but for calls without their whole arguments", () => {
    const reading = read(start("t"), delta("t", "hello"), { type: "tool-input-start", id: "c", toolName: "half" });
    expect(reading.finish().told).toEqual(["text:hello"]);
  });

  it("begin with a delta where their provider does not start them, and an end of nothing is nothing", () =>
    expect(read(delta("t", "hello"), end("t"), end("t"), { type: "reasoning-end", id: "r" }).told).toEqual([
      "text:hello",
    ]));

  it("are whole characters: half a surrogate pair becomes U+FFFD", () => {
    const { blocks } = read(...text("a\ud83d"), ...reasoning("\ude00b", "s"), ...call("c\ud800"));
    expect(blocks).toMatchObject([{ text: "a\ufffd" }, { text: "\ufffdb" }, { name: "c\ufffd" }]);
  });
});

describe("provider metadata", () => {
  it("goes with its block untouched", () => {
    const providerMetadata = { maker: { signature: "s==", nested: { list: [1, null, "x"] } } };
    const { blocks } = read({ type: "tool-call", toolCallId: "c", toolName: "c", input: "{}", providerMetadata });
    expect(blocks[0]).toMatchObject({ providerMetadata });
  });

  it("is what start, deltas and end say together, the later word of a provider in place of the earlier", () => {
    const { blocks } = read(
      { type: "reasoning-start", id: "r", providerMetadata: { one: { a: 1 }, two: { b: 1 } } },
      { type: "reasoning-delta", id: "r", delta: "", providerMetadata: { two: { b: 2 } } },
      { type: "reasoning-end", id: "r", providerMetadata: { three: { c: 3 } } },
    );
    expect(blocks[0]).toMatchObject({ providerMetadata: { one: { a: 1 }, two: { b: 2 }, three: { c: 3 } } });
  });

  it("of a call is gathered from its input on", () => {
    const { blocks } = read(
      { type: "tool-input-start", id: "c", toolName: "c", providerMetadata: { one: { a: 1 } } },
      { type: "tool-input-end", id: "c", providerMetadata: { two: { b: 2 } } },
      { type: "tool-call", toolCallId: "c", toolName: "c", input: "{}", providerMetadata: { three: { c: 3 } } },
    );
    expect(blocks[0]).toMatchObject({ providerMetadata: { one: { a: 1 }, two: { b: 2 }, three: { c: 3 } } });
  });

  it("decides whether reasoning is kept: without a signature it is shown only", () => {
    const empty: Part = { type: "reasoning-end", id: "r", providerMetadata: { maker: {} } };
    const { blocks } = read(
      ...reasoning("draft"),
      ...reasoning("signed", "s"),
      { type: "reasoning-start", id: "r" },
      empty,
    );
    expect(blocks.map((block) => block.type === "reasoning" && block.keep)).toEqual([false, true, false]);
    expect(blocks[2]).not.toHaveProperty("providerMetadata");
  });

  it("is not asked for when the model's options want unsigned reasoning back", () =>
    expect(new Reading({ keepUnsignedReasoning: true }).read(...reasoning("draft")).blocks).toMatchObject([
      { keep: true },
    ]));
});

describe("a call", () => {
  it("is judged when it is whole, by what the model wrote", () => {
    const seen: string[][] = [];
    const reading = new Reading({
      judge: (name, raw) => {
        seen.push([name, raw]);
        return { ...judge(name, raw), display: "Add" };
      },
    });
    reading.read(...call("add", { a: 1 }));
    expect(seen).toEqual([["add", '{"a":1}']]);
    expect(reading.blocks).toEqual([
      {
        type: "call",
        providerCallId: "id-add",
        name: "add",
        args: { a: 1 },
        display: "Add",
        verdict: { as: "accepted", form: "run", passive: false, onRestart: "fail" },
      },
    ]);
  });

  it.each(["", "[1]", '"x"', "12", "{not json", '{"a":'])("keeps its text when that is no JSON object: %j", (input) =>
    expect(read({ type: "tool-call", toolCallId: "c", toolName: "c", input }).blocks[0]).toMatchObject({
      args: {},
      raw: input,
      verdict: { as: "refused" },
    }),
  );
});

describe("what the provider makes itself", () => {
  const searches: Part = {
    type: "tool-call",
    toolCallId: "s1",
    toolName: "web_search",
    input: '{"q":"x"}',
    providerExecuted: true,
    providerMetadata: { maker: { id: "1" } },
  };
  const found: Part = { type: "tool-result", toolCallId: "s1", toolName: "web_search", result: { hits: [1] } };

  it("is content that can be sent back, not a call", () => {
    const { blocks } = read(searches, { ...found, isError: true });
    expect(blocks).toEqual([
      {
        type: "provided",
        part: {
          type: "tool-call",
          toolCallId: "s1",
          toolName: "web_search",
          input: { q: "x" },
          providerExecuted: true,
          providerOptions: { maker: { id: "1" } },
        },
      },
      {
        type: "provided",
        part: {
          type: "tool-result",
          toolCallId: "s1",
          toolName: "web_search",
          output: { type: "error-json", value: { hits: [1] } },
        },
      },
    ]);
  });

  it("is in its place when its input was begun before other blocks", () => {
    const begins: Part = { type: "tool-input-start", id: "s1", toolName: "web_search", providerExecuted: true };
    expect(read(begins, ...text("so"), searches, found).told).toEqual([
      "provided:tool-call",
      "text:so",
      "provided:tool-result",
    ]);
  });

  it("is kept with its result or, in a turn that is cut, not at all", () => {
    expect(read(...text("so"), searches, ...text("then")).abandon()).toMatchObject([{ text: "so" }, { text: "then" }]);
    expect(read(searches, found).abandon()).toHaveLength(2);
  });

  it("stays without its result when the provider ends the turn so: the result comes with a later one", () =>
    expect(read(searches, ...text("later")).finish().told).toEqual(["provided:tool-call", "text:later"]));

  it("is the final result only, not what was shown on the way", () =>
    expect(read(searches, { ...found, preliminary: true }, found).told).toHaveLength(2));

  it("is plain JSON: bytes are base64, a URL is its text, halves of characters are mended", () => {
    const { blocks } = read(
      { type: "file", mediaType: "image/png", data: { type: "data", data: new Uint8Array([1, 2, 255]) } },
      { type: "file", mediaType: "image/png", data: { type: "url", url: new URL("https://x.test/a?b") } },
      { type: "reasoning-file", mediaType: "image/png", data: { type: "data", data: "AQL/" } },
      { type: "custom", kind: "maker.compaction", providerMetadata: { maker: { id: "1" } } },
      { type: "tool-result", toolCallId: "x", toolName: "x", result: "a\ud83d" },
    );
    expect(blocks.map((block) => block.type === "provided" && block.part)).toEqual([
      { type: "file", mediaType: "image/png", data: { type: "data", data: "AQL/" } },
      { type: "file", mediaType: "image/png", data: { type: "url", url: "https://x.test/a?b" } },
      { type: "reasoning-file", mediaType: "image/png", data: { type: "data", data: "AQL/" } },
      { type: "custom", kind: "maker.compaction", providerOptions: { maker: { id: "1" } } },
      { type: "tool-result", toolCallId: "x", toolName: "x", output: { type: "json", value: "a\ufffd" } },
    ]);
  });

  it("goes back with {} where its arguments are no JSON, for every later request would be refused", () =>
    expect(read({ ...searches, input: "{oops" }, found).blocks[0]).toMatchObject({ part: { input: {} } }));

  it("is nothing where no prompt takes it back", () =>
    expect(
      read(
        { type: "source", sourceType: "url", id: "1", url: "https://x.test" },
        { type: "ping" },
        { type: "raw", rawValue: 1 },
        { type: "response-metadata", id: "1" },
        { type: "stream-start", warnings: [] },
      ).finish().blocks,
    ).toEqual([]));
});

describe("a turn without end", () => {
  const bounded = () => new Reading({ limit: 100 });
  const flood = (part: Part) => () => {
    const reading = bounded();
    for (let n = 0; n < 200; n++) reading.read(part);
  };

  it.each<[string, Part]>([
    ["text", delta("t", "xx")],
    ["reasoning", { type: "reasoning-delta", id: "r", delta: "xx" }],
    ["arguments", { type: "tool-input-delta", id: "c", delta: "xx" }],
    ["parts with nothing in them", { type: "ping" }],
  ])("of %s fails at the limit, by name", (_, part) => expect(flood(part)).toThrow(TurnTooLongError));

  it("fails for one file that is too large", () =>
    expect(() =>
      bounded().read({ type: "file", mediaType: "x/y", data: { type: "data", data: "x".repeat(200) } }),
    ).toThrow("100 characters"));

  it("counts arguments once, though they come in pieces and as a whole", () =>
    expect(bounded().read(...call("c", { a: "x".repeat(70) })).told).toEqual(["call:c"]));
});
