import fc from "fast-check";
import type { CallId } from "../../../machines/history/ids.ts";
import type { Block, RoundOutput } from "../../../machines/round/turn.ts";
import { calls, callsInline, refused, says, thinks, waits } from "./blocks.ts";
import { Fold, type GivenInput } from "./fold.ts";

/** One thing that happens to a thread. `pick` chooses among what there is when its turn comes. */
export type Step =
  | { readonly do: "accept"; readonly inputs: readonly Sketch[] }
  | {
      readonly do: "effect";
      readonly outcome: RoundOutput["outcome"];
      readonly blocks: readonly Block[];
      readonly cut: number;
    }
  | { readonly do: "crash" };

/** An input before its call is chosen: `pick` runs over every call the thread ever made, and one it never made. */
type Sketch =
  | { readonly kind: "text"; readonly patient: boolean }
  | { readonly kind: "result"; readonly pick: number; readonly subscription: boolean }
  | { readonly kind: "event"; readonly pick: number; readonly final: boolean }
  | { readonly kind: "timer"; readonly pick: number; readonly deadline: boolean }
  | { readonly kind: "progress"; readonly pick: number }
  /** Of the request that was postponed last, or a near miss of it. */
  | { readonly kind: "retry"; readonly early: boolean }
  | { readonly kind: "interrupt" };

const pick = fc.nat({ max: 30 });

const sketch: fc.Arbitrary<Sketch> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ kind: fc.constant("text" as const), patient: fc.boolean() }) },
  { weight: 5, arbitrary: fc.record({ kind: fc.constant("result" as const), pick, subscription: fc.boolean() }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant("event" as const), pick, final: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("timer" as const), pick, deadline: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("progress" as const), pick }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("retry" as const), early: fc.boolean() }) },
  { weight: 1, arbitrary: fc.constant({ kind: "interrupt" as const }) },
);

const block: fc.Arbitrary<Block> = fc.oneof(
  fc.constantFrom("ok", " ", "\n").map(says),
  fc.boolean().map((keep) => thinks("hm", keep)),
  fc.constantFrom("a", "b").map((name) => calls(name, { deadline: 1_000 })),
  fc.constantFrom("a", "b", "c").map((name) => calls(name)),
  fc.constantFrom("nap", "sleep").map((name) => waits(name, { wakeAfter: 5_000 })),
  fc.constantFrom("add", "sub").map((name) => callsInline(name)),
  fc.constantFrom("unknown_tool", "reserved_tool", "validation").map((origin) => refused("no", origin as never)),
);

const outcome = fc.oneof(
  { weight: 8, arbitrary: fc.constant("finished" as const) },
  { weight: 1, arbitrary: fc.constantFrom("truncated" as const, "filtered" as const, "failed" as const) },
  { weight: 1, arbitrary: fc.constant("postponed" as const) },
);

export const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant("accept" as const),
      inputs: fc.array(sketch, { minLength: 1, maxLength: 3 }),
    }),
  },
  {
    weight: 8,
    arbitrary: fc.record({
      do: fc.constant("effect" as const),
      outcome,
      blocks: fc.array(block, { maxLength: 4 }),
      cut: fc.nat({ max: 4 }),
    }),
  },
  { weight: 1, arbitrary: fc.constant({ do: "crash" as const }) },
);

export const story = fc.array(step, { minLength: 5, maxLength: 60 });

/** What was sent and acknowledged, kept beside the thread and much simpler than it. */
export interface Sent {
  readonly name: string;
  readonly input: GivenInput;
  /** Steps that were over when it was accepted. */
  readonly step: number;
}

/** A thread that a story is told to, with a record of what was sent. */
export class Told {
  fold: Fold;
  readonly sent: Sent[] = [];
  readonly everyCall: CallId[] = [];
  /** Called after each step. */
  readonly check: (told: Told) => void;
  #steps = 0;

