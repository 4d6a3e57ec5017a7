import { describe, expect, it } from "vitest";
import { acts, calls, callsInline, closes, says, settle, spawns, told, turn, waits } from "../support/thread/blocks.ts";
import { asking, born, child, discards, event, saidTo, sent, subscribed, text } from "../support/thread/family.ts";
import type { Fold, GivenInput } from "../support/thread/fold.ts";

const close = { kind: "close" as const };
const halt = { kind: "halt" as const };
const ends = (fold: Fold) =>
  born(fold).map(({ threadId }) => ({ kind: "ended" as const, child: threadId, report: null }));

describe("a thread that closes itself", () => {
  it("carries out the other inline calls of the turn first, and no dispatched or passive one (R7)", () => {
    const fold = child()
      .answered({
        blocks: [
          acts({ do: "report", text: "found" }),
          calls("build"),
          waits(),
          callsInline("add"),
          closes("t1", "bye"),
        ],
      })
      .committed();
    expect(fold.state).toBe("running.callingInline.open");
    expect(settle(fold).state).toBe("closed");
    expect(told(fold).slice(-5)).toEqual([
      "result report:ack",
      "result build:not_executed",
      "result sleep:not_executed",
      "result add:sync",
      "result close:ack",
    ]);
    expect(saidTo(fold)).toEqual(["report t0", "ended t0"]);
    expect(fold.stored.record.state).toBe("closed");
  });

  it("closes once: a second call of the turn is refused", () => {
    const fold = turn(child(), closes("t1", "one"), acts({ do: "close", threadId: "t1", report: "two" }, "second"));
    expect(told(fold).slice(-2)).toEqual(["result close:ack", "result close:validation"]);
    expect(sent(fold)).toMatchObject([{ input: { kind: "ended", report: "one" } }]);
  });

  it("waits for its children, which are told, and hears no reports any more", () => {
    const fold = turn(child(), spawns("A", ["t0", "t1"]));
    turn(fold, closes("t1", "done"));
    const [inner] = born(fold);
    expect(saidTo(fold)).toEqual([`close ${inner?.threadId}`]);
    expect(fold.state).toBe("idle");
    fold.accept({ kind: "report", child: inner?.threadId as never, text: "late" });
    expect(discards(fold)).toEqual(["closed"]);
    settle(fold.accept(...ends(fold)));
    expect(fold.state).toBe("closed");
    expect(saidTo(fold).at(-1)).toBe("ended t0");
  });

  it("goes on closing after a crash", () => {
    const fold = turn(child(), spawns("A", ["t0", "t1"]));
    turn(fold, closes("t1"));
    const again = fold.restarted();
    settle(again.accept(...ends(fold)));
    expect(again.state).toBe("closed");
    expect(saidTo(again).filter((words) => words === "ended t0")).toHaveLength(1);
  });

  it("goes on closing after a crash before its inline calls ran", () => {
    const fold = child()
      .answered({ blocks: [callsInline("add", { onRestart: "again" }), closes("t1")] })
      .committed();
    expect(settle(fold.restarted()).state).toBe("closed");
  });
});

