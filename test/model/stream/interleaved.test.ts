import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Part, Reading, tell } from "./reading.ts";

/** A block as the model means it, and the deltas it comes in; some end in the middle of a character. */
interface Meant {
  readonly kind: "text" | "reasoning" | "call";
  readonly deltas: readonly string[];
  readonly signed: boolean;
}

const meant: fc.Arbitrary<Meant> = fc.record({
  kind: fc.constantFrom("text", "reasoning", "call"),
  deltas: fc.array(fc.constantFrom("a", "b ", "", "\ud83d", "\ude00", "😀", "\n"), { maxLength: 5 }),
  signed: fc.boolean(),
});

const partsOf = ({ kind, deltas, signed }: Meant, index: number): Part[] => {
  const id = `${index}`;
  const providerMetadata = { maker: { signature: id } };
  if (kind === "call")
    return [
      { type: "tool-input-start", id, toolName: `tool${id}` },
      ...deltas.map((delta): Part => ({ type: "tool-input-delta", id, delta })),
      { type: "tool-input-end", id },
      { type: "tool-call", toolCallId: id, toolName: `tool${id}`, input: JSON.stringify({ id }) },
    ];
  return [
    { type: `${kind}-start`, id },
    ...deltas.map((delta): Part => ({ type: `${kind}-delta`, id, delta })),
    { type: `${kind}-end`, id, ...(signed && { providerMetadata }) },
  ];
};

const wordsOf = ({ deltas }: Meant, count = deltas.length) => deltas.slice(0, count).join("").toWellFormed();

interface Written {
  readonly turn: readonly Meant[];
  readonly parts: readonly { readonly of: number; readonly part: Part }[];
}

/** A turn and its parts in an order in which they may arrive: each block's own order stands, all else is shuffled. */
const written: fc.Arbitrary<Written> = fc
  .tuple(fc.array(meant, { maxLength: 6 }), fc.infiniteStream(fc.nat()))
  .map(([turn, choices]) => {
    const queues = turn.map((one, index) => partsOf(one, index).map((part) => ({ of: index, part })));
    const parts: { of: number; part: Part }[] = [];
    for (let left = queues; left.length > 0; left = left.filter((queue) => queue.length > 0)) {
      const next = left[(choices.next().value as number) % left.length]?.shift();
      if (next) parts.push(next);
    }
    return { turn, parts };
  });

const oneAfterTheOther: fc.Arbitrary<Written> = fc.array(meant, { maxLength: 6 }).map((turn) => ({
  turn,
  parts: turn.flatMap((one, index) => partsOf(one, index).map((part) => ({ of: index, part }))),
}));

/** Blocks by the order of their first part. */
const begun = ({ parts }: Pick<Written, "parts">) => [...new Set(parts.map(({ of }) => of))];

const expected = (one: Meant, index: number): string =>
  one.kind === "call" ? `call:tool${index}` : `${one.kind}:${wordsOf(one)}`;

const thinkingOf = (reading: Reading) =>
  reading.deltas.flatMap(({ type }) => (type === "thinking.started" || type === "thinking.ended" ? type : []));

describe("a turn, however its parts arrive", () => {
  it("becomes its blocks, each whole, in the order they began", () =>
    fc.assert(
      fc.property(written, ({ turn, parts }) => {
        const reading = new Reading().read(...parts.map(({ part }) => part)).finish();
        expect(reading.told).toEqual(begun({ parts }).map((of) => expected(turn[of] as Meant, of)));
      }),
    ));

  it("keeps, cut at any moment, what is whole and the text that was visible, in order, and nothing else", () =>
    fc.assert(
      fc.property(written, fc.nat(60), ({ turn, parts }, at) => {
        const seen = parts.slice(0, at);
        const reading = new Reading().read(...seen.map(({ part }) => part));
        const kept = begun({ parts: seen }).flatMap((of) => {
          const one = turn[of] as Meant;
          const count = seen.filter((each) => each.of === of).length;
          if (count === partsOf(one, of).length) return expected(one, of);
          const words = one.kind === "text" ? wordsOf(one, count - 1) : "";
          return words === "" ? [] : `text:${words}`;
        });
        expect(reading.abandon().map(tell)).toEqual(kept);
      }),
    ));

  it("shows thinking in pairs of a start and an end, wherever it is cut", () =>
    fc.assert(
      fc.property(written, fc.nat(60), fc.constantFrom("finish", "abandon", "close"), ({ parts }, at, how) => {
        const reading = new Reading().read(...parts.slice(0, at).map(({ part }) => part));
        reading.reader[how as "finish" | "abandon" | "close"]();
        const thinking = thinkingOf(reading);
        expect(thinking.length % 2).toBe(0);
        for (const [index, type] of thinking.entries())
          expect(type).toBe(index % 2 === 0 ? "thinking.started" : "thinking.ended");
      }),
    ));

  it("shows just the text that it keeps, in whole characters, wherever it is cut", () =>
    fc.assert(
      fc.property(oneAfterTheOther, fc.nat(60), ({ parts }, at) => {
        const reading = new Reading().read(...parts.slice(0, at).map(({ part }) => part));
        const texts = reading.abandon().map((block) => (block.type === "text" ? block.text : ""));
        expect(reading.shown).toBe(texts.join(""));
        for (const delta of reading.deltas) if ("text" in delta) expect(delta.text.isWellFormed()).toBe(true);
      }),
    ));
});