  constructor(check: (told: Told) => void, fold = new Fold({ rounds: 6, equalCalls: 3, subscriptions: 2 })) {
    this.fold = fold;
    this.check = check;
  }

  tell(steps: readonly Step[]): this {
    for (const step of steps) {
      this.#play(step);
      this.#steps += 1;
      for (const { callId } of this.fold.context.calls)
        if (!this.everyCall.includes(callId)) this.everyCall.push(callId);
      this.check(this);
    }
    return this;
  }

  #play(step: Step): void {
    if (step.do === "accept") this.#accept(step.inputs);
    else if (step.do === "crash") this.fold = this.fold.restarted();
    else this.#effect(step);
  }

  #accept(sketches: readonly Sketch[]): void {
    const inputs = sketches.map((sketch): GivenInput => {
      const dedupId = `i${this.sent.length}`;
      const input = this.#inputOf(sketch, dedupId);
      this.sent.push({ name: dedupId, input, step: this.#steps });
      return input;
    });
    this.fold.accept(...inputs);
  }

  #inputOf(sketch: Sketch, dedupId: string): GivenInput {
    switch (sketch.kind) {
      case "text":
        return { kind: "text", text: dedupId, whileBusy: sketch.patient ? "wait" : "interrupt", dedupId };
      case "interrupt":
        return { kind: "interrupt", dedupId };
      case "retry":
        return { kind: "retry", due: (this.fold.stored.record.retry?.due ?? 0) - (sketch.early ? 1 : 0), dedupId };
      case "result":
        return {
          kind: "result",
          callId: this.#callAt(sketch.pick),
          content: [{ type: "text", text: dedupId }],
          ...(sketch.subscription && { subscription: true as const }),
          dedupId,
        };
      case "event":
        return {
          kind: "event",
          callId: this.#callAt(sketch.pick),
          text: dedupId,
          associative: true,
          final: sketch.final,
          dedupId,
        };
      case "timer":
        return {
          kind: "timer",
          callId: this.#callAt(sketch.pick),
          purpose: sketch.deadline ? "deadline" : "wake",
          due: 0,
          dedupId,
        };
      case "progress":
        return { kind: "progress", callId: this.#callAt(sketch.pick), text: dedupId, dedupId };
    }
  }

  /** Recent calls are likelier, so that outstanding ones are met often; near misses are calls long settled. */
  #callAt(index: number): CallId {
    const known = [...this.everyCall].reverse();
    return known[index % (known.length + 1)] ?? ("t1#99.0" as CallId);
  }

  #effect({ outcome, blocks, cut }: Extract<Step, { do: "effect" }>): void {
    const { fold } = this;
    if (fold.waits("prepare")) fold.prepared();
    else if (fold.waits("commit")) fold.committed();
    else if (fold.waits("dispatch")) fold.dispatched();
    else if (fold.waits("inline")) this.#ranInline(cut);
    else if (fold.waits("round")) {
      const interrupted = fold.state.endsWith("interrupting") && cut > 0;
      const broken = !interrupted && (outcome === "failed" || outcome === "postponed");
      fold.answered({
        outcome: interrupted ? "cut" : outcome,
        blocks: broken && outcome === "postponed" ? [] : blocks,
        usage: interrupted || broken ? null : { inputTokens: 1, outputTokens: 1 },
        ...(broken && { failure: { code: "MODEL_UNAVAILABLE", message: "gone" } }),
        ...(broken && outcome === "postponed" && { retry: { due: fold.now() + 90_000, attempt: cut + 2 } }),
      });
    }
  }

  #ranInline(cut: number): void {
    const { fold } = this;
    const interrupting = fold.state.endsWith("interrupting");
    fold.ranInline(
      fold.context.calls
        .filter(({ form, status }) => form === "inline" && status === "committed")
        .map(({ callId }, index) => ({
          callId,
          origin: interrupting && index >= cut ? "interrupted" : "sync",
          content: [{ type: "text", text: "ran" }],
        })),
    );
  }
}
