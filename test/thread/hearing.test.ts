import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { WaitingInput } from "../../machines/thread/input.ts";
import type { Notice } from "../../src/queue/notice.ts";
import { createHearing } from "../../src/thread/hearing.ts";
import { seenInputs } from "../../src/thread/seen-inputs.ts";

const inputAt = (seq: number): WaitingInput => ({
  seq,
  dedupId: `d${seq}`,
  at: seq,
  input: { kind: "text", text: `m${seq}`, sender: "user", whileBusy: "interrupt" },
});
const noticeOf = (seq: number, behind?: number): Notice => ({ waiting: inputAt(seq), behind });

/** A thread that has `known` in its inbox, and a store whose reads end when the test says so. */
const hearing = (known: readonly number[] = []) => {
  const seen = seenInputs({ inbox: known.map(inputAt) });
  const taken: number[] = [];
  const errors: unknown[] = [];
  const reads: PromiseWithResolvers<readonly WaitingInput[]>[] = [];
  const ear = createHearing({
    seen,
    take: (inputs) => void taken.push(...inputs.filter(({ seq }) => seen.isNew(seq)).map(({ seq }) => seq)),
    read: () => {
      const read = Promise.withResolvers<readonly WaitingInput[]>();
      reads.push(read);
      return read.promise;
    },
    failed: (error) => void errors.push(error),
  });
  return { ear, taken, reads, errors };
};

describe("what a thread is told of", () => {
  it("is handed on at once, where nothing else waits in front of it", () => {
    const { ear, taken, reads } = hearing([4]);
    ear.hear([noticeOf(5, 4), noticeOf(6, 5)]);
    ear.hear([noticeOf(9, 6)]);
    ear.hear([noticeOf(12)]);
    expect(taken).toEqual([5, 6, 9, 12]);
    expect(reads).toEqual([]);
  });

  it("waits for what stands in front of it and was not told of (R3)", async () => {
    const { ear, taken, reads } = hearing();
    ear.hear([noticeOf(1), noticeOf(3, 2)]);
    ear.hear([noticeOf(4, 3)]);
    expect(taken).toEqual([1]);
    reads[0]?.resolve([1, 2, 3].map(inputAt));
    await ear.reading;
    expect(taken).toEqual([1, 2, 3, 4]);
    expect(reads).toHaveLength(1);
  });

  it("is not taken once more where it was consumed long ago (R2)", async () => {
    const { ear, taken, reads } = hearing();
    ear.hear([noticeOf(8, 7)]);
    reads[0]?.resolve([]);
    await ear.reading;
    ear.hear([noticeOf(9, 8)]);
    expect(ear.reading).toBeUndefined();
    expect(taken).toEqual([9]);
  });

  it("is handed on as it is when the inbox cannot be read", async () => {
    const { ear, taken, reads, errors } = hearing();
    ear.hear([noticeOf(3, 2)]);
    reads[0]?.reject(new Error("away"));
    await ear.reading;
    expect(taken).toEqual([3]);
    expect(errors).toHaveLength(1);
  });

  it("R2, R3: is taken once each and in the order of acceptance, whoever tells of it in whatever order", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.record({ gap: fc.integer({ min: 1, max: 3 }), told: fc.boolean() }), { maxLength: 12 }),
        fc.array(fc.nat(11), { maxLength: 30 }),
        async (accepted, order) => {
          const { ear, taken, reads } = hearing();
          let last = 0;
          const seqs = accepted.map(({ gap }) => {
            last += gap;
            return last;
          });
          // Each is told of at most once, out of order, and the store is read between, or not.
          const notices = accepted.map((_, index) => noticeOf(seqs[index] ?? 0, seqs[index - 1]));
          const left = new Set(notices.filter((_, index) => accepted[index]?.told));
          const endReads = async () => {
            while (ear.reading !== undefined) {
              reads.at(-1)?.resolve(seqs.map(inputAt));
              await ear.reading;
            }
          };
          for (const pick of order) {
            const notice = [...left][pick % Math.max(left.size, 1)];
            if (!notice) continue;
            left.delete(notice);
            ear.hear([notice]);
            if (pick % 2 === 0) await endReads();
          }
          await endReads();
          expect(taken).toEqual(seqs.slice(0, taken.length));
        },
      ),
    );
  });
});

describe("a thread that comes into memory again", () => {
  it("does not take what it consumed before, however late somebody tells of it (R2)", () => {
    const seen = seenInputs({ inbox: [inputAt(4)], acceptedUpTo: 6 });
    expect([3, 4, 5, 6, 7, 7].map((seq) => seen.isNew(seq))).toEqual([false, false, false, false, true, false]);
  });

  it("knows from its inbox alone what was consumed before that, where the store says nothing (R2)", () => {
    const seen = seenInputs({ inbox: [inputAt(4)] });
    expect([3, 4, 5].map((seq) => seen.isNew(seq))).toEqual([false, false, true]);
  });
});
