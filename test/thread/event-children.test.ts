import { describe, expect, it } from "vitest";
import { acts, calls, closes, says, settle, told, turn, waits } from "../support/thread/blocks.ts";
import { born, child, discards, event, saidTo, sent, subscribed, text } from "../support/thread/family.ts";

describe("a non-associative event", () => {
  it("opens a child that reads it, and the subscriber is asked nothing", () => {
    const fold = subscribed();
    const rounds = fold.stored.record.rounds;
    settle(fold.accept(event(fold, "opened")));
    expect(fold.state).toBe("subscribed");
    expect(fold.stored.record.rounds).toBe(rounds);
    const [thread] = born(fold);
    const place = fold.stored.record.nextPosition;
    expect(thread).toMatchObject({
      opening: { kind: "event", parent: "t1", stack: ["t1"], position: place },
      record: { nextPosition: place + 2, roundDue: true },
      entries: [
        { position: place, entry: { kind: "seed" } },
        { position: place + 1, entry: { kind: "event", text: "opened" } },
      ],
    });
  });

  it("lets a sleeper sleep on, whose call is answered elsewhere for the child (R5)", () => {
    const fold = subscribed();
    turn(settle(fold.accept(text("sleep"))), waits());
    settle(fold.accept(event(fold, "tick")));
    expect(fold.state).toBe("idlePassive");
    expect(fold.aborted).toEqual([]);
    expect(born(fold)[0]?.entries[0]).toMatchObject({ entry: { kind: "result", origin: "elsewhere", name: "sleep" } });
  });

  it("is deferred while an active call is out, and then sees its result (R4)", () => {
    const fold = subscribed();
    turn(settle(fold.accept(text("work"))), calls("build"));
    fold.accept(event(fold, "tick"));
    expect(fold.state).toBe("awaitingActiveCall");
    settle(fold.accept({ kind: "result", callId: fold.call("build"), content: [{ type: "text", text: "done" }] }));
    turn(fold, says("fine"));
    const [thread] = born(fold);
    const result = fold.stored.history.find(({ entry }) => entry.kind === "result" && entry.name === "build");
    expect(thread?.opening.position).toBeGreaterThan(result?.position ?? Infinity);
    expect(thread?.entries).toHaveLength(2);
    expect(told(fold).slice(-2)).toEqual(["result build:tool", "turn:fine"]);
  });

  it("sees what stands before it in its batch, and nothing behind it (R3)", () => {
    const fold = subscribed();
    settle(fold.accept(event(fold, "a", { associative: true }), event(fold, "b"), text("c")));
    turn(fold, says("ok"));
    const entries = told(fold);
    expect(entries.slice(-3)).toEqual(["event watch:a", "user:c", "turn:ok"]);
    expect(born(fold)[0]?.opening.position).toBe(
      fold.stored.history.find(({ entry }) => "text" in entry && entry.text === "c")?.position,
    );
  });

  it("waits for a place when all children of its subscription work, and loses nothing (R1, R3)", () => {
    const fold = subscribed({ eventChildrenAtOnce: 2 });
    settle(fold.accept(event(fold, "1"), event(fold, "2"), event(fold, "3"), event(fold, "4")));
    expect(born(fold)).toHaveLength(2);
    expect(fold.stored.inbox).toHaveLength(2);
    const [first, second] = born(fold);
    settle(fold.accept({ kind: "rested", child: first?.threadId as never }));
    expect(born(fold)).toHaveLength(3);
    settle(fold.accept({ kind: "ended", child: second?.threadId as never, report: null }));
    expect(born(fold).map(({ entries }) => JSON.stringify(entries.at(-1)?.entry).match(/"text":"(\d)"/)?.[1])).toEqual([
      "1",
      "2",
      "3",
      "4",
    ]);
    expect(fold.stored.inbox).toEqual([]);
  });

  it("is not overtaken by a later one where a place becomes free between them (R3)", () => {
    const fold = subscribed({ eventChildrenAtOnce: 1 });
    settle(fold.accept(event(fold, "1"), event(fold, "2")));
    const [first] = born(fold);
    settle(fold.accept({ kind: "rested", child: first?.threadId as never }, event(fold, "3")));
    expect(born(fold).at(-1)?.entries.at(-1)?.entry).toMatchObject({ text: "2" });
    expect(fold.stored.inbox).toMatchObject([{ input: { text: "3" } }]);
  });

  it("does not keep the user waiting when there is no place", () => {
    const fold = subscribed({ eventChildrenAtOnce: 1 });
    settle(fold.accept(event(fold, "1"), event(fold, "2")));
    settle(fold.accept(text("hello")));
    turn(fold, says("hi"));
    expect(told(fold).slice(-2)).toEqual(["user:hello", "turn:hi"]);
    expect(fold.stored.inbox).toHaveLength(1);
    expect(fold.state).toBe("subscribed");
  });

  it("ends its subscription when it was the last, though its child still works", () => {
    const fold = subscribed();
    settle(fold.accept(event(fold, "bye", { final: true })));
    expect(fold.state).toBe("idle");
    expect(fold.stored.subscriptions).toEqual([]);
    const from = born(fold)[0]?.threadId as never;
    settle(fold.accept({ kind: "report", child: from, text: "seen" }));
    turn(fold, says("ok"));
    expect(told(fold).slice(-2)).toEqual(["event watch:seen", "turn:ok"]);
  });

  it("of a cancelled subscription is discarded", () => {
    const fold = subscribed();
    const late = event(fold, "late");
    turn(settle(fold.accept(text("stop watching"))), acts({ do: "cancel", call: "p-watch" }));
    turn(fold, says("done"));
    expect(told(fold).slice(-2)).toEqual(["result cancel:sync", "turn:done"]);
    expect(fold.commits.flatMap(({ subscriptions }) => subscriptions.cancelled ?? [])).toHaveLength(1);
    fold.accept(late);
    expect(discards(fold)).toEqual(["unknown-source"]);
    expect(fold.state).toBe("idle");
  });

  it("is handled after a crash by the one child that the commit opened (R2)", () => {
    const fold = subscribed();
    settle(fold.accept(event(fold, "tick")));
    const again = settle(fold.restarted());
    expect(again.state).toBe("subscribed");
    expect(born(again)).toHaveLength(1);
  });
});

