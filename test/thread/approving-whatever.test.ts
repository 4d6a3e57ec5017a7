import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { CallId } from "../../machines/history/ids.ts";
import { callsToHandOver } from "../../machines/thread/ledger.ts";
import { calls, proposes, settle } from "../support/thread/blocks.ts";
import { Fold, type GivenInput } from "../support/thread/fold.ts";

type Step =
  | { readonly do: "answer"; readonly pick: number; readonly choice: number | string }
  | { readonly do: "expire"; readonly pick: number }
  | { readonly do: "result"; readonly pick: number }
  | { readonly do: "say"; readonly kind: "text" | "patient" | "interrupt" | "halt" }
  | { readonly do: "turn"; readonly proposed: number; readonly others: number; readonly cut: boolean }
  | { readonly do: "effect" }
  | { readonly do: "crash" };

const pick = fc.nat({ max: 8 });
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant("answer" as const),
      pick,
      choice: fc.constantFrom<number | string>("approve", "approve", "deny", "deny", "always approve", 0, 2, 3, "yes"),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("expire" as const), pick }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant("result" as const), pick }) },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant("say" as const),
      kind: fc.constantFrom("text" as const, "patient" as const, "interrupt" as const, "halt" as const),
    }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant("turn" as const),
      proposed: fc.nat({ max: 3 }),
      others: fc.nat({ max: 1 }),
      cut: fc.boolean(),
    }),
  },
  { weight: 6, arbitrary: fc.constant({ do: "effect" as const }) },
  { weight: 2, arbitrary: fc.constant({ do: "crash" as const }) },
);

/** A story of one thread, with what a person said and which calls were handed over, kept much simpler than the thread. */
class Story {
  fold = settle(new Fold({ rounds: 1_000, equalCalls: 1_000 }).accept({ kind: "text", text: "go" }));
  readonly proposed: CallId[] = [];
  readonly handedOver: CallId[] = [];

  tell(steps: readonly Step[]): this {
    for (const step of steps) {
      this.#play(step);
      this.#note();
    }
    return this;
  }

  /** Lets everything end that ends by itself; the model has nothing more to do. */
  finish(): this {
    for (let rounds = 0; rounds < 50; rounds++) {
      while (this.#effect()) this.#note();
      if (!this.fold.waits("round")) return this;
      this.fold.answered({ outcome: this.fold.state.endsWith("interrupting") ? "cut" : "finished", usage: null });
    }
    return this;
  }

  #note(): void {
    for (const { callId, status } of this.fold.stored.calls)
      if (status === "proposed" && !this.proposed.includes(callId)) this.proposed.push(callId);
  }

  #effect(): boolean {
    const { fold } = this;
    if (fold.waits("commit")) fold.committed();
    else if (fold.waits("prepare")) fold.prepared();
    else if (fold.waits("dispatch")) {
      this.handedOver.push(...callsToHandOver(fold.context).map(({ callId }) => callId));
      fold.dispatched();
    } else return false;
    return true;
  }

  #play(step: Step): void {
    const { fold } = this;
    const known = [...this.proposed].reverse();
    const at = (index: number): CallId => known[index % (known.length + 1)] ?? ("t1#99.0" as CallId);
    switch (step.do) {
      case "answer":
        return void fold.accept({ kind: "answer", choiceId: at(step.pick), choice: step.choice });
      case "expire":
        return void fold.accept({ kind: "timer", callId: at(step.pick), purpose: "expiry", due: 1 });
      case "result":
        return void fold.accept({ kind: "result", callId: at(step.pick), content: [{ type: "text", text: "done" }] });
      case "say":
        return void fold.accept(inputs[step.kind]);
      case "effect":
        return void this.#effect();
      case "crash":
        this.fold = fold.restarted();
        return;
      case "turn": {
        if (!fold.waits("round")) return;
        const blocks = [
          ...Array.from({ length: step.proposed }, (_, index) => proposes(`p${index}`, { onRestart: "fail" })),
          ...Array.from({ length: step.others }, () => calls("free")),
        ];
        const cut = fold.state.endsWith("interrupting") && step.cut;
        fold.answered({ outcome: cut ? "cut" : "finished", blocks });
      }
    }
  }
}

const inputs: Record<Extract<Step, { do: "say" }>["kind"], GivenInput> = {
  text: { kind: "text", text: "hey" },
  patient: { kind: "text", text: "later", whileBusy: "wait" },
  interrupt: { kind: "interrupt" },
  halt: { kind: "halt" },
};

const told = (check: (story: Story) => void) =>
  fc.assert(
    fc.property(fc.array(step, { minLength: 5, maxLength: 60 }), (steps) => check(new Story().tell(steps).finish())),
    { numRuns: 500 },
  );

/** What a person said of each call first, as the feed tells it. */
const answersIn = ({ fold }: Story): Map<string, string> => {
  const answers = new Map<string, string>();
  for (const { facts } of fold.commits)
    for (const fact of facts)
      if (fact.type === "choice.closed" && !answers.has(fact.callId))
        answers.set(fact.callId, fact.outcome === "answered" ? (fact.choice ?? "") : fact.outcome);
  return answers;
};

describe("a call that needs approval, whatever happens around it", () => {
  it("is handed over only after a person has approved it, and once (R7)", () =>
    told((story) => {
      const answers = answersIn(story);
      const approved = story.fold.commits.flatMap((commit) => commit.calls.approved ?? []);
      for (const callId of story.proposed) {
        const times = story.handedOver.filter((other) => other === callId).length;
        expect(times).toBeLessThanOrEqual(1);
        if (times > 0) {
          expect(["approve", "always approve"]).toContain(answers.get(callId));
          expect(approved).toContain(callId);
        }
      }
      expect(new Set(approved).size).toBe(approved.length);
    }));

  it("has its question closed exactly when it was answered, ran out, or its call ended (R9)", () =>
    told(({ fold, proposed }) => {
      const closed = fold.commits.flatMap(({ facts }) =>
        facts.flatMap((fact) => (fact.type === "choice.closed" ? [fact.callId] : [])),
      );
      expect(new Set(closed).size).toBe(closed.length);
      for (const callId of proposed) {
        const call = fold.stored.calls.find((other) => other.callId === callId);
        const isOpen = fold.stored.choices?.some((choice) => choice.callId === callId && choice.answer === null);
        expect(closed.includes(callId)).toBe(!isOpen);
        if (call?.status === "proposed" && !isOpen)
          expect(fold.stored.inbox.some(({ input }) => input.kind === "answer" || input.kind === "timer")).toBe(true);
        if (!call) expect(isOpen).toBe(false);
      }
    }));

  it("is said not to be executed wherever nobody approved it", () =>
    told(({ fold, proposed }) => {
      const approved = fold.commits.flatMap((commit) => commit.calls.approved ?? []);
      for (const { entry } of fold.stored.history)
        if (entry.kind === "result" && proposed.includes(entry.callId) && !approved.includes(entry.callId))
          expect(JSON.stringify(entry.content)).toContain("NOT executed");
    }));
});
