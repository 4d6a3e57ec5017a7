import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Line, linesOf } from "../../src/cli/run/lines.ts";

const collect = async (chunks: Iterable<Uint8Array | string>, limit = 1_000): Promise<Line[]> => {
  const lines: Line[] = [];
  for await (const line of linesOf(
    (async function* () {
      yield* chunks;
    })(),
    limit,
  ))
    lines.push(line);
  return lines;
};
const textsOf = (lines: readonly Line[]) => lines.map((line) => ("text" in line ? line.text : line.tooLong));

describe("the lines of a stream", () => {
  it("are the same however the stream is cut, also inside a character", () =>
    fc.assert(
      fc.asyncProperty(
        fc.array(
          fc.oneof(
            fc.string({ unit: "grapheme" }).map((text) => text.replace(/[\r\n\ufeff]/g, "")),
            fc.constant("ü😀"),
          ),
        ),
        fc.boolean(),
        fc.integer({ min: 1, max: 7 }),
        async (texts, endsWithLine, size) => {
          const bytes = Buffer.from(texts.join("\n") + (endsWithLine && texts.length > 0 ? "\n" : ""));
          const chunks = Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) =>
            bytes.subarray(index * size, (index + 1) * size),
          );
          const expected = endsWithLine || texts.at(-1) !== "" ? texts : texts.slice(0, -1);
          expect(textsOf(await collect(chunks))).toEqual(expected);
        },
      ),
    ));

  it("are numbered from 1, blank ones included", async () =>
    expect(await collect(["a\n\nb"])).toEqual([
      { number: 1, text: "a" },
      { number: 2, text: "" },
      { number: 3, text: "b" },
    ]));

  it("lose a carriage return at their end and a byte order mark at the start", async () =>
    expect(textsOf(await collect(["\ufeffa\r\n", "b\r\n"]))).toEqual(["a", "b"]));

  it("come with U+FFFD for bytes that are no UTF-8", async () =>
    expect(textsOf(await collect([Uint8Array.of(0x61, 0xff, 0x62)]))).toEqual(["a\ufffdb"]));

  it("are told by their size when they are too long, and the ones after them are read", async () =>
    expect(textsOf(await collect(["1234567890", "1234567890\nnext\n"], 10))).toEqual([20, "next"]));

  it("may be exactly as long as the limit", async () =>
    expect(textsOf(await collect(["1234567890\n12345678901"], 10))).toEqual(["1234567890", 11]));

  it("come as soon as they are whole, while the stream goes on", async () => {
    async function* endless() {
      yield "first\nsec";
      await new Promise(() => {});
    }
    expect((await linesOf(endless(), 100).next()).value).toEqual({ number: 1, text: "first" });
  });
});