describe("the child of an event", () => {
  it("makes room when it rests, and closes by itself when nobody needs it for an hour", () => {
    const fold = turn(child({ kind: "event" }), says("handled"));
    expect(fold.state).toBe("idle");
    expect(saidTo(fold)).toEqual(["rested t0"]);
    const { linger } = fold.stored.record;
    expect(fold.commits.at(-1)?.timers).toEqual([{ callId: null, purpose: "linger", due: linger }]);
    settle(fold.accept({ kind: "linger", due: linger ?? 0 }));
    expect(fold.state).toBe("closed");
    expect(sent(fold).at(-1)).toMatchObject({ threadId: "t0", input: { kind: "ended", report: null } });
  });

  it("stays when something comes before its time is over", () => {
    const fold = turn(child({ kind: "event" }), says("handled"));
    const due = fold.stored.record.linger ?? 0;
    settle(fold.accept(text("one more thing")));
    fold.accept({ kind: "linger", due });
    expect(discards(fold)).toEqual(["not-due"]);
    turn(fold, says("yes?"));
    expect(fold.state).toBe("idle");
    expect(fold.stored.record.linger).not.toBe(due);
  });

  it("is at work while a call of it is out", () => {
    const fold = turn(child({ kind: "event" }), calls("build"));
    expect(saidTo(fold)).toEqual([]);
  });

  it("is heard by its parent when it closes with a report, and not otherwise", () => {
    const parent = subscribed();
    settle(parent.accept(event(parent, "a")));
    settle(parent.accept(event(parent, "b")));
    const [one, two] = born(parent).map(({ threadId }) => threadId);
    const rounds = parent.stored.record.turns;
    settle(parent.accept({ kind: "ended", child: one as never, report: null }));
    expect(parent.state).toBe("subscribed");
    expect(parent.stored.record.turns).toBe(rounds);
    settle(parent.accept({ kind: "ended", child: two as never, report: "reviewed" }));
    turn(parent, says("thanks"));
    expect(told(parent).at(-2)).toMatch(/^event watch:.*reviewed/s);
    expect(parent.stored.children).toEqual([]);
  });

  it("closes itself with a last word to its parent", () => {
    const fold = turn(child({ kind: "event" }), closes("t1", "reviewed"));
    expect(fold.state).toBe("closed");
    expect(sent(fold)).toMatchObject([{ threadId: "t0", input: { kind: "ended", child: "t1", report: "reviewed" } }]);
  });
});
