import { describe, expect, it } from "vitest";
import { asked, calls, callsInline, proposes, says, settle, spawns, turn, waits } from "../support/thread/blocks.ts";
import { Fold, type GivenInput } from "../support/thread/fold.ts";

const text = (words: string): GivenInput => ({ kind: "text", text: words });
const release: GivenInput = { kind: "release" };
const asking = (): Fold => settle(new Fold().accept(text("go")));
const quarantined = (fold: Fold) => fold.stored.record.quarantined;
const types = (fold: Fold) => fold.commits.flatMap(({ facts }) => facts.map(({ type }) => type));

/** Begins again and dies over the same, as often as `times`. */
const dying = (fold: Fold, times: number, reach: (again: Fold) => Fold = settle): Fold => {
  let again = fold;
  for (let time = 0; time < times; time++) again = reach(again.died());
  return again;
};
const setAside = (): Fold => dying(asking(), 4);

describe("a thread that its process died over", () => {
  it("is counted before anything of it is begun", () => {
    const fold = asking().died();
    expect(fold.state).toBe("running.recovering");
    expect(fold.waits("round")).toBe(false);
    expect(settle(fold).state).toBe("running.completing.open");
    expect(fold.stored.record.restarts).toBe(1);
  });

  it.each([
    ["a request was open", asking],
    ["inline calls ran", () => turn(asking(), callsInline("a"))],
    [
      "a call was to be handed over",
      () =>
        asking()
          .answered({ blocks: [calls("a")] })
          .committed(),
    ],
    ["a call was at work", () => turn(asking(), calls("a"))],
  ] as const)("is begun again three times when %s, then set aside", (_, reach) => {
    /** The model, asked again, does what it did before. */
    const asBefore = (fold: Fold): Fold =>
      fold.state === "running.completing.open" && fold.stored.record.turns > 0 ? turn(fold, calls("a")) : fold;
    const third = dying(reach(), 3, (again) => asBefore(settle(again)));
    expect(quarantined(third)).toBeNull();
    expect(third.stored.record.restarts).toBe(3);
    const fourth = settle(third.died());
    expect(quarantined(fourth)).toMatchObject({ reason: "process-died", times: 4 });
    expect(fourth.state).not.toMatch(/running/);
    expect(fourth.stored.record.lastFailure?.code).toBe("QUARANTINED");
  });

  it("is not counted when it rested, whatever its calls elsewhere do", () => {
    const sleeping = turn(asking(), waits("sleep"));
    expect(sleeping.died().state).toBe("idlePassive");
    const asked = turn(asking(), proposes("remove"));
    expect(asked.died().state).toBe("awaitingActiveCall");
    const elsewhere = turn(asking(), calls("a"));
    elsewhere.stored.calls = elsewhere.stored.calls.map((call) => ({ ...call, status: "acknowledged" }));
    expect(elsewhere.died().state).toBe("awaitingActiveCall");
    expect(elsewhere.died().stored.record.restarts).toBe(0);
  });

  it("is not counted for events that an active call held back", () => {
    const fold = turn(asking(), spawns(), calls("a"));
    fold.stored.calls = fold.stored.calls.map((call) => ({ ...call, status: "acknowledged" }));
    fold.accept({ kind: "text", text: "later", whileBusy: "wait" });
    expect(fold.died().state).toBe("awaitingActiveCall");
  });

  it("has its count forgotten by a rest with nothing in the hands of a process", () => {
    const fold = turn(dying(asking(), 3), says("done"));
    expect(fold.state).toBe("idle");
    expect(fold.stored.record.restarts).toBe(0);
    expect(settle(settle(fold.accept(text("again"))).died()).stored.record.restarts).toBe(1);
  });

  it("keeps its count over the turn that makes the call which kills", () => {
    const fold = turn(dying(asking(), 2), calls("a"));
    expect(fold.state).toBe("awaitingActiveCall");
    expect(fold.stored.record.restarts).toBe(2);
  });

  it("is counted once in a life, however often it leaves memory and comes back with its lost call", () => {
    const fold = turn(asking(), calls("a"), calls("b"));
    fold.stored.calls = fold.stored.calls.map((call) =>
      call.name === "b" ? { ...call, status: "acknowledged" } : call,
    );
    const first = settle(fold.died());
    expect(first.state).toBe("awaitingActiveCall");
    const again = settle(first.cameBack());
    expect(settle(again.cameBack()).stored.record.restarts).toBe(1);
    expect(settle(again.died()).stored.record.restarts).toBe(2);
  });

  it("is not counted after a stop in order", () => {
    expect(settle(asking().restarted()).stored.record.restarts).toBe(0);
  });
});

