import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { callsOf, type PlacedEntry } from "../../machines/history/entry.ts";
import { refusalsOf } from "../../src/model/scripted/strict.ts";
import { createPromptBuilder, type PromptStyle } from "../../src/prompt/builder.ts";
import { showsEventsAsCalls, withEventsAsText } from "../../src/prompt/pair.ts";
import type { SeenMessage } from "../../src/testing/scenarios/messages.ts";
import { requestMessages } from "../../src/testing/scenarios/request-messages.ts";
import { storedMessages } from "../../src/testing/scenarios/stored-messages.ts";
import { safeText } from "../../src/tool/text.ts";
import {
  anyChildHistory,
  anyRequestHistory,
  anyStoredHistory,
  anyStyle,
  signed,
} from "../support/history/histories.ts";

const built = (style: PromptStyle, entries: readonly PlacedEntry[]) => {
  const builder = createPromptBuilder(style);
  builder.append(entries);
  return builder.prompt("instructions with a lone \ud800 surrogate");
};

/** Whether a request can end here: an input is last, or the last result of a turn. */
const endsRequest = (entries: readonly PlacedEntry[], end: number): boolean => {
  const [last, next] = [entries[end - 1]?.entry, entries[end]?.entry];
  if (last?.kind === "result") return next?.kind !== "result";
  return last?.kind === "user" || last?.kind === "event" || last?.kind === "seed";
};