describe("a thread that is closed from outside", () => {
  it.each([
    ["at rest", () => turn(asking(), says("ok"))],
    ["while it asks the model", () => asking()],
    ["while a call is out", () => turn(asking(), calls("build"))],
    ["while it sleeps", () => turn(asking(), waits())],
    ["while it is loaded", () => turn(asking(), says("ok")).reconfigured().accept(text("more"))],
    [
      "while inline calls run",
      () =>
        asking()
          .answered({ blocks: [callsInline("add")] })
          .committed(),
    ],
    ["while it commits", () => asking().answered({ blocks: [calls("build")] })],
    [
      "while it hands over",
      () =>
        asking()
          .answered({ blocks: [calls("build")] })
          .committed(),
    ],
  ])("ends %s, with a result for every call and nothing waiting (R1, R5)", (_, make) => {
    const fold = make().accept(close);
    if (fold.state.startsWith("running.completing")) fold.answered({ outcome: "cut", blocks: [says("Hel")] });
    settle(fold);
    expect(fold.state).toBe("closed");
    expect(fold.stored).toMatchObject({ inbox: [], calls: [], subscriptions: [], record: { state: "closed" } });
  });

  it("tells its subscriptions to stop, and discards what waits with a reason (R1)", () => {
    const fold = subscribed();
    turn(settle(fold.accept(text("work"))), calls("build"));
    fold.accept(event(fold, "tick", { associative: true }));
    settle(fold.accept(close));
    expect(fold.state).toBe("closed");
    expect(discards(fold)).toEqual(["closed"]);
    expect(fold.commits.flatMap(({ subscriptions }) => subscriptions.cancelled ?? [])).toHaveLength(1);
    expect(fold.aborted).toHaveLength(1);
  });

  it("closes ten children that work first, deepest first", () => {
    const fold = turn(asking(), ...Array.from({ length: 10 }, (_, at) => spawns(`${at}`)));
    turn(fold, says("waiting"));
    settle(fold.accept(close));
    expect(fold.state).toBe("idle");
    expect(saidTo(fold)).toHaveLength(10);
    for (const end of ends(fold).slice(0, 9)) settle(fold.accept(end));
    expect(fold.state).toBe("idle");
    settle(fold.accept(ends(fold)[9] as never));
    expect(fold.state).toBe("closed");
  });

  it("says its parent that it ended, once, however often it is told to close", () => {
    const fold = turn(child(), says("ok"));
    settle(fold.accept(close, close));
    expect(fold.state).toBe("closed");
    expect(saidTo(fold)).toEqual(["ended t0"]);
  });
});

