import { stripVTControlCharacters } from "node:util";
import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import type { Entry, PlacedEntry } from "../../../machines/history/entry.ts";
import { shortId, wrapped } from "../../../src/cli/columns.ts";
import { fromNow, localTime } from "../../../src/cli/moments.ts";
import { jsonText } from "../../../src/cli/output.ts";
import { writeEntry } from "../../../src/cli/show/entries.ts";
import { paperOf, shortText } from "../../../src/cli/show/paper.ts";

const text = fc.string({
  unit: fc.constantFrom("a", "é", "語", "😀", "e\u0301", " ", "\n", "\t", "long-word-"),
  maxLength: 80,
});

/** As many columns as a terminal gives to a line of the characters above. */
const width = (line: string): number =>
  [...line].reduce((sum, sign) => sum + (sign === "\u0301" ? 0 : sign === "語" || sign === "😀" ? 2 : 1), 0);

describe("text on a terminal", () => {
  it("is in lines that fit, whatever the text, and loses nothing but blanks", () =>
    fc.assert(
      fc.property(text, fc.integer({ min: 12, max: 60 }), (given, columns) => {
        const lines = wrapped(given, columns, "  ");
        for (const line of lines) expect(width(line)).toBeLessThanOrEqual(columns);
        expect(lines.join("").replace(/\s/g, "")).toBe(given.replace(/\s/g, ""));
      }),
    ));

  it("is broken between words, and inside a word that is longer than a line", () => {
    expect(wrapped("one two three", 9, "")).toEqual(["one two", "three"]);
    expect(wrapped("a 0123456789abcdef", 10, "")).toEqual(["a", "0123456789", "abcdef"]);
    expect(wrapped(" 012345678語", 10, "")).toEqual(["", "012345678", "語"]);
  });

  it("is as it was where there is no terminal", () =>
    fc.assert(
      fc.property(text, (given) => {
        expect(wrapped(given, Number.POSITIVE_INFINITY).join("\n")).toBe(
          given.replaceAll("\t", "  ").replace(/ +$/gm, ""),
        );
      }),
    ));

  it("that is long is cut, and says how much was left out", () => {
    expect(shortText("short\n")).toBe("short");
    expect(shortText("x".repeat(1_650))).toHaveLength(1_650);
    expect(shortText("x".repeat(12_500))).toBe(`${"x".repeat(1_500)}…\n[11,000 more characters: --json has them]`);
    expect(shortText("y\n".repeat(60))).toBe(`${"y\n".repeat(20).trimEnd()}…\n[80 more characters: --json has them]`);
  });

  it("says all that an id has at its ends", () => {
    expect(shortId("acme/build-42", 13)).toBe("acme/build-42");
    expect(shortId("acme/build-42", 9)).toBe("acme…d-42");
    expect(shortId("acme/build-42", 2)).toBe("a…");
  });
});

/** Text that would clear the screen, set the title, colour, ring and overwrite, were it written as it is. */
const hostile = fc
  .array(
    fc.constantFrom(
      "\u001b[2J",
      "\u001b]0;me\u0007",
      "\u009b31m",
      "\u001b",
      "[",
      "\r",
      "\b",
      "\0",
      "\ud800",
      "a",
      " ",
      "\n",
      "語",
    ),
    { maxLength: 30 },
  )
  .map((pieces) => pieces.join(""));
const args = fc.dictionary(hostile, hostile, { maxKeys: 2 });
const call = { callId: hostile as never, providerCallId: hostile, name: hostile, args };
const hostileEntry = fc.oneof(
  fc.record({ kind: fc.constant("user"), at: fc.integer(), text: hostile, metadata: args }),
  fc.record({
    kind: fc.constant("turn"),
    at: fc.integer(),
    parts: fc.array(
      fc.oneof(
        fc.record({ type: fc.constantFrom("text", "reasoning"), text: hostile }),
        fc.record({ type: fc.constant("call"), ...call, raw: hostile }),
        fc.record({ type: fc.constant("provided"), part: args }),
      ),
    ),
  }),
  fc.record({
    kind: fc.constant("result"),
    at: fc.integer(),
    callId: hostile,
    name: hostile,
    origin: fc.constant("tool"),
    content: fc.array(
      fc.oneof(
        fc.record({ type: fc.constant("text"), text: hostile }),
        fc.record({ type: fc.constant("image"), mediaType: hostile, data: hostile }),
      ),
    ),
  }),
  fc.record({ kind: fc.constant("event"), at: fc.integer(), source: fc.record(call), text: hostile }),
) as fc.Arbitrary<Entry>;
const placedHistory = fc
  .array(hostileEntry, { maxLength: 4 })
  .map((entries) => entries.map((entry, position): PlacedEntry => ({ position, entry })));