describe("a thread that was set aside", () => {
  it("begins nothing, in this life and the next", () => {
    const fold = setAside();
    expect(fold.state).toBe("idle");
    expect(fold.died().state).toBe("idle");
    expect(fold.restarted().state).toBe("idle");
  });

  it("keeps the inputs it was about, and those that come (R1)", () => {
    const fold = setAside().accept({ kind: "text", text: "first", whileBusy: "wait" });
    expect(fold.stored.inbox).toHaveLength(2);
  });

  it("is released by a text that comes after, not by those before it", () => {
    const fold = setAside();
    expect(fold.stored.inbox.map(({ input }) => input.kind)).toEqual(["text"]);
    settle(fold.accept(text("do something else")));
    expect(quarantined(fold)).toBeNull();
    expect(asked(fold)).toEqual(["user:go", "user:do something else"]);
  });

  it("is released by a person, and goes on where it was", () => {
    const fold = settle(setAside().accept(release));
    expect(fold.state).toBe("running.completing.open");
    expect(fold.stored.record).toMatchObject({ quarantined: null, restarts: 0 });
    expect(types(fold)).toEqual(expect.arrayContaining(["thread.quarantined", "thread.released"]));
    expect(fold.stored.inbox.map(({ input }) => input.kind)).toEqual(["text"]);
  });

  it("is set aside again when the same happens again, also over the text that released it", () => {
    const fold = dying(settle(setAside().accept(text("again"))), 4);
    expect(quarantined(fold)).not.toBeNull();
    expect(settle(fold.restarted()).state).toBe("idle");
  });

  it("hands nothing over that was committed before", () => {
    const fold = dying(
      asking()
        .answered({ blocks: [calls("a")] })
        .committed(),
      4,
      (again) => again.committed(),
    );
    expect(fold.state).toBe("awaitingActiveCall");
    expect(fold.stored.calls.map(({ status }) => status)).toEqual(["committed"]);
    expect(settle(fold.accept(release)).stored.calls.map(({ status }) => status)).toEqual(["started"]);
  });

  it("can be closed and halted", () => {
    expect(settle(setAside().accept({ kind: "close" })).state).toBe("closed");
    const halted = settle(setAside().accept({ kind: "halt" }));
    expect(halted.stored.record).toMatchObject({ halted: true });
    expect(quarantined(halted)).not.toBeNull();
  });

  it("closes with the last of its children, though it was set aside while it waited for them", () => {
    const parent = turn(asking(), spawns());
    turn(parent, says("ok"));
    settle(parent.accept({ kind: "close" }));
    const child = parent.context.children[0]?.threadId as string;
    parent.stored.record = {
      ...parent.stored.record,
      quarantined: { reason: "process-died", times: 4, at: 1, upTo: 0 },
    };
    const again = settle(parent.restarted().accept({ kind: "ended", child: child as never, report: null }));
    expect(again.state).toBe("closed");
  });

  it("says whether its process or its actor was lost", () => {
    let fold = asking();
    for (let time = 0; time < 4; time++) fold = settle(fold.died("actor"));
    expect(quarantined(fold)).toMatchObject({ reason: "actor-failed", times: 4 });
  });
});

describe("a release", () => {
  it("of a thread that is not set aside is discarded, and interrupts nothing", () => {
    const fold = asking().accept(release);
    expect(fold.state).toBe("running.completing.open");
    expect(fold.commits.at(-1)?.facts).toEqual([
      expect.objectContaining({ type: "input.discarded", reason: "not-quarantined" }),
    ]);
  });
});
