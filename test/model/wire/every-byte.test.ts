import { describe, expect, it } from "vitest";
import type { Block } from "../../../machines/round/turn.ts";
import { type Bytes, modelOfBytes } from "../../support/wire/in-memory.ts";
import type { Answer } from "../../support/wire/script.ts";
import { formats, until } from "../../support/wire/wired.ts";
import { Listening } from "../stream/listening.ts";

/** Everything that a cut can fall into: text of one to four bytes, joined and combining, and arguments with escapes. */
const answers: readonly Answer[] = [
  {
    said: [{ text: "é e\u0301 漢字 👩‍👧" }, { call: "find", args: '{"q":"\\"a\\\\n\\"\\n \\ud83d\\ude00 ß 😀"}' }],
  },
  { said: [{ thinking: "hm 漢", signature: "c2lnbmVk" }, { call: "none" }] },
];
const args = { q: '"a\\n"\n \u{1f600} ß 😀' };

/** Tries of a request against bytes: the blocks of each, how it ended, and what was shown. */
const hearing = (format: (typeof formats)[number]) => {
  let bytes: Bytes = { chunks: [] };
  const model = modelOfBytes(format, () => bytes);
  return async (given: Bytes) => {
    bytes = given;
    const listening = new Listening({ doStream: (options) => model.doStream(options) as never });
    await until(() => listening.ends.length > 0);
    const [end] = listening.ends;
    const blocks = listening.heard.flatMap((one) => (one.type === "block.ended" ? [one.block] : []));
    return { end, blocks, shown: listening.deltas };
  };
};

const broken = /failed|dropped/;

/** Blocks without ids that are made anew each time, and without text that says nothing. */
const plain = (blocks: readonly Block[]) =>
  blocks
    .filter((block) => block.type !== "text" || block.text !== "")
    .map((block) => (block.type === "call" ? { name: block.name, args: block.args } : block));

describe.each(formats.flatMap((format) => answers.map((answer, n) => ({ name: format.name, n, format, answer }))))(
  "answer $n of $name",
  { timeout: 120_000 },
  ({ n, format, answer }) => {
    const heard = hearing(format);
    const events = format.render(answer);
    const whole = Buffer.from(events.join(""));
    /** Where each event ends, in bytes. */
    const ends = events.map((_, index) => Buffer.byteLength(events.slice(0, index + 1).join("")));
    /** Bytes up to the end mark, with it. */
    const needed = ends[format.whole(events) - 1] ?? 0;

    it("is what the model said", async () => {
      const { blocks, end } = await heard({ chunks: [whole] });
      const said = plain(blocks);
      if (n === 0) expect(said).toMatchObject([{ text: "é e\u0301 漢字 👩‍👧" }, { name: "find", args }]);
      else expect(said).toMatchObject([{ type: "reasoning", text: "hm 漢" }, { name: "none" }].slice(-said.length));
      expect(end).toMatchObject({ type: "stream.ended", outcome: "finished" });
    });

    it("is the same wherever its bytes are cut in two", async () => {
      const { blocks, end, shown } = await heard({ chunks: [whole] });
      for (let at = 1; at < whole.length; at++) {
        const cut = await heard({ chunks: [whole.subarray(0, at), whole.subarray(at)] });
        expect(plain(cut.blocks), `cut at ${at}`).toEqual(plain(blocks));
        expect(cut.shown, `cut at ${at}`).toEqual(shown);
        expect(cut.end, `cut at ${at}`).toEqual(end);
      }
    });

    it("is the same when each byte comes by itself, and when a server escapes what is beyond ASCII", async () => {
      const { blocks } = await heard({ chunks: [whole] });
      const bytes = Array.from(whole, (byte) => Uint8Array.of(byte));
      expect(plain((await heard({ chunks: bytes })).blocks)).toEqual(plain(blocks));
      const escaped = Buffer.from(format.render({ ...answer, escaped: true }).join(""));
      expect(escaped.every((byte) => byte < 0x80)).toBe(true);
      expect(plain((await heard({ chunks: [escaped] })).blocks)).toEqual(plain(blocks));
    });

    it("is none, wherever its bytes end before the end mark", async () => {
      for (let at = 0; at < needed; at++) {
        const { end } = await heard({ chunks: [whole.subarray(0, at)] });
        expect(end, `end at ${at}`).toMatchObject({ type: expect.stringMatching(broken), retryable: true });
      }
    });

    it("is none, in whichever of its events the connection drops", async () => {
      const places = [0, ...ends].flatMap((end) => [end, end + 1, end + 9, end + 40]).filter((at) => at < needed);
      for (const at of places) {
        const { end } = await heard({ chunks: [whole.subarray(0, at)], ending: "drop" });
        expect(end, `drop at ${at}`).toMatchObject({ type: expect.stringMatching(broken), retryable: true });
      }
    });

    it("is whole with its end mark, whatever would have come behind it", async () => {
      const { end } = await heard({ chunks: [whole.subarray(0, needed)] });
      expect(end).toMatchObject({ type: "stream.ended", outcome: "finished" });
    });
  },
);
