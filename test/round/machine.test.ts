import { describe, expect, it } from "vitest";
import { createActor } from "xstate";
import { roundMachine } from "../../machines/round/machine.ts";
import { block, broken, cut, ended, Fold, limits, roundAfter, says, stopped, waitOver } from "./fold.ts";

const breaks = ["failed", "dropped", "stalled"] as const;

describe("a round", () => {
  it("asks once and hands back the blocks in the order they came", () => {
    const { tries, output } = roundAfter(block("one"), block("two"), ended());
    expect(tries).toEqual([{ request: Fold.request, attempt: 1, silence: 60_000 }]);
    expect(output).toEqual({
      outcome: "finished",
      blocks: [says("one"), says("two")],
      usage: { inputTokens: 3, outputTokens: 5 },
      model: "m/1",
      at: 90,
    });
  });

  it("takes a turn with nothing in it as finished", () =>
    expect(roundAfter(ended()).output).toMatchObject({ outcome: "finished", blocks: [] }));

  it.each(["finished", "truncated", "filtered"] as const)(
    "ends as %s with its blocks when the model does",
    (outcome) => {
      const round = roundAfter(block("so far"), ended(outcome));
      expect(round.state).toBe(outcome);
      expect(round.output).toMatchObject({ outcome, blocks: [says("so far")], at: 90 });
    },
  );

  it("says which part of it is missing when it is run bare", () => {
    const actor = createActor(roundMachine, { input: { threadId: "t1", request: null, limits } });
    let problem: unknown;
    actor.subscribe({ error: (error) => (problem = error) });
    actor.start();
    expect(String(problem)).toContain("provide({ actors })");
  });
});

describe("a try that breaks", () => {
  it.each(breaks)("is discarded when it %s, and the same request is asked again", (type) => {
    const round = roundAfter(block("void"), broken(type, { visible: "void too" }));
    expect(round.state).toBe("waiting");
    expect(round.announced).toEqual(["It broke."]);
    round.after(waitOver, block("real"), ended());
    expect(round.tries.map(({ attempt }) => attempt)).toEqual([1, 2]);
    expect(round.tries[1]?.request).toBe(round.tries[0]?.request);
    expect(round.output?.blocks).toEqual([says("real")]);
  });

  it.each(breaks)("is asked 11 times in all when it %s, then the visible of the last try stands", (type) => {
    const round = new Fold();
    for (let n = 1; n < 11; n++) round.after(block(`try ${n}`), broken(type, { visible: "void" }), waitOver);
    expect(round.output).toBeUndefined();
    round.after(block("whole"), broken(type, { visible: "and half" }), waitOver);
    expect(round.tries).toHaveLength(11);
    expect(round.state).toBe("failed");
    expect(round.output).toEqual({
      outcome: "failed",
      blocks: [says("whole"), says("and half")],
      usage: null,
      model: "m/1",
      at: 60,
      failure: {
        code: "MODEL_UNAVAILABLE",
        message: "It broke. That was try 11 of 11. Write to the thread to ask again.",
      },
    });
  });

  it.each(breaks)("ends the round at once when asking again cannot help (%s)", (type) => {
    const round = roundAfter(block("kept"), broken(type, { retryable: false, visible: "seen" }));
    expect(round.tries).toHaveLength(1);
    expect(round.output).toMatchObject({
      outcome: "failed",
      blocks: [says("kept"), says("seen")],
      failure: { code: "MODEL_FAILED", message: "It broke." },
    });
  });

  it("waits as long as the provider asks", () =>
    expect(roundAfter(broken("failed", { retryAfter: 7_000, jitter: 0.9 })).waits).toEqual([7_000]));

  it("sits out a wait of the limit, and beyond it ends with nothing but the instant of the next try", () => {
    expect(roundAfter(broken("failed", { retryAfter: 60_000 })).state).toBe("waiting");
    const round = roundAfter(block("kept"), broken("failed", { retryAfter: 86_400_000, at: 0 }));
    expect(round.output).toMatchObject({
      outcome: "postponed",
      blocks: [],
      retry: { due: 86_400_000, attempt: 2 },
      failure: {
        code: "MODEL_UNAVAILABLE",
        message: "It broke. It is asked again at 1970-01-02T00:00:00.000Z, or when you write.",
      },
    });
  });

  it("counts its tries on from those of the round that was postponed", () => {
    const round = new Fold({}, 11).after(block("half"), broken("failed", { retryAfter: 86_400_000 }));
    expect(round.tries).toMatchObject([{ attempt: 11 }]);
    expect(round.output).toMatchObject({ outcome: "failed", blocks: [says("half")] });
  });

  it("ends in a failure also when the provider names a wait that no calendar has", () =>
    expect(roundAfter(broken("failed", { retryAfter: 1e300 })).output?.failure?.code).toBe("MODEL_UNAVAILABLE"));

  it("leaves nothing behind that a late word of it could reach", () => {
    const round = roundAfter(broken("dropped"), block("late"), ended(), broken("stalled"), stopped("late"));
    expect(round.state).toBe("waiting");
    expect(round.after(waitOver, ended()).output?.blocks).toEqual([]);
  });
});

