import fc from "fast-check";
import type { CrashPoint } from "../../../src/crash-points.ts";
import { crashPoints } from "../../../src/crash-points.ts";
import type { ScriptedEnd } from "../../../src/model/scripted/answer.ts";
import { peaceful, type Said, type Sketch, said, stops } from "../thread/tree-story.ts";

type Happening =
  | { readonly do: "deliver"; readonly thread: number; readonly inputs: readonly Sketch[] }
  /** The model goes on with one of the open requests. */
  | { readonly do: "answer"; readonly pick: number; readonly says: readonly Said[]; readonly end: ScriptedEnd }
  /** A producer says something. */
  | {
      readonly do: "emit";
      readonly pick: number;
      readonly what: "associative" | "for a child" | "the last" | "complete" | "error";
    }
  | { readonly do: "pass"; readonly ms: number }
  /** The process ends and another one begins on the same store: now, or once it comes to that point. */
  | { readonly do: "crash"; readonly at: CrashPoint | "now" }
  /** The store refuses to work, so many times. */
  | { readonly do: "fail"; readonly times: number };

/** What happens, and how many of the pending operations end before the next thing does. */
export type Step = Happening & { readonly lets: number };

const pick = fc.nat({ max: 60 });

const end: fc.Arbitrary<ScriptedEnd> = fc.oneof(
  { weight: 20, arbitrary: fc.constant("final" as const) },
  { weight: 2, arbitrary: fc.constant("open" as const) },
  { weight: 2, arbitrary: fc.constantFrom("truncated" as const, "filtered" as const, "drop" as const) },
  {
    weight: 2,
    arbitrary: fc.record({
      error: fc.constantFrom("fatal" as const, "transient" as const),
      retryAfter: fc.constantFrom(undefined, 2, 120),
    }),
  },
);

const sketch: fc.Arbitrary<Sketch> = fc.oneof({ weight: 10, arbitrary: peaceful }, { weight: 1, arbitrary: stops });

const happening: fc.Arbitrary<Happening> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constant("deliver" as const),
      thread: pick,
      inputs: fc.array(sketch, { minLength: 1, maxLength: 3 }),
    }),
  },
  {
    weight: 9,
    arbitrary: fc.record({
      do: fc.constant("answer" as const),
      pick,
      says: fc.array(said, { minLength: 1, maxLength: 4 }),
      end,
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant("emit" as const),
      pick,
      what: fc.constantFrom("associative", "for a child", "for a child", "the last", "complete", "error"),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant("pass" as const), ms: fc.constantFrom(500, 5_000, 60_000, 3_600_000) }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant("crash" as const), at: fc.constantFrom("now" as const, ...crashPoints) }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("fail" as const), times: fc.integer({ min: 1, max: 2 }) }) },
);

const lets = fc.oneof(
  { weight: 1, arbitrary: fc.nat({ max: 3 }) },
  { weight: 2, arbitrary: fc.integer({ min: 4, max: 40 }) },
);

/** Begins with a text to a root and a spawning turn, so that no story is of a root alone. */
export const forestStory: fc.Arbitrary<readonly Step[]> = fc
  .array(fc.tuple(happening, lets), { minLength: 10, maxLength: 50, size: "max" })
  .map((steps) => [
    { do: "deliver", thread: 0, inputs: [{ kind: "text", patient: false }], lets: 60 },
    { do: "answer", pick: 0, says: [{ say: "spawn", as: "itself" }, { say: "watch" }], end: "final", lets: 60 },
    ...steps.map(([happens, lets]) => ({ ...happens, lets })),
  ]);
