import { describe, expect, it } from "vitest";
import { textOf } from "../../machines/history/entry.ts";
import { calls, proposes, settle, told, turn, waits } from "../support/thread/blocks.ts";
import { Fold, type GivenInput } from "../support/thread/fold.ts";

const text = (words: string): GivenInput => ({ kind: "text", text: words });
const asking = (limits = {}): Fold => settle(new Fold(limits).accept(text("go")));
const proposed = (...more: Parameters<typeof turn>[1][]): Fold => turn(asking(), proposes("remove"), ...more);
const answer = (fold: Fold, choice: number | string, more: object = {}): GivenInput => ({
  kind: "answer",
  choiceId: fold.call("remove"),
  choice,
  ...more,
});
const statusOf = (fold: Fold, name: string) => fold.stored.calls.find((call) => call.name === name)?.status;
const facts = (fold: Fold) => fold.commits.flatMap((commit) => commit.facts);
const factsOf = (fold: Fold, type: string) => facts(fold).filter((fact) => fact.type === type);
const resultOf = (fold: Fold, name: string): string => {
  const found = fold.stored.history.find(({ entry }) => entry.kind === "result" && entry.name === name)?.entry;
  return found?.kind === "result" ? textOf(found.content) : "";
};

describe("a call that needs approval", () => {
  it("is committed as proposed, with a question that has its id, and is handed to no tool (R7)", () => {
    const fold = proposed();
    expect(fold.state).toBe("awaitingActiveCall");
    expect(statusOf(fold, "remove")).toBe("proposed");
    const id = fold.call("remove");
    expect(fold.stored.choices).toMatchObject([
      { choiceId: id, callId: id, kind: "approval", default: 2, answer: null },
    ]);
    expect(factsOf(fold, "choice.opened")).toMatchObject([{ choiceId: id, name: "remove", choices: { length: 3 } }]);
    expect(fold.commits.at(-1)?.timers).toMatchObject([{ callId: id, purpose: "expiry" }]);
  });

  it("holds nothing of its turn up: the other calls run at once", () => {
    const fold = proposed(calls("build"));
    expect(statusOf(fold, "build")).toBe("started");
    expect(statusOf(fold, "remove")).toBe("proposed");
  });

  it("is active also when its tool is a wait: no event withdraws it (R4)", () => {
    const fold = turn(asking(), proposes("remove", { passive: true, form: "run" }));
    expect(fold.state).toBe("awaitingActiveCall");
    expect(fold.accept({ ...text("later"), whileBusy: "wait" } as GivenInput).state).toBe("awaitingActiveCall");
    expect(fold.announced).toHaveLength(1);
  });

  it("is handed over after the commit that records its approval, also over a crash in between (R7)", () => {
    const fold = proposed();
    fold.accept(answer(fold, "approve", { by: "ann" }));
    expect(fold.waits("dispatch")).toBe(true);
    expect(statusOf(fold, "remove")).toBe("committed");
    expect(fold.stored.inbox).toEqual([]);
    expect(factsOf(fold, "choice.closed")).toMatchObject([
      { outcome: "answered", choice: "approve", answer: { by: "ann" } },
    ]);
    const again = fold.restarted();
    expect(again.waits("dispatch")).toBe(true);
    expect(statusOf(settle(again), "remove")).toBe("started");
  });

  it("is settled by a denial as not executed, with what the person said, and the model reads it", () => {
    const fold = proposed();
    fold.accept(answer(fold, "deny", { by: "ann", reason: "not on a Friday" }));
    settle(fold);
    expect(fold.state).toBe("running.completing.open");
    settle(fold.answered());
    expect(told(fold)).toContain("result remove:denied");
    expect(resultOf(fold, "remove")).toMatch(/NOT executed.*ann.*not on a Friday/);
  });

  it("keeps a denial beside another active call, over a restart too, and takes no second word for it", () => {
    const fold = proposed(calls("build"));
    fold.accept(answer(fold, "deny"));
    const again = fold.restarted();
    expect(again.stored.inbox).toMatchObject([{ input: { kind: "answer" } }]);
    expect(factsOf(again, "choice.closed")).toHaveLength(1);
    again.accept(answer(again, "approve"));
    expect(statusOf(again, "remove")).toBe("proposed");
    expect(factsOf(again, "input.discarded")).toMatchObject([{ kind: "answer", reason: "choice-closed" }]);
    again.accept({ kind: "result", callId: again.call("build"), content: [{ type: "text", text: "built" }] });
    settle(settle(again).answered());
    expect(told(again).slice(-2)).toEqual(["result remove:denied", "result build:tool"]);
  });

  it("is denied when nobody answers in time (R9)", () => {
    const fold = proposed();
    const callId = fold.call("remove");
    fold.accept({ kind: "timer", callId, purpose: "expiry", due: 1 });
    settle(settle(fold).answered());
    expect(told(fold)).toContain("result remove:denied");
    expect(resultOf(fold, "remove")).toMatch(/NOT executed.*in time/);
    expect(factsOf(fold, "choice.closed")).toMatchObject([{ outcome: "expired", choice: "deny" }]);
  });

  it("is withdrawn by a user's text as not executed, and nobody is told to stop (R6)", () => {
    const fold = proposed();
    const late = answer(fold, "approve");
    settle(settle(fold.accept(text("leave it"))).answered());
    expect(told(fold)).toContain("result remove:interrupted");
    expect(resultOf(fold, "remove")).toMatch(/NOT executed.*wrote instead/);
    expect(fold.aborted).toEqual([]);
    expect(factsOf(fold, "choice.closed")).toMatchObject([{ outcome: "withdrawn" }]);
    expect(fold.stored.choices).toEqual([]);
    fold.accept(late);
    expect(factsOf(fold, "input.discarded")).toMatchObject([{ reason: "choice-closed" }]);
  });

  it("is not made by an approval that comes behind the text that withdraws it", () => {
    const fold = proposed();
    settle(settle(fold.accept(text("leave it"), answer(fold, "approve"))).answered());
    expect(told(fold)).toContain("result remove:interrupted");
  });

  it("needs no second word for a tool that was approved for good, and one for every other tool", () => {
    const fold = proposed();
    fold.accept(answer(fold, "always approve"));
    settle(fold).accept({ kind: "result", callId: fold.call("remove"), content: [{ type: "text", text: "gone" }] });
    turn(settle(fold), proposes("remove"), proposes("remove_all"));
    expect([statusOf(fold, "remove"), statusOf(fold, "remove_all")]).toEqual(["started", "proposed"]);
    const again = fold.restarted();
    expect(again.stored.record.allowed).toEqual(["remove"]);
  });

  it("counts its deadline from its approval", () => {
    const fold = turn(asking(), proposes("remove", { deadline: 50 }));
    expect(fold.commits.at(-1)?.timers.map(({ purpose }) => purpose)).toEqual(["expiry"]);
    fold.accept(answer(fold, "approve"));
    expect(fold.recorded.at(-1)?.timers).toMatchObject([{ purpose: "deadline" }]);
  });

  it("takes no answer that it does not offer, and stays open", () => {
    const fold = proposed();
    fold.accept(answer(fold, 3), answer(fold, "yes"));
    expect(factsOf(fold, "input.discarded")).toMatchObject([
      { reason: "no-such-choice" },
      { reason: "no-such-choice" },
    ]);
    expect(fold.accept(answer(fold, 0)).waits("dispatch")).toBe(true);
  });

  it("is not a wait that a refused call of its turn puts off", () => {
    const fold = turn(asking(), proposes("remove"), waits());
    expect(fold.state).toBe("awaitingActiveCall");
  });
});