describe("a refusal of what the request holds", () => {
  const refused = (eventCalls: boolean, refused: "content" | "length" = "content") =>
    broken("failed", { retryable: false, refused, eventCalls, visible: "void" });

  it("is followed at once by the same request with events as text, where it had them as calls", () => {
    const round = roundAfter(block("void"), refused(true));
    expect(round.state).toBe("streaming.open");
    expect(round.waits).toEqual([]);
    expect(round.announced).toEqual(["It broke."]);
    expect(round.tries).toEqual([
      { request: Fold.request, attempt: 1, silence: 60_000 },
      { request: Fold.request, attempt: 1, silence: 60_000, eventsAs: "text" },
    ]);
    expect(round.after(block("real"), ended()).output).toMatchObject({ outcome: "finished", blocks: [says("real")] });
  });

  it("keeps events as text for the tries that follow, and is final when it comes again", () => {
    const round = roundAfter(refused(true), broken("dropped"), waitOver, refused(true));
    expect(round.tries.map(({ attempt, eventsAs }) => [attempt, eventsAs])).toEqual([
      [1, undefined],
      [1, "text"],
      [2, "text"],
    ]);
    expect(round.output).toMatchObject({ outcome: "failed", failure: { code: "MODEL_FAILED", message: "It broke." } });
  });

  it("costs no try: one that is asked once is asked with text all the same", () =>
    expect(new Fold({ tries: 1 }).after(refused(true), ended()).output?.outcome).toBe("finished"));

  it("is final where there was no such call", () =>
    expect(roundAfter(refused(false)).output?.failure?.code).toBe("MODEL_FAILED"));

  it("is final for a request that is too long, which has a code of its own", () => {
    const { tries, output } = roundAfter(block("kept"), refused(true, "length"));
    expect(tries).toHaveLength(1);
    expect(output?.failure).toMatchObject({ code: "CONTEXT_TOO_LONG", message: expect.stringMatching(/^It broke\. /) });
  });

  it("changes nothing when the thread has cut the round already", () =>
    expect(roundAfter(cut, refused(true)).state).toBe("cut"));
});

describe("a cut", () => {
  it("tells the stream to stop and lives on until it has handed back what is kept", () => {
    const round = roundAfter(block("whole"), cut);
    expect(round.told).toEqual([{ type: "stream.stop" }]);
    expect(round.output).toBeUndefined();
    expect(Object.keys(round.snapshot.children)).toEqual(["stream"]);
    round.after(block("held back"), stopped("and ha"));
    expect(round.state).toBe("cut");
    expect(round.output).toEqual({
      outcome: "cut",
      blocks: [says("whole"), says("held back"), says("and ha")],
      usage: null,
      model: "m/1",
      at: 80,
    });
  });

  it("stores no blank text", () => expect(roundAfter(cut, stopped(" \n")).output?.blocks).toEqual([]));

  it("keeps nothing between two tries, and asks no more", () => {
    const round = roundAfter(block("void"), broken("dropped"), cut, waitOver);
    expect(round.tries).toHaveLength(1);
    expect(round.output).toEqual({ outcome: "cut", blocks: [], usage: null, model: "m/1", at: 70 });
  });

  it.each(breaks)("wins over a try that %s at the same moment", (type) => {
    const round = roundAfter(block("whole"), cut, broken(type, { visible: "seen", retryable: false }));
    expect(round.output).toMatchObject({ outcome: "cut", blocks: [says("whole"), says("seen")] });
    expect(round.output?.failure).toBeUndefined();
    expect(round.announced).toEqual([]);
  });

  it.each(["finished", "truncated", "filtered"] as const)("loses to an end mark that came before it (%s)", (outcome) =>
    expect(roundAfter(cut, ended(outcome)).output).toMatchObject({ outcome, usage: { inputTokens: 3 } }),
  );

  it("is made once, however often it is told", () =>
    expect(roundAfter(cut, cut, cut).told).toEqual([{ type: "stream.stop" }]));
});
