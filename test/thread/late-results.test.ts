import { describe, expect, it } from "vitest";
import { asked, calls, proposes, says, settle, turn } from "../support/thread/blocks.ts";
import { Fold, type GivenInput } from "../support/thread/fold.ts";

const text = (words: string): GivenInput => ({ kind: "text", text: words });
const asking = (): Fold => settle(new Fold().accept(text("go")));
const discards = (commits: Fold["commits"]) =>
  commits.flatMap(({ facts }) => facts.flatMap((fact) => (fact.type === "input.discarded" ? [fact.reason] : [])));

/** A text has interrupted the call, the model is asked about it, and nothing of that is durable. */
const interrupting = () => {
  const fold = turn(asking(), calls("a", { onRestart: "again" }));
  const callId = fold.call("a");
  settle(fold.accept(text("stop")));
  expect(fold.state).toBe("running.completing.open");
  return { fold, answer: { kind: "result", callId, content: [{ type: "text", text: "late" }] } as GivenInput };
};

describe("a result that comes while the interruption of its call is not durable", () => {
  it("is what the call came to when the process ends before that (R1)", () => {
    const { fold, answer } = interrupting();
    fold.accept(answer);
    expect(discards(fold.commits)).toEqual([]);
    const again = settle(fold.restarted());
    expect(again.stored.calls).toMatchObject([{ status: "started" }]);
    expect(asked(again)).toEqual(["result a:tool", "user:stop"]);
  });

  it("is discarded by the commit that settles its call, whoever sends it how often", () => {
    const { fold, answer } = interrupting();
    fold.accept(answer).accept({ ...answer, dedupId: "other" });
    turn(fold, says("stopped"));
    expect(fold.state).toBe("idle");
    expect(discards(fold.commits.slice(-1))).toEqual(["call-not-outstanding", "call-not-outstanding"]);
    expect(fold.stored.inbox).toEqual([]);
  });

  it("is discarded at once when the commit is on its way", () => {
    const { fold, answer } = interrupting();
    fold.answered({ blocks: [says("stopped")] }).accept(answer);
    expect(discards(fold.recorded)).toEqual(["call-not-outstanding"]);
    settle(fold);
    expect(fold.stored.inbox).toEqual([]);
  });
});

describe("an event behind the last one of its subscription", () => {
  it("is discarded with the slice that takes the last one, and again when that is lost (R1)", () => {
    const fold = turn(asking(), calls("watch"));
    const callId = fold.call("watch");
    settle(fold.accept({ kind: "result", callId, content: [], subscription: true }));
    turn(fold, says("watching"));
    const event = (more: object): GivenInput => ({ kind: "event", callId, text: "tick", associative: true, ...more });
    settle(fold.accept(event({ final: true }))).accept(event({}));
    expect(discards(fold.commits)).toEqual([]);
    const again = settle(fold.restarted());
    expect(asked(again)).toEqual(["event watch:tick"]);
    expect(discards(turn(again, says("over")).commits)).toEqual(["subscription-ended"]);
    expect(again.stored.inbox).toEqual([]);
  });
});

describe("an approval that comes while the withdrawal of its call is not durable", () => {
  it("approves nothing, and is discarded with it", () => {
    const fold = turn(asking(), proposes("pay"));
    const choiceId = fold.call("pay");
    settle(fold.accept(text("no, wait"))).accept({ kind: "answer", choiceId, choice: 0 });
    expect(fold.recorded).toEqual([]);
    turn(fold, says("waiting"));
    expect(discards(fold.commits)).toEqual(["choice-closed"]);
    expect(fold.stored.calls).toEqual([]);
  });
});