describe("a call that asks", () => {
  const working = (): Fold => turn(asking(), calls("deploy", { form: "run" }));
  const question = (fold: Fold, key: string, more: object = {}): GivenInput => ({
    kind: "choice",
    callId: fold.call("deploy"),
    choiceId: `${fold.call("deploy")}?${key}`,
    form: "ask",
    prompt: "where to?",
    choices: ["here", "there"],
    default: 1,
    dedupId: key,
    ...more,
  });
  const reply = (fold: Fold, key: string, choice: number): GivenInput => ({
    kind: "answer",
    choiceId: `${fold.call("deploy")}?${key}`,
    choice,
  });

  it("has its questions recorded at once, and the call waits on", () => {
    const fold = working();
    fold.accept(question(fold, "a"), question(fold, "b"));
    expect(fold.state).toBe("awaitingActiveCall");
    expect(fold.stored.choices).toHaveLength(2);
    expect(fold.stored.inbox).toEqual([]);
  });

  it("has each answered on its own, in any order, and never in the history", () => {
    const fold = working();
    fold.accept(question(fold, "a"), question(fold, "b"));
    fold.accept(reply(fold, "b", 0)).accept(reply(fold, "a", 1));
    expect(fold.commits.slice(-2).map(({ choices }) => choices?.moved[0]?.answer?.index)).toEqual([0, 1]);
    fold.accept(reply(fold, "a", 0));
    expect(factsOf(fold, "input.discarded")).toMatchObject([{ reason: "choice-closed" }]);
    expect(told(fold)).toEqual(["user:go", "turn:call deploy"]);
  });

  it("has one timer for the question that runs out next, which takes its default", () => {
    const fold = working();
    fold.accept(question(fold, "a", { expiresAt: 50 }), question(fold, "b", { expiresAt: 90 }));
    const [timer] = fold.recorded.at(-1)?.timers ?? [];
    expect(timer).toMatchObject({ purpose: "expiry", due: 50 });
    fold.accept({ kind: "timer", callId: fold.call("deploy"), purpose: "expiry", due: 50 });
    expect(fold.recorded.at(-1)?.choices?.moved).toMatchObject([{ answer: { index: 1, expired: true } }]);
    expect(fold.recorded.at(-1)?.timers).toMatchObject([{ purpose: "expiry", due: 90 }]);
  });

  it("keeps what was answered until it is settled, and withdraws what was not (R9)", () => {
    const fold = working();
    fold.accept(question(fold, "a"), question(fold, "b")).accept(reply(fold, "a", 0));
    const again = fold.restarted();
    expect(again.context.choices.map(({ answer }) => answer?.index)).toEqual([0, undefined]);
    settle(settle(again).answered());
    expect(told(again)).toContain("result deploy:restart");
    expect(factsOf(again, "choice.closed").map((fact) => "outcome" in fact && fact.outcome)).toEqual([
      "answered",
      "withdrawn",
    ]);
    expect(again.stored.choices).toEqual([]);
  });

  it("is refused a question of a call that is over, or of an id that is there", () => {
    const fold = working();
    fold.accept(question(fold, "a"), { ...question(fold, "a"), dedupId: "x" } as GivenInput);
    fold.accept({ ...question(fold, "z"), callId: "t1#9.9" } as GivenInput);
    expect(factsOf(fold, "input.discarded").map((fact) => "reason" in fact && fact.reason)).toEqual([
      "choice-known",
      "call-not-outstanding",
    ]);
  });
});

describe("what a tool shows", () => {
  it("is told, never in the history, and of each type the latest is kept", () => {
    const fold = turn(asking(), calls("deploy"));
    const callId = fold.call("deploy");
    fold.accept({ kind: "oauth", callId, url: "https://example.com/auth" });
    fold.accept({ kind: "view", callId, viewType: "diff", content: 1 }, { kind: "view", viewType: "diff", content: 2 });
    expect(factsOf(fold, "oauth.required")).toHaveLength(1);
    expect(factsOf(fold, "view.updated")).toHaveLength(2);
    expect(fold.commits.at(-1)?.views).toEqual([{ viewType: "diff", content: 2 }]);
    expect(fold.stored.inbox).toEqual([]);
    expect(told(fold)).toEqual(["user:go", "turn:call deploy"]);
  });
});