describe("a request (R5)", () => {
  it("is well formed for every well-formed history", () =>
    fc.assert(
      fc.property(anyRequestHistory, anyStyle, (entries, style) => {
        expect(refusalsOf(built(style, entries), { files: style.supportsImages })).toEqual([]);
      }),
      { numRuns: 500 },
    ));

  it("of a child that opens with a seed is well formed, and begins with what its parent's requests begin with", () =>
    fc.assert(
      fc.property(anyChildHistory, anyStyle, (entries, style) => {
        const prompt = built(style, entries);
        expect(refusalsOf(prompt, { files: style.supportsImages })).toEqual([]);
        const seed = entries.findIndex(({ entry }) => entry.kind === "seed");
        fc.pre(endsRequest(entries, seed));
        const inherited = built(style, entries.slice(0, seed));
        expect(prompt.slice(0, inherited.length)).toEqual(inherited);
      }),
      { numRuns: 300 },
    ));

  it("is taken by a model that wants its signatures back, with events as text", () =>
    fc.assert(
      fc.property(fc.oneof(anyRequestHistory, anyChildHistory), anyStyle, (entries, { supportsImages }) => {
        const prompt = built({ eventsAs: "text", supportsImages }, signed(entries));
        expect(refusalsOf(prompt, { files: supportsImages, signatures: true })).toEqual([]);
      }),
      { numRuns: 300 },
    ));

  it("reads the same whether its events were text from the start or became text later", () =>
    fc.assert(
      fc.property(anyRequestHistory, fc.boolean(), (history, supportsImages) => {
        // A pair has an id that a call behind it may want: the two styles name such a call in two ways.
        const entries = withoutEventIds(history);
        const pairs = built({ eventsAs: "call", supportsImages }, entries);
        const before = structuredClone(pairs);
        expect(withEventsAsText(pairs)).toEqual(built({ eventsAs: "text", supportsImages }, entries));
        expect(showsEventsAsCalls(pairs)).toBe(
          entries.some(({ entry }) => entry.kind === "event" || entry.kind === "seed"),
        );
        expect(showsEventsAsCalls(withEventsAsText(pairs))).toBe(false);
        expect(pairs).toEqual(before);
      }),
      { numRuns: 300 },
    ));

  it("is well formed while calls are out: each has a result that says it is still running", () =>
    fc.assert(
      fc.property(anyStoredHistory, anyStyle, ({ entries, outstanding }, style) => {
        fc.pre(outstanding.length > 0);
        const prompt = built(style, entries);
        expect(refusalsOf(prompt, { files: style.supportsImages })).toEqual([]);
        expect(JSON.stringify(prompt.at(-1)).split("Still running").length - 1).toBe(outstanding.length);
      }),
    ));

  it("is the same however its entries came: at once, one by one, uncommitted first, results in any order", () =>
    fc.assert(
      fc.property(
        fc.oneof(anyRequestHistory, anyChildHistory),
        anyStyle,
        fc.array(fc.nat(6)),
        (entries, style, cuts) => {
          const builder = createPromptBuilder(style);
          let done = 0;
          const order = lateResultsReversed(entries);
          for (const cut of cuts) {
            builder.prompt("be brief", order.slice(done, done + 2 * cut));
            builder.append(order.slice(done, done + cut));
            done = Math.min(order.length, done + cut);
          }
          const whole = built(style, entries);
          expect(builder.prompt("", order.slice(done))).toEqual(whole.slice(1));
          builder.append(order.slice(done));
          expect(builder.prompt("\n")).toEqual(whole.slice(1));
          expect(builder.prompt("be brief")).toEqual([{ role: "system", content: "be brief" }, ...whole.slice(1)]);
        },
      ),
    ));

  it("begins with every earlier request of its thread, so that providers can cache it", () =>
    fc.assert(
      fc.property(anyRequestHistory, anyStyle, fc.nat(), (entries, style, seed) => {
        const ends = entries.map((_, index) => index + 1).filter((end) => endsRequest(entries, end));
        const end = ends[seed % ends.length] ?? entries.length;
        const earlier = built(style, entries.slice(0, end));
        expect(built(style, entries).slice(0, earlier.length)).toEqual(earlier);
      }),
      { numRuns: 300 },
    ));

  it("shows every entry of its history in order, but for reasoning, with the calls of a turn last", () =>
    fc.assert(
      fc.property(anyRequestHistory, anyStyle, (history, style) => {
        const entries = history.map(({ position, entry }): PlacedEntry => {
          if (entry.kind !== "turn") return { position, entry };
          const said = entry.parts.filter(({ type }) => type === "text");
          return { position, entry: { ...entry, parts: [...said, ...callsOf(entry)] } };
        });
        const facts = (seen: readonly SeenMessage[]) =>
          seen.map(({ role, kind, call, origin, source_call, interrupt = false, text = "" }) => {
            const shown = kind === "tool_result" ? "" : safeText(text);
            return { role, kind, call, origin, source_call, interrupt, shown };
          });
        expect(facts(requestMessages(built(style, entries), entries))).toEqual(facts(storedMessages(entries)));
      }),
      { numRuns: 300 },
    ));

  it("does not change once it was handed out, whatever is added later", () =>
    fc.assert(
      fc.property(anyRequestHistory, anyStyle, fc.nat(20), (entries, style, cut) => {
        const builder = createPromptBuilder(style);
        builder.append(entries.slice(0, cut));
        const prompt = builder.prompt("", entries.slice(cut, cut + 3));
        const before = structuredClone(prompt);
        builder.append(entries.slice(cut));
        builder.prompt("", entries.slice(0, 2));
        expect(prompt).toEqual(before);
      }),
    ));

  it("shares its messages with the next one: a round pays for new entries only", () => {
    const builder = createPromptBuilder({ eventsAs: "call", supportsImages: false });
    const text = (position: number): PlacedEntry => ({ position, entry: { kind: "user", at: 0, text: `${position}` } });
    builder.append([text(0), text(1)]);
    const first = builder.prompt("");
    const second = builder.prompt("", [text(2)]);
    expect(second).not.toBe(first);
    expect(second.slice(0, 2).map((message, index) => message === first[index])).toEqual([true, true]);
    expect(builder.prompt("")).toHaveLength(2);
  });
});

const withoutEventIds = (entries: readonly PlacedEntry[]): PlacedEntry[] =>
  JSON.parse(JSON.stringify(entries), (key, value) =>
    key === "providerCallId" && /^event_/.test(String(value)) ? "own" : value,
  );

/** Results of a turn can be committed late and out of order: those of each turn in reverse. */
const lateResultsReversed = (entries: readonly PlacedEntry[]): PlacedEntry[] => {
  const ordered: PlacedEntry[] = [];
  let results: PlacedEntry[] = [];
  for (const placed of entries) {
    if (placed.entry.kind === "result") results.unshift(placed);
    else {
      ordered.push(...results, placed);
      results = [];
    }
  }
  return [...ordered, ...results];
};