describe("a history", () => {
  it("does nothing to a terminal, whatever is in it, and fits 20 columns", () =>
    fc.assert(
      fc.property(placedHistory, (history) => {
        const paper = paperOf(20);
        for (const entry of history) writeEntry(paper, entry);
        const page = paper.take();
        // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not reach a terminal
        expect(page).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/);
        expect(stripVTControlCharacters(page)).toBe(page);
        for (const line of page.split("\n")) expect(width(line)).toBeLessThanOrEqual(20);
      }),
    ));

  it("says who said what: arguments, origins, sources", () => {
    const paper = paperOf(Number.POSITIVE_INFINITY);
    const source = { callId: "t#1.0" as never, providerCallId: "", name: "watch", args: { what: "mail" } };
    const call = { type: "call", callId: "t#1.0" as never, providerCallId: "", name: "watch", args: {} } as const;
    const entries = [
      { kind: "user", at: 0, text: "hi\nthere", interrupt: true, metadata: { from: "slack" } },
      {
        kind: "turn",
        at: 0,
        parts: [
          { type: "reasoning", text: "hm" },
          { type: "text", text: "Let me see." },
          { ...call, args: { what: "mail" } },
          { ...call, raw: "{nonsense" },
          { type: "provided", part: { type: "source", url: "https://example.com" } },
        ],
      },
      {
        kind: "result",
        at: 0,
        callId: "t#1.0" as never,
        name: "watch",
        origin: "interrupted",
        error: true,
        content: [
          { type: "text", text: "no" },
          { type: "image", data: "aGk=", mediaType: "image/png" },
        ],
      },
      { kind: "event", at: 0, source, text: "You have mail.", final: true },
    ] as const;
    for (const [position, entry] of entries.entries()) writeEntry(paper, { position, entry: entry as never });
    expect(paper.take().replaceAll(/, \d{4}-\S+$/gm, "")).toBe(`[0] the user, interrupting
  hi
  there
  metadata {"from":"slack"}
[1] the agent
  (thinking) hm
  Let me see.
  calls watch({"what":"mail"}), t#1.0
  calls watch(), t#1.0
    it wrote {nonsense
  (made by the provider) {"type":"source","url":"https://example.com"}
[2] error of watch, t#1.0 (interrupted)
  no
  [image/png]
[3] the last event of watch({"what":"mail"}), t#1.0
  You have mail.
`);
  });
});

describe("an instant", () => {
  it.each([
    [0, "now"],
    [499, "now"],
    [1_400, "in 1 second"],
    [-90_000, "90 seconds ago"],
    [3_597_000, "in 60 minutes"],
    [-7_200_000, "2 hours ago"],
    [47 * 3_600_000, "in 47 hours"],
    [3 * 86_400_000, "in 3 days"],
    [100 * 365.25 * 86_400_000, "in 100 years"],
  ])("%d ms off is %s", (distance, said) => expect(fromNow(1_000_000 + distance, 1_000_000)).toBe(said));

  it.each([
    ["UTC", "1970-01-01T00:00:00+00:00"],
    ["Asia/Kolkata", "1970-01-01T05:30:00+05:30"],
    ["America/St_Johns", "1969-12-31T20:30:00-03:30"],
  ])("is told in the time zone of the process: %s", (zone, said) => {
    vi.stubEnv("TZ", zone);
    expect(localTime(0)).toBe(said);
    vi.unstubAllEnvs();
  });

  it("is told in local time, and means the same instant, whichever it is", () =>
    fc.assert(
      fc.property(fc.date({ min: new Date(0), max: new Date(4e12), noInvalidDate: true }), (date) => {
        expect(localTime(date.getTime())).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[+-]\d\d:\d\d$/);
        expect(new Date(localTime(date.getTime())).getTime()).toBe(Math.floor(date.getTime() / 1_000) * 1_000);
      }),
    ));

  it.each([Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, 8.64e15, -8.64e15, Number.NaN])(
    "that no calendar has is told all the same: %d",
    (at) => expect(localTime(at)).toMatch(/[+-]\d\d:\d\d$/),
  );
});

describe("JSON for other programs", () => {
  it("reads back as what it was made of and does nothing to a terminal, whatever it is", () =>
    fc.assert(
      fc.property(fc.jsonValue({ stringUnit: "binary" }), (value) => {
        const json = jsonText(value);
        // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not reach a terminal
        expect(json).not.toMatch(/[\u0000-\u001f\u007f-\u009f]/);
        expect(JSON.parse(json)).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    ));
});
