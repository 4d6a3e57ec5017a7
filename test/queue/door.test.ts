import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { InputRefusedError } from "../../src/errors.ts";
import { parseEnvelope } from "../../src/queue/door.ts";

const limits = { inputSize: 1_000 };
const pass = (value: unknown) => parseEnvelope(value, limits);
const text = (more: object = {}) => ({
  threadId: "acme/1",
  dedupId: "m1",
  input: { kind: "text", text: "hi", ...more },
});
const result = (more: object = {}) => ({
  threadId: "acme/1",
  dedupId: "r1",
  input: { kind: "result", callId: "acme/1#1.0", content: [{ type: "text", text: "done" }], ...more },
});
const event = (more: object = {}) => ({
  threadId: "acme/1",
  dedupId: "e1",
  input: { kind: "event", callId: "acme/1#1.0", text: "red", associative: true, ...more },
});

const refusalOf = (value: unknown): InputRefusedError => {
  try {
    pass(value);
  } catch (error) {
    if (error instanceof InputRefusedError) return error;
    throw error;
  }
  throw new Error("It was let in.");
};

describe("the door", () => {
  it("lets every kind of input in that this version handles, with its defaults", () => {
    expect(pass(text())).toEqual(text({ sender: "user", whileBusy: "interrupt" }));
    expect(pass(result())).toEqual(result({ origin: "tool" }));
    expect(pass(event())).toEqual(event({ final: false }));
    const others = [
      { kind: "progress", callId: "c", text: "" },
      { kind: "interrupt", sender: "user" },
      { kind: "halt", sender: "user" },
      { kind: "close", sender: "ops" },
      { kind: "report", child: "acme/2", text: "found a bug" },
      { kind: "message", parent: "acme/0", text: "hurry" },
    ];
    for (const input of others) expect(pass({ ...text(), input })).toEqual({ ...text(), input });
  });

  it("leaves out what an envelope does not have, and harms nothing by it", () => {
    const hostile = JSON.parse(
      '{"threadId":"acme/1","dedupId":"m1","x":1,"__proto__":{"y":1},"input":{"kind":"text","text":"hi","z":1,"__proto__":{"w":1}}}',
    );
    expect(Object.keys(pass(hostile).input).sort()).toEqual(["kind", "sender", "text", "whileBusy"]);
    expect(Object.keys(pass(hostile)).sort()).toEqual(["dedupId", "input", "threadId"]);
    expect(({} as { y?: number }).y).toBeUndefined();
  });

  it("keeps metadata as plain data: `__proto__` is left out, `constructor` is a key like any other", () => {
    const metadata = JSON.parse(
      '{"__proto__":{"admin":true},"constructor":{"prototype":1},"list":[1,{"__proto__":2}]}',
    );
    const { input } = pass(text({ metadata: { ...metadata, nothing: undefined } }));
    const kept = input.kind === "text" ? input.metadata : undefined;
    expect(kept).toEqual({ constructor: { prototype: 1 }, list: [1, {}] });
    expect(Object.getPrototypeOf(kept)).toBe(Object.prototype);
  });

  it("lets metadata in as a copy: what its sender changes afterwards does not show", () => {
    const metadata = { tags: ["a"] };
    const { input } = pass(text({ metadata }));
    metadata.tags.push("b");
    expect(input).toMatchObject({ metadata: { tags: ["a"] } });
  });

  it("makes text safe: lone surrogates and NUL become U+FFFD, everything else stays", () => {
    const given = "a\ud800b\0c\udc00 \u{1F600} é\n";
    const safe = "a\ufffdb\ufffdc\ufffd \u{1F600} é\n";
    expect(pass(text({ text: given, metadata: { [given]: [given] } })).input).toMatchObject({
      text: safe,
      metadata: { [safe]: [safe] },
    });
    expect(pass(event({ text: given })).input).toMatchObject({ text: safe });
    const content = [{ type: "text", text: given }];
    const failure = { reference: "r", message: given };
    expect(pass(result({ content, display: [{ type: "text", content: given }], failure })).input).toMatchObject({
      content: [{ type: "text", text: safe }],
      display: [{ type: "text", content: safe }],
      failure: { reference: "r", message: safe },
    });
  });

  it("lets no blank block in (R5): a result without text says so, an event too", () => {
    const blank = [{ type: "text", text: " \n" }];
    const said = [{ type: "text", text: "(no output)" }];
    expect(pass(result({ content: blank })).input).toMatchObject({ content: said });
    expect(pass(result({ content: [] })).input).toMatchObject({ content: said });
    expect(pass(event({ text: "", final: true })).input).toMatchObject({ text: "(no output)", final: true });
    expect(refusalOf(text({ text: " \t\n\u3000" })).message).toMatch(/blank/);
  });

  it("refuses by name a kind that there is not", () => {
    expect(refusalOf(text({ kind: "shout" })).message).toContain('no inputs of kind "shout". It takes text, result');
    expect(refusalOf(text({ kind: 7 })).message).toContain("of kind number");
  });

  it("lets an event in that is handled in a child thread, which is what one is that does not say", () => {
    for (const associative of [false, undefined])
      expect(pass(event({ associative })).input).toMatchObject({ kind: "event", associative: false });
  });

  it("makes safe what threads tell each other, and refuses a blank report or message (R5)", () => {
    const to = { report: "child", message: "parent" } as const;
    for (const kind of ["report", "message"] as const) {
      const told = (words: string) => ({ ...text(), input: { kind, [to[kind]]: "acme/2", text: words } });
      expect(pass(told("a\ud800\0")).input).toMatchObject({ text: "a\ufffd\ufffd" });
      expect(refusalOf(told(" \n")).message).toMatch(new RegExp(`blank. Send a ${kind}`));
      expect(refusalOf(told("x".repeat(1_001))).message).toMatch(/1,001 bytes/);
      expect(refusalOf({ ...told("hi"), input: { kind, text: "hi", [to[kind]]: "a b" } }).message).toMatch(/thread id/);
    }
  });

  it("refuses an input over the limit, with its size and what is taken, counted in bytes of UTF-8", () => {
    expect(pass(text({ text: "é".repeat(500) })).input.kind).toBe("text");
    const { message } = refusalOf(text({ text: `${"é".repeat(500)}x` }));
    expect(message).toMatch(/1,001 bytes, and 1,000 are taken\. Send a part/);
    expect(refusalOf(text({ text: "x".repeat(500), metadata: { note: "y".repeat(500) } })).message).toMatch(
      /text with its metadata/,
    );
    expect(refusalOf(event({ text: "x".repeat(1_001) })).message).toMatch(/1,001 bytes/);
    expect(refusalOf({ ...text(), input: { kind: "progress", callId: "c", text: "x".repeat(1_001) } }).message).toMatch(
      /1,001/,
    );
  });

  it("takes a result up to what is stored of one, and refuses more", () => {
    const megabyte = "x".repeat(1024 * 1024);
    const content = (megabytes: number) => [{ type: "text", text: megabyte.repeat(megabytes) }];
    expect(pass(result({ content: content(10) })).input.kind).toBe("result");
    expect(refusalOf(result({ content: [...content(10), { type: "text", text: "x" }] })).message).toMatch(
      /10,485,761 bytes/,
    );
    const display = [{ type: "diff", content: { path: "a", patch: megabyte.repeat(10) } }];
    expect(refusalOf(result({ display })).message).toMatch(/result has/);
  });

  it("refuses metadata that is no plain JSON, and names the place", () => {
    const cyclic: Record<string, unknown> = { a: {} };
    cyclic.a = [cyclic];
    const at = (metadata: unknown) => refusalOf(text({ metadata })).message;
    expect(at(cyclic)).toMatch(/metadata\.a\[0\] contains itself/);
    expect(at({ n: 1n })).toMatch(/metadata\.n is a bigint/);
    expect(at({ f: () => 1 })).toMatch(/metadata\.f is a function/);
    expect(at({ s: Symbol("s") })).toMatch(/metadata\.s is a symbol/);
    expect(at({ n: [Number.NaN] })).toMatch(/metadata\.n\[0\] is NaN/);
    expect(at({ l: [undefined] })).toMatch(/metadata\.l\[0\] is undefined/);
    expect(at({ d: new Date(0) })).toMatch(/metadata\.d is an instance of Date/);
    expect(at({ m: new Map() })).toMatch(/metadata\.m is an instance of Map/);
    expect(at("tenant")).toMatch(/metadata/);
    expect(at(null)).toMatch(/metadata/);
  });

  it("refuses metadata that is too deep or too wide without walking all of it", () => {
    let deep: unknown = 1;
    for (let level = 0; level < 100_000; level++) deep = { deep };
    expect(refusalOf(text({ metadata: deep })).message).toMatch(/more than 100 levels/);
    let wide: unknown = "x";
    for (let level = 0; level < 90; level++) wide = [wide, wide];
    expect(refusalOf(text({ metadata: { wide } })).message).toMatch(/more than 1000 bytes/);
  });

  it("lets the same object in twice when it does not contain itself", () => {
    const shared = { a: 1 };
    expect(pass(text({ metadata: { one: shared, two: [shared] } })).input).toMatchObject({
      metadata: { one: shared, two: [shared] },
    });
  });

  it("refuses ids that could meet or be cut short, and mends none", () => {
    for (const dedupId of ["", "x".repeat(501), "a\0", "a\ud800", 7, undefined])
      expect(refusalOf({ ...text(), dedupId })).toBeInstanceOf(InputRefusedError);
    for (const sender of ["a\0", "a\udfff", "x".repeat(501)])
      expect(refusalOf(text({ sender })).message).toMatch(/its sender/);
    expect(refusalOf(result({ callId: "a\0" })).message).toMatch(/its call id/);
    for (const threadId of ["", "a b", "x".repeat(201), "a#1", 7, null])
      expect(refusalOf({ ...text(), threadId }).message).toMatch(/thread/);
  });

  it("names the thread in its refusal, cut short", () => {
    expect(refusalOf(text({ text: "" })).threadId).toBe("acme/1");
    expect(refusalOf({ ...text(), threadId: "x".repeat(5_000) }).message.length).toBeLessThan(2_000);
    expect(refusalOf(undefined).threadId).toBe("(none)");
  });

  it("refuses a value that cannot be read, with the cause", () => {
    const cause = new Error("no");
    const thrower = {
      get threadId() {
        throw cause;
      },
    };
    expect(refusalOf(thrower)).toMatchObject({ cause, code: "INPUT_REFUSED" });
    const { proxy, revoke } = Proxy.revocable({}, {});
    revoke();
    expect(refusalOf(proxy).message).toMatch(/cannot be read/);
    expect(refusalOf(text({ metadata: { proxy } })).message).toMatch(/cannot be read/);
  });

  it("whatever comes: an envelope that survives JSON unchanged, or a refusal", () => {
    const nearlyText = fc.record(
      {
        kind: fc.constantFrom("text", "text", "event", "result", "halt", "report", "message", "ended"),
        text: fc.oneof(fc.string({ unit: "binary" }), fc.anything()),
        content: fc.array(
          fc.record({ type: fc.constantFrom("text", "image"), text: fc.string(), data: fc.base64String() }),
        ),
        callId: fc.string({ unit: "binary" }),
        associative: fc.constantFrom(true, false),
        child: fc.constantFrom("acme/2", "acme 2"),
        parent: fc.constantFrom("acme/0", ""),
        metadata: fc.dictionary(fc.string({ unit: "binary" }), fc.anything({ withBigInt: true, withDate: true })),
        sender: fc.string({ unit: "binary" }),
      },
      { requiredKeys: ["kind"] },
    );
    const nearly = fc.record({
      threadId: fc.constantFrom("acme/1", "acme 1"),
      dedupId: fc.string({ unit: "binary" }),
      input: nearlyText,
    });
    let passed = 0;
    fc.assert(
      fc.property(fc.oneof({ weight: 4, arbitrary: nearly }, fc.anything()), (value) => {
        try {
          const envelope = pass(value);
          const json = JSON.stringify(envelope);
          expect(JSON.parse(json)).toEqual(envelope);
          expect(json).not.toMatch(/(?<!\\)(?:\\\\)*\\u(d[89a-f]|0000)/);
          passed++;
        } catch (error) {
          if (!(error instanceof InputRefusedError)) throw error;
        }
      }),
      { numRuns: 1_000 },
    );
    expect(passed).toBeGreaterThan(0);
  });
});

