import { describe, expect, it } from "vitest";
import { asked, calls, callsInline, says, settle, told, turn, waits } from "../support/thread/blocks.ts";
import { Fold, type GivenInput } from "../support/thread/fold.ts";

const text = (words: string): GivenInput => ({ kind: "text", text: words });
const result = (fold: Fold, name: string, more: object = {}): GivenInput => ({
  kind: "result",
  callId: fold.call(name),
  content: [{ type: "text", text: "done" }],
  ...more,
});
const asking = (): Fold => settle(new Fold().accept(text("go")));

describe("a thread whose process ended", () => {
  it("hands over what was committed and not begun (R7)", () => {
    const fold = asking()
      .answered({ blocks: [calls("a")] })
      .committed();
    const again = settle(fold.restarted());
    expect(again.state).toBe("awaitingActiveCall");
    expect(again.stored.calls.map(({ status }) => status)).toEqual(["started"]);
  });

  it("begins again a call that may be repeated", () => {
    const fold = turn(asking(), calls("a", { onRestart: "again" }));
    const again = fold.restarted();
    expect(again.state).toBe("running.dispatching");
    expect(settle(again).state).toBe("awaitingActiveCall");
  });

  it("settles a call that may not, saying that nobody knows, and the model reads it (R9)", () => {
    const fold = turn(asking(), calls("a", { onRestart: "fail" }));
    const again = settle(fold.restarted());
    expect(asked(again)).toEqual(["result a:restart"]);
  });

  it("waits for the other calls before it settles the lost one", () => {
    const fold = turn(asking(), calls("a"), calls("b"));
    fold.stored.calls = fold.stored.calls.map((call) =>
      call.name === "b" ? { ...call, status: "acknowledged" } : call,
    );
    const again = settle(fold.restarted());
    expect(again.state).toBe("awaitingActiveCall");
    settle(again.accept(result(again, "b")));
    expect(asked(again)).toEqual(["result a:restart", "result b:tool"]);
  });

  it("settles a lost inline call at once beside others that go on: what is stored says what the thread rests in", () => {
    const fold = asking()
      .answered({ blocks: [calls("a"), callsInline("b"), callsInline("c")] })
      .committed()
      .dispatched();
    expect(fold.state).toBe("running.callingInline.open");
    fold.stored.calls = fold.stored.calls.map((call) => ({
      ...call,
      status: call.name === "a" ? "acknowledged" : "started",
    }));
    const again = settle(fold.restarted());
    expect(again.state).toBe("awaitingActiveCall");
    expect(again.stored.record.state).toBe("awaitingActiveCall");
    expect(told(again).slice(-2)).toEqual(["result b:restart", "result c:restart"]);
    expect(again.restarted().state).toBe("awaitingActiveCall");
    settle(again.accept(result(again, "a")));
    expect(asked(again)).toEqual(["result a:tool"]);
  });

  it("believes a result that comes in time more than the loss", () => {
    const fold = turn(asking(), calls("a"), calls("b"));
    fold.stored.calls = fold.stored.calls.map((call) =>
      call.name === "b" ? { ...call, status: "acknowledged" } : call,
    );
    const again = settle(fold.restarted());
    settle(again.accept(result(again, "a"), result(again, "b")));
    expect(asked(again)).toEqual(["result a:tool", "result b:tool"]);
  });

  it("goes on waiting for a call that somebody else answers", () => {
    const fold = turn(asking(), calls("a"));
    fold.stored.calls = fold.stored.calls.map((call) => ({ ...call, status: "acknowledged" }));
    expect(fold.restarted().state).toBe("awaitingActiveCall");
  });

  it("consumes a result that was accepted before, and begins nothing again", () => {
    const fold = turn(asking(), calls("a", { onRestart: "again" }), calls("b"));
    fold.accept(result(fold, "a"));
    const again = settle(fold.restarted());
    expect(asked(again)).toEqual(["result a:tool", "result b:restart"]);
  });

  it("sleeps on: a timed wait is part of the record", () => {
    const fold = turn(asking(), waits("sleep", { wakeAfter: 1_000 }));
    expect(fold.restarted().state).toBe("idlePassive");
  });

  it("runs inline calls that were not begun, and settles one that was", () => {
    const committed = asking()
      .answered({ blocks: [callsInline("a")] })
      .committed();
    const again = settle(committed.restarted());
    expect(told(again).at(-1)).toBe("result a:sync");
    const begun = asking()
      .answered({ blocks: [callsInline("a"), callsInline("b")] })
      .committed();
    begun.stored.calls = begun.stored.calls.map((call) => (call.name === "a" ? { ...call, status: "started" } : call));
    const other = settle(begun.restarted());
    expect(told(other).at(-1)).toBe("result b:sync");
    expect(asked(other)).toEqual(["result a:restart"]);
  });

  it("starts producers again behind the last event, deferred ones included", () => {
    const fold = turn(asking(), calls("watch", { form: "subscribe" }), calls("hook"));
    settle(fold.accept(result(fold, "watch", { subscription: true }), result(fold, "hook", { subscription: true })));
    turn(fold, says("ok"));
    const watch = fold.context.subscriptions[0]?.callId as never;
    const event = (id: string): GivenInput => ({
      kind: "event",
      callId: watch,
      text: id,
      associative: true,
      dedupId: id,
    });
    settle(fold.accept(event("e1")));
    turn(fold, calls("a"));
    expect(fold.restarted().resumed).toMatchObject([{ name: "watch", lastEventId: "e1" }]);
    fold.accept(event("e2"));
    expect(fold.restarted().resumed).toMatchObject([{ name: "watch", lastEventId: "e2" }]);
  });

  it("judges what came in and was not looked at (R1)", () => {
    const fold = turn(asking(), says("ok"));
    fold.stored.inbox.push({
      seq: 99,
      dedupId: "late",
      at: 1,
      input: { kind: "result", callId: "t1#9.0" as never, content: [], origin: "tool" },
    });
    const again = fold.restarted();
    expect(again.state).toBe("idle");
    expect(again.stored.inbox).toEqual([]);
  });
});
