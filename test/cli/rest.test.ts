import { describe, expect, it } from "vitest";
import type { ThreadState } from "../../machines/thread/commit.ts";
import { isDone, isOver, isStuck, untilRest } from "../../src/cli/run/rest.ts";
import type { ThreadView } from "../../src/system/api.ts";
import { settle } from "../../src/testing/virtual-clock.ts";
import { fakeCall, fakeThread, sleeping, subscription, waiting } from "./fake-thread.ts";

const viewOf = (state: ThreadState, more: Partial<ThreadView> = {}): ThreadView => ({
  state,
  lastFailure: null,
  retry: null,
  usage: { inputTokens: 0, outputTokens: 0 },
  calls: [],
  subscriptions: [],
  opening: null,
  children: [],
  halted: false,
  quarantined: null,
  deferred: [],
  ...more,
});
const until = fakeCall("sleep_until", {
  form: "builtin",
  passive: true,
  args: { date: "2026-12-07", time: "09:00", timezone: "UTC" },
});
const delivery = fakeCall("delivery", { form: "dispatch", passive: true });

describe("a line", () => {
  it.each([
    ["in a slice is not done", viewOf("running"), false],
    ["with an active call is not done", viewOf("awaitingActiveCall", { calls: [fakeCall("build")] }), false],
    ["in a timed sleep is not done", viewOf("idlePassive", { calls: [sleeping] }), false],
    ["in a sleep until a date is not done", viewOf("idlePassive", { calls: [until] }), false],
    ["in a timed sleep beside a wait is not done", viewOf("idlePassive", { calls: [waiting, sleeping] }), false],
    ["that waits for whatever comes is done", viewOf("idlePassive", { calls: [waiting] }), true],
    ["that waits for a delivery by hand is done", viewOf("idlePassive", { calls: [delivery] }), true],
    ["with a subscription is done", viewOf("subscribed", { subscriptions: [subscription] }), true],
    ["with nothing left is done", viewOf("idle"), true],
  ])("%s", (_, view, done) => expect(isDone(view)).toBe(done));
});

describe("a thread at the end of its input", () => {
  it.each([
    ["is over when it is idle", viewOf("idle"), true, false],
    ["is over when it is closed", viewOf("closed"), true, false],
    ["goes on while it is subscribed", viewOf("subscribed", { subscriptions: [subscription] }), false, false],
    ["goes on while it sleeps", viewOf("idlePassive", { calls: [sleeping] }), false, false],
    ["is stuck when it waits for another input", viewOf("idlePassive", { calls: [waiting] }), true, true],
    [
      "goes on when an event can end its wait",
      viewOf("idlePassive", { calls: [waiting], subscriptions: [subscription] }),
      false,
      false,
    ],
    ["goes on when a delivery can end its wait", viewOf("idlePassive", { calls: [waiting, delivery] }), false, false],
  ])("%s", (_, view, over, stuck) => {
    expect(isOver(view)).toBe(over);
    expect(isStuck(view)).toBe(stuck);
  });
});

describe("waiting for rest", () => {
  const follow = (holds = isDone, signal = new AbortController().signal) => {
    const fake = fakeThread();
    fake.become("running");
    let isThere = false;
    void untilRest({ thread: fake.thread, family: async () => [fake.thread] }, holds, signal).then(() => {
      isThere = true;
    });
    return {
      ...fake,
      async isThere() {
        await settle();
        return isThere;
      },
    };
  };

  it("goes on through calls and sleeps until the work is done", async () => {
    const thread = follow();
    expect(await thread.isThere()).toBe(false);
    thread.become("awaitingActiveCall", { calls: [fakeCall("build")] });
    expect(await thread.isThere()).toBe(false);
    thread.become("running");
    thread.become("idlePassive", { calls: [sleeping] });
    expect(await thread.isThere()).toBe(false);
    thread.become("running");
    thread.become("subscribed", { subscriptions: [subscription] });
    expect(await thread.isThere()).toBe(true);
  });

  it("is not deceived by a rest that ends at once", async () => {
    const thread = follow();
    thread.become("idle");
    thread.become("running");
    expect(await thread.isThere()).toBe(false);
  });

  it("waits for the threads below, and looks again who is there", async () => {
    const root = fakeThread();
    const below = fakeThread();
    below.become("awaitingActiveCall", { calls: [fakeCall("build")] });
    let family = [root.thread, below.thread];
    let isThere = false;
    void untilRest({ thread: root.thread, family: async () => family }, isOver, new AbortController().signal).then(
      () => {
        isThere = true;
      },
    );
    await settle();
    expect(isThere).toBe(false);
    const late = fakeThread();
    late.become("subscribed", { subscriptions: [subscription] });
    family = [root.thread, late.thread];
    below.become("closed");
    await settle();
    expect(isThere).toBe(false);
    late.become("idle");
    await settle();
    expect(isThere).toBe(true);
  });

  it("ends when it is told to", async () => {
    const stopping = new AbortController();
    const thread = follow(isOver, stopping.signal);
    stopping.abort();
    expect(await thread.isThere()).toBe(true);
  });
});