describe("a thread that is halted", () => {
  it("settles what is outstanding, discards the deferred, and halts its children", () => {
    const fold = turn(asking(), spawns());
    turn(fold, calls("build"));
    const from = born(fold)[0]?.threadId;
    fold.accept({ kind: "report", child: from as never, text: "half" });
    settle(fold.accept(halt));
    expect(fold.state).toBe("idle");
    expect(told(fold).at(-1)).toBe("result build:interrupted");
    expect(discards(fold)).toEqual(["halted"]);
    expect(saidTo(fold)).toEqual([`halt ${from}`]);
    expect(fold.stored.record.halted).toBe(true);
  });

  it("keeps a result that is there already", () => {
    const fold = turn(asking(), calls("a"), calls("b"));
    settle(fold.accept({ kind: "result", callId: fold.call("a"), content: [{ type: "text", text: "1" }] }, halt));
    expect(told(fold).slice(-2)).toEqual(["result a:tool", "result b:interrupted"]);
  });

  it("cuts a round, and rests with what was visible", () => {
    const fold = asking().accept(halt);
    expect(fold.cuts).toEqual(["round"]);
    settle(fold.answered({ outcome: "cut", blocks: [says("Hel")] }));
    expect(told(fold)).toEqual(["user:go", "turn:Hel"]);
    expect(fold.state).toBe("idle");
    expect(fold.stored.inbox).toEqual([]);
  });

  it("discards events, waiting texts and messages from then on, and ends a subscription whose last event that was", () => {
    const fold = subscribed();
    settle(fold.accept(halt));
    settle(
      fold.accept(event(fold, "a", { associative: true }), event(fold, "b"), {
        ...text("later"),
        whileBusy: "wait",
      } as never),
    );
    expect(discards(fold)).toEqual(["halted", "halted", "halted"]);
    settle(fold.accept(event(fold, "bye", { associative: true, final: true })));
    expect(fold.state).toBe("idle");
    expect(fold.stored).toMatchObject({ subscriptions: [], inbox: [], record: { halted: true } });
  });

  it("is resumed by the user's text, and so are its children (R6)", () => {
    const fold = turn(asking(), spawns());
    turn(fold, says("ok"));
    settle(fold.accept(halt));
    settle(fold.accept(text("go on")));
    turn(fold, says("yes"));
    expect(fold.stored.record.halted).toBe(false);
    expect(saidTo(fold).map((words) => words.split(" ")[0])).toEqual(["halt", "resume"]);
    expect(told(fold).slice(-2)).toEqual(["user:go on", "turn:yes"]);
  });

  it("is resumed by the thread above, without a round", () => {
    const fold = turn(child(), says("ok"));
    settle(fold.accept(halt));
    settle(fold.accept({ kind: "resume", sender: "t0" }));
    expect(fold.stored.record.halted).toBe(false);
    expect(fold.state).toBe("idle");
    expect(fold.stored.inbox).toEqual([]);
  });

  it("keeps a text that came before in its history, and hears one that came behind", () => {
    const fold = turn(asking(), calls("build"));
    settle(fold.accept({ ...text("before"), whileBusy: "interrupt" } as never, halt, text("behind")));
    expect(fold.state).toBe("running.completing.open");
    turn(fold, says("ok"));
    expect(told(fold).slice(-3)).toEqual(["user:before", "user:behind", "turn:ok"]);
    expect(fold.stored.record.halted).toBe(false);
  });

  it("stays halted when the thread above went on before", () => {
    const fold = turn(child(), says("ok"));
    settle(fold.accept(halt));
    settle(fold.accept({ kind: "resume", sender: "t0" }, halt));
    expect(fold.stored).toMatchObject({ inbox: [], record: { halted: true } });
  });

  it("is said to be halted again when a text had resumed it just before", () => {
    const fold = turn(asking(), says("ok"));
    settle(fold.accept(halt));
    fold.commits.length = 0;
    settle(fold.accept(text("go on"), halt));
    const facts = fold.commits.flatMap((commit) => commit.facts.map(({ type }) => type));
    expect(facts.filter((type) => type.startsWith("thread."))).toEqual(["thread.resumed", "thread.halted"]);
  });

  it("discards a report that came behind the halt as one that comes later, and hears the end behind it (R1, R3)", () => {
    const fold = turn(asking(), spawns());
    turn(fold, says("ok"));
    const from = born(fold)[0]?.threadId as never;
    const report: GivenInput = { kind: "report", child: from, text: "found" };
    settle(fold.accept(halt, report, { kind: "ended", child: from, report: null }));
    expect(discards(fold)).toEqual(["halted"]);
    expect(told(fold).at(-1)).toMatch(/^event spawn:/);
    expect(fold.stored).toMatchObject({ inbox: [], children: [], record: { halted: true } });
  });

  it("hears what came behind the text that resumes it, in order (R3)", () => {
    const fold = turn(asking(), spawns());
    turn(fold, says("ok"));
    const from = born(fold)[0]?.threadId as never;
    const report: GivenInput = { kind: "report", child: from, text: "found" };
    settle(fold.accept(halt, text("go on"), report, { kind: "ended", child: from, report: null }));
    turn(fold, says("yes"));
    expect(discards(fold)).toEqual([]);
    expect(told(fold).slice(-4, -2)).toEqual(["user:go on", "event spawn:found"]);
  });

  it("still hears that a child has ended, without being asked about it", () => {
    const fold = turn(asking(), spawns());
    turn(fold, says("ok"));
    settle(fold.accept(halt));
    settle(fold.accept(...ends(fold)));
    expect(fold.stored.children).toEqual([]);
    expect(fold.state).toBe("idle");
    expect(told(fold).at(-1)).toMatch(/^event spawn:/);
  });

  it("stays halted over a restart, and gives up a request that was postponed", () => {
    const fold = settle(
      asking().answered({
        outcome: "postponed",
        retry: { due: 9e5, attempt: 2 },
        failure: { code: "MODEL_UNAVAILABLE", message: "Busy." },
      }),
    );
    settle(fold.accept(halt));
    const again = settle(fold.restarted());
    expect(again.stored.record).toMatchObject({ halted: true, retry: null });
    expect(again.accept({ kind: "retry", due: 9e5 }).state).toBe("idle");
  });
});