describe("what only the runtime says", () => {
  const callId = "t#1.0";
  it.each([
    [{ kind: "timer", callId, purpose: "wake", due: 0 }, /timers are the system's own/],
    [{ kind: "retry", due: 0 }, /Send a text to have it asked at once/],
    [{ kind: "linger", due: 0 }, /Send a close to end a thread/],
    [{ kind: "ended", child: "t/1", report: null }, /Send a close to the child/],
    [{ kind: "rested", child: "t/1" }, /told by the child itself/],
    [{ kind: "resume" }, /Send a text to the thread/],
  ])("is refused by name from anybody else, with what would work (R9): %j", (input, reason) => {
    const refusal = refusalOf({ threadId: "t", dedupId: "1", input });
    expect(refusal.message).toMatch(reason);
    expect(refusal.message).toContain(`inputs of kind "${input.kind}" are not taken from outside`);
    expect(refusalOf(text({ kind: "shout" })).message).not.toMatch(new RegExp(`It takes.*\\b${input.kind}\\b`));
  });

  it("is also that the work of a child has failed", () => {
    const report = { kind: "report", child: "t/1", text: "it broke", failed: true };
    expect(refusalOf({ threadId: "t", dedupId: "1", input: report }).message).toMatch(/without `failed`/);
  });
});
