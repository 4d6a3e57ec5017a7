import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { RoundCommand, StreamEvent } from "../../machines/round/events.ts";
import { block, broken, cut, ended, Fold, stopped, waitOver } from "./fold.ts";

const outcomes = ["finished", "truncated", "filtered"] as const;

/**
 * One thing that happens to a round. Texts carry the number of the try they belong to, so that a trace of an earlier one
 * shows. Near misses are among them: ends of tries that are over, a cut while waiting, an answer to no stop, a wait that
 * is over when none was begun.
 */
const steps = fc.oneof(
  { weight: 4, arbitrary: fc.constant((n: number) => block(`try ${n}`)) },
  { weight: 3, arbitrary: fc.constant(() => waitOver) },
  { weight: 1, arbitrary: fc.constant(() => cut) },
  { weight: 1, arbitrary: fc.constant((n: number) => stopped(`try ${n}`)) },
  { weight: 1, arbitrary: fc.constantFrom(...outcomes).map((outcome) => () => ended(outcome)) },
  {
    weight: 6,
    arbitrary: fc
      .record({
        type: fc.constantFrom("failed" as const, "dropped" as const, "stalled" as const),
        jitter: fc.double({ min: 0, max: 0.99, noNaN: true }),
        retryable: fc.constantFrom(true, true, true, true, false),
        retryAfter: fc.constantFrom(0, 0, 1_500, 60_000, 60_001),
      })
      .map(
        ({ type, ...more }) =>
          (n: number) =>
            broken(type, { ...more, visible: `try ${n}` }),
      ),
  },
  {
    weight: 1,
    arbitrary: fc
      .record({ refused: fc.constantFrom("content" as const, "length" as const), eventCalls: fc.boolean() })
      .map((refusal) => (n: number) => broken("failed", { ...refusal, retryable: false, visible: `try ${n}` })),
  },
);
const stories = fc.array(steps, { maxLength: 60 });

type Step = (attempt: number) => StreamEvent | RoundCommand;

/** Plays a story; `watch` sees the round before the first step and after each. */
const play = (story: readonly Step[], watch = (_: Fold): void => {}): Fold => {
  const round = new Fold();
  watch(round);
  for (const step of story) watch(round.after(step(round.tries.length)));
  return round;
};

const whatever = (check: (round: Fold) => void): void =>
  fc.assert(
    fc.property(stories, (story) => {
      check(play(story));
    }),
    { numRuns: 400 },
  );

describe("a round, whatever happens around it", () => {
  it("never hands back anything of an earlier try", () =>
    whatever(({ output, tries }) => {
      for (const one of output?.blocks ?? []) expect(one).toEqual({ type: "text", text: `try ${tries.length}` });
    }));

  it("asks at most 11 times, always for the same, one after the other, and once more with events as text", () =>
    whatever(({ tries }) => {
      const more = tries.findIndex(({ eventsAs }) => eventsAs === "text");
      const counted = tries.filter((_, index) => index !== more);
      expect(counted.length).toBeLessThanOrEqual(11);
      expect(counted.map(({ attempt }) => attempt)).toEqual(counted.map((_, index) => index + 1));
      if (more >= 0) expect(tries[more]?.attempt).toBe(tries[more - 1]?.attempt);
      for (const { eventsAs } of more < 0 ? [] : tries.slice(more)) expect(eventsAs).toBe("text");
      for (const { request } of tries) expect(request).toBe(Fold.request);
    }));

  it("has exactly one output, which nothing changes any more", () =>
    fc.assert(
      fc.property(stories, (story) => {
        const seen = new Set<unknown>();
        play(story, ({ output }) => {
          if (output) seen.add(output);
        });
        expect(seen.size).toBeLessThanOrEqual(1);
      }),
    ));

  it("ends after a cut, whenever it comes, as soon as the stream has answered (R9)", () =>
    whatever((round) => {
      const before = round.output?.outcome;
      expect(round.after(cut, stopped("half")).output?.outcome).toBe(before ?? "cut");
    }));

  it("has its stream exactly while it streams, and a wait exactly between two tries", () =>
    fc.assert(
      fc.property(stories, (story) => {
        play(story, ({ state, snapshot, waits, tries }) => {
          expect("stream" in snapshot.children).toBe(state.startsWith("streaming"));
          const { attempt = 1 } = tries.at(-1) ?? {};
          if (state === "waiting") expect(waits).toHaveLength(attempt);
          if (state.startsWith("streaming")) expect(waits).toHaveLength(attempt - 1);
        });
      }),
    ));

  it("says why, exactly when it failed or was postponed", () =>
    whatever(({ output }) =>
      expect(output?.failure !== undefined).toBe(output?.outcome === "failed" || output?.outcome === "postponed"),
    ));

  it("keeps nothing of a request that it postpones, and says when it is due", () =>
    whatever(({ output }) => {
      expect(output?.retry !== undefined).toBe(output?.outcome === "postponed");
      if (output?.retry) expect(output.blocks).toEqual([]);
    }));

  it("waits no longer than a round sits out", () =>
    whatever(({ waits }) => {
      for (const wait of waits) expect(wait).toBeLessThanOrEqual(60_000);
    }));
});
