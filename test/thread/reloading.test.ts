import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { callsInline, settle, waits } from "../support/thread/blocks.ts";
import type { Fold } from "../support/thread/fold.ts";
import { type Step, step, Told } from "../support/thread/story.ts";

/** Answers the model until nothing is under way. */
const rest = (told: Told): Told => {
  for (let rounds = 0; rounds < 200 && settle(told.fold).waits("round"); rounds++)
    told.fold.answered({ outcome: told.fold.state.endsWith("interrupting") ? "cut" : "finished", usage: null });
  return told;
};

const instants = /"at":\d+|\d{4}-\d\d-\d\dT[\d:.]+Z/g;

/** What a thread has come to, but for the instants at which it did. */
const standOf = ({ state, stored, context }: Fold): unknown =>
  JSON.parse(
    JSON.stringify({
      state,
      history: stored.history,
      asks: context.slice.entries,
      calls: stored.calls,
      subscriptions: stored.subscriptions,
      inbox: stored.inbox.map(({ dedupId, interrupts }) => ({ dedupId, interrupts })),
    }).replaceAll(instants, (instant) => (instant.startsWith('"') ? '"at":0' : "then")),
  );

/** What leaves traces: inline calls beside waits, cut by an interrupt without text. */
const traces: fc.Arbitrary<Step> = fc.oneof(
  fc.constant<Step>({ do: "accept", inputs: [{ kind: "interrupt" }] }),
  fc.record({
    do: fc.constant("effect" as const),
    outcome: fc.constant("finished" as const),
    blocks: fc.subarray([callsInline("add"), waits("nap")]),
    cut: fc.nat({ max: 1 }),
  }),
);
const before = fc.array(fc.oneof(step, traces), { minLength: 5, maxLength: 60, size: "max" });
const after = fc.array(
  step.filter((each) => each.do !== "crash"),
  { maxLength: 12, size: "max" },
);

describe("a thread at rest", () => {
  it("goes on as it would after it slept, whatever was and whatever comes", () =>
    fc.assert(
      fc.property(before, after, (was: readonly Step[], comes: readonly Step[]) => {
        const live = rest(new Told(() => {}).tell(was));
        const loaded = new Told(() => {}, live.fold.reloaded());
        loaded.sent.push(...live.sent);
        loaded.everyCall.push(...live.everyCall);
        expect(loaded.fold.state).toBe(live.fold.state);
        for (const told of [live, loaded]) {
          settle(told.fold);
          for (const each of comes) {
            told.tell([each]);
            // A thread that was loaded prepares once more: both go on to where the next thing that happens is the same.
            if (told.fold.waits("prepare")) told.fold.prepared();
          }
        }
        expect(standOf(loaded.fold)).toEqual(standOf(live.fold));
      }),
      { numRuns: 300 },
    ));
});
