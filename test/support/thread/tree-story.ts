import fc from "fast-check";
import type { RoundOutput } from "../../../machines/round/turn.ts";

/** An input before its thread, call or child is chosen: `pick` runs over what there is when its turn comes, and near misses. */
export type Sketch =
  | { readonly kind: "text"; readonly patient: boolean }
  | { readonly kind: "result"; readonly pick: number }
  | { readonly kind: "event"; readonly pick: number; readonly associative: boolean; readonly final: boolean }
  /** An event that was sent before comes once more (R2). */
  | { readonly kind: "redelivered"; readonly pick: number }
  /** Somebody says that it comes from a thread of the tree; it does not. */
  | { readonly kind: "forged"; readonly pick: number; readonly as: "report" | "message" | "ended" | "rested" }
  | { readonly kind: "linger"; readonly early: boolean }
  | { readonly kind: "interrupt" | "halt" | "close" };

/** A block of a turn, before whom it is about is chosen. */
export type Said =
  | { readonly say: "text" | "work" | "nap" | "add" | "watch" | "nonsense" }
  | { readonly say: "spawn"; readonly as: "itself" | "its parent" | "nobody" }
  | { readonly say: "report" }
  | { readonly say: "message"; readonly pick: number }
  | { readonly say: "close"; readonly who: "itself" | "another"; readonly report: boolean; readonly pick: number }
  | { readonly say: "cancel"; readonly pick: number };

export type Step =
  | { readonly do: "deliver"; readonly thread: number; readonly inputs: readonly Sketch[] }
  /** One of all threads that can go on goes on by one effect, or is told what was filed for it. */
  | {
      readonly do: "go";
      readonly pick: number;
      readonly outcome: RoundOutput["outcome"];
      readonly says: readonly Said[];
      readonly cut: number;
    }
  /** Everything goes on, so many effects. */
  | { readonly do: "settle"; readonly effects: number }
  | { readonly do: "reload"; readonly thread: number }
  | { readonly do: "crash" };

const pick = fc.nat({ max: 60 });

export const stops: fc.Arbitrary<Sketch> = fc.oneof(
  { weight: 2, arbitrary: fc.constant({ kind: "interrupt" as const }) },
  { weight: 1, arbitrary: fc.constant({ kind: "halt" as const }) },
  { weight: 1, arbitrary: fc.constant({ kind: "close" as const }) },
);

export const peaceful: fc.Arbitrary<Sketch> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ kind: fc.constant("text" as const), patient: fc.boolean() }) },
  { weight: 5, arbitrary: fc.record({ kind: fc.constant("result" as const), pick }) },
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant("event" as const),
      pick,
      associative: fc.boolean(),
      final: fc.nat({ max: 9 }).map((of) => of === 0),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("redelivered" as const), pick }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("linger" as const), early: fc.boolean() }) },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant("forged" as const),
      pick,
      as: fc.constantFrom("report" as const, "message" as const, "ended" as const, "rested" as const),
    }),
  },
);

export const said: fc.Arbitrary<Said> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      say: fc.constantFrom("text" as const, "work" as const, "nap" as const, "add" as const, "nonsense" as const),
    }),
  },
  { weight: 3, arbitrary: fc.constant({ say: "watch" as const }) },
  {
    weight: 4,
    arbitrary: fc.record({
      say: fc.constant("spawn" as const),
      as: fc.constantFrom("itself", "itself", "itself", "itself", "its parent", "nobody"),
    }),
  },
  { weight: 3, arbitrary: fc.constant({ say: "report" as const }) },
  { weight: 3, arbitrary: fc.record({ say: fc.constant("message" as const), pick }) },
  {
    weight: 1,
    arbitrary: fc.record({
      say: fc.constant("close" as const),
      who: fc.constantFrom("itself", "itself", "itself", "another"),
      report: fc.boolean(),
      pick,
    }),
  },
  { weight: 1, arbitrary: fc.record({ say: fc.constant("cancel" as const), pick }) },
);

const outcome = fc.oneof(
  { weight: 12, arbitrary: fc.constant("finished" as const) },
  { weight: 1, arbitrary: fc.constantFrom("truncated" as const, "filtered" as const, "failed" as const) },
);

const stepWith = (sketch: fc.Arbitrary<Sketch>): fc.Arbitrary<Step> =>
  fc.oneof(
    {
      weight: 5,
      arbitrary: fc.record({
        do: fc.constant("deliver" as const),
        thread: pick,
        inputs: fc.array(sketch, { minLength: 1, maxLength: 3 }),
      }),
    },
    {
      weight: 14,
      arbitrary: fc.record({
        do: fc.constant("go" as const),
        pick,
        outcome,
        says: fc.array(said, { maxLength: 4 }),
        cut: fc.nat({ max: 4 }),
      }),
    },
    {
      weight: 4,
      arbitrary: fc.record({ do: fc.constant("settle" as const), effects: fc.integer({ min: 2, max: 8 }) }),
    },
    { weight: 1, arbitrary: fc.record({ do: fc.constant("reload" as const), thread: pick }) },
    { weight: 1, arbitrary: fc.constant({ do: "crash" as const }) },
  );

const length = { minLength: 20, maxLength: 100, size: "max" } as const;

/** Everything that can happen to a tree. */
export const treeStory = fc.array(
  stepWith(fc.oneof({ weight: 8, arbitrary: peaceful }, { weight: 1, arbitrary: stops })),
  length,
);

/** Nobody stops or closes a thread from outside. */
export const peacefulStory = fc.array(stepWith(peaceful), length);
