import fc from "fast-check";
import type { ScriptedChunk, ScriptedEnd } from "../../../src/model/scripted/answer.ts";

/** An input before its call is chosen. `pick` runs over every call that was ever made, and some that never were. */
export type Sketch =
  | { readonly kind: "text"; readonly patient: boolean }
  | { readonly kind: "result"; readonly pick: number; readonly subscription: boolean; readonly error: boolean }
  | { readonly kind: "event"; readonly pick: number; readonly final: boolean }
  | { readonly kind: "timer"; readonly pick: number; readonly deadline: boolean }
  | { readonly kind: "progress"; readonly pick: number }
  | { readonly kind: "interrupt" };

/** `id`: a dedup id from a small pool, so that ids of different origins meet; null for a fresh one. */
export interface Addressed {
  readonly thread: number;
  readonly id: number | null;
  readonly sketch: Sketch;
}

type Happening =
  /** Inputs that are delivered together. */
  | { readonly do: "deliver"; readonly inputs: readonly Addressed[] }
  /** An envelope that was sent before is sent again (R2). */
  | { readonly do: "again"; readonly pick: number }
  /** The model goes on with one of the open requests. */
  | {
      readonly do: "answer";
      readonly pick: number;
      readonly chunks: readonly ScriptedChunk[];
      readonly end: ScriptedEnd;
    }
  /** A producer says something. */
  | {
      readonly do: "emit";
      readonly pick: number;
      readonly what: "event" | "repeat" | "final" | "complete" | "error" | "nonsense";
    }
  | { readonly do: "pass"; readonly ms: number }
  /** The process ends and another one begins on the same store. */
  | { readonly do: "crash" }
  /** The store refuses to work, so many times. */
  | { readonly do: "fail"; readonly times: number };

/** What happens, and how many of the pending operations end before the next thing does. */
export type Step = Happening & { readonly lets: number };

const pick = fc.nat({ max: 30 });

const sketch: fc.Arbitrary<Sketch> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant("text" as const), patient: fc.boolean() }) },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant("result" as const),
      pick,
      subscription: fc.boolean(),
      error: fc.boolean(),
    }),
  },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant("event" as const), pick, final: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("timer" as const), pick, deadline: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("progress" as const), pick }) },
  { weight: 1, arbitrary: fc.constant({ kind: "interrupt" as const }) },
);

const addressed: fc.Arbitrary<Addressed> = fc.record({
  thread: fc.constantFrom(0, 0, 0, 1),
  id: fc.option(fc.nat({ max: 4 }), { freq: 1 }),
  sketch,
});

/** Tools by name with arguments that decide what they do; near misses among the names and arguments. */
const call = fc
  .record({
    tool: fc.oneof(
      { weight: 9, arbitrary: fc.constantFrom("work", "hand", "hand", "timed", "watch", "follow") },
      { weight: 4, arbitrary: fc.constantFrom("nap", "doze", "sleep", "sleep_until_event_or_input") },
      { weight: 3, arbitrary: fc.constantFrom("add", "look") },
      { weight: 1, arbitrary: fc.constantFrom("nobody", "receive_event__injected", "receive_event", "") },
    ),
    how: fc.constantFrom("well", "well", "well", "well", "well", "well", "throws", "nothing", "odd", "never"),
    seconds: fc.constantFrom(1, 5),
    id: fc.constantFrom(undefined, undefined, undefined, "", "same"),
    wrong: fc.nat({ max: 19 }),
  })
  .map(({ tool, how, seconds, id, wrong }): ScriptedChunk => {
    const good = tool === "sleep" ? { seconds } : tool === "sleep_until_event_or_input" ? {} : { how };
    const text = wrong === 0 ? '{"how":7,"seconds":"x"}' : wrong === 1 ? '{"how":' : JSON.stringify(good);
    return { tool_call: { name: tool, raw: text, id } };
  });

const chunk: fc.Arbitrary<ScriptedChunk> = fc.oneof(
  { weight: 2, arbitrary: fc.constantFrom("ok", " ", "\n").map((text) => ({ text })) },
  { weight: 1, arbitrary: fc.constantFrom({ reasoning: "hm" }, { unsigned_reasoning: "hm" }) },
  { weight: 4, arbitrary: call },
);

const end: fc.Arbitrary<ScriptedEnd> = fc.oneof(
  { weight: 20, arbitrary: fc.constant("final" as const) },
  { weight: 4, arbitrary: fc.constant("open" as const) },
  { weight: 2, arbitrary: fc.constantFrom("truncated" as const, "filtered" as const, "drop" as const) },
  {
    weight: 2,
    arbitrary: fc.record({
      error: fc.constantFrom("fatal" as const, "transient" as const, "transient" as const),
      retryAfter: fc.constantFrom(undefined, 0, 2, 120),
    }),
  },
);

const happening: fc.Arbitrary<Happening> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant("deliver" as const),
      inputs: fc.array(addressed, { minLength: 1, maxLength: 3 }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("again" as const), pick }) },
  {
    weight: 8,
    arbitrary: fc.record({
      do: fc.constant("answer" as const),
      pick,
      chunks: fc.array(chunk, { maxLength: 4 }),
      end,
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant("emit" as const),
      pick,
      what: fc.constantFrom("event", "event", "repeat", "final", "complete", "error", "nonsense"),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant("pass" as const), ms: fc.constantFrom(1, 500, 1_000, 5_000, 60_000) }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("fail" as const), times: fc.integer({ min: 1, max: 3 }) }) },
);

const step: fc.Arbitrary<Step> = fc
  .tuple(
    happening,
    fc.oneof({ weight: 1, arbitrary: fc.nat({ max: 3 }) }, { weight: 2, arbitrary: fc.integer({ min: 4, max: 40 }) }),
  )
  .map(([happens, lets]) => ({ ...happens, lets }));

export const story: fc.Arbitrary<readonly Step[]> = fc.array(step, { minLength: 10, maxLength: 60, size: "max" });

/** A story in which the process ends here and there. */
export const storyWithCrashes: fc.Arbitrary<readonly Step[]> = fc.array(
  fc.oneof(
    { weight: 12, arbitrary: step },
    { weight: 1, arbitrary: fc.record({ do: fc.constant("crash" as const), lets: fc.nat({ max: 20 }) }) },
  ),
  { minLength: 10, maxLength: 60, size: "max" },
);
