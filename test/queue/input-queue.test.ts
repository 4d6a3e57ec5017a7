import fc from "fast-check";
import { afterEach, describe, expect, it } from "vitest";
import type { ThreadId } from "../../machines/history/ids.ts";
import type { Envelope, Input } from "../../machines/thread/input.ts";
import { onPoint } from "../../src/crash-points.ts";
import { StoreError, SystemStoppedError } from "../../src/errors.ts";
import { silentLogger } from "../../src/logger.ts";
import { createInputQueue, type InputQueueOptions } from "../../src/queue/input-queue.ts";
import { memoryStore } from "../../src/store/memory/memory-store.ts";
import type { Delivery, Store } from "../../src/store/store.ts";
import { alpha, beta, callOf, say, spec, waitingIn } from "../../src/testing/store/material.ts";
import { virtualClock } from "../support/virtual-clock.ts";

const envelope = (threadId: ThreadId, dedupId: string, input: Input = say(dedupId)): Envelope => ({
  threadId,
  dedupId,
  input,
});

const nextTurn = () => new Promise<void>((resolve) => setImmediate(resolve));

/** A queue on a memory store with two threads, and what store and threads saw of it. */
const bench = async (change: (right: Store) => Partial<Store> = () => ({}), more: Partial<InputQueueOptions> = {}) => {
  const right = memoryStore();
  await right.create(alpha, spec, 1);
  await right.create(beta, spec, 1);
  const accepts: (readonly Delivery[])[] = [];
  const events: string[] = [];
  const changed = { ...right, ...change(right) };
  const store: Store = {
    ...changed,
    async accept(deliveries, limits) {
      accepts.push(deliveries);
      return changed.accept(deliveries, limits);
    },
  };
  const queue = createInputQueue({
    store,
    clock: virtualClock(5_000),
    logger: silentLogger,
    inboxLimit: 1_000,
    deliver: (threadId, accepted) =>
      void events.push(`${threadId} ${accepted.map(({ waiting }) => waiting.dedupId).join("")}`),
    ...more,
  });
  return { queue, store: right, accepts, events };
};

const unhooks: (() => void)[] = [];
afterEach(() => {
  for (const unhook of unhooks.splice(0)) unhook();
});

describe("the input queue", () => {
  it("makes one acceptance of what came in one breath, however many sent (Q2)", async () => {
    const { queue, accepts } = await bench();
    await Promise.all([
      queue.send([envelope(alpha, "a")]),
      queue.send([envelope(beta, "b")]),
      queue.send([envelope(alpha, "c"), envelope(alpha, "d")]),
    ]);
    expect(accepts.map((deliveries) => deliveries.map(({ dedupId }) => dedupId))).toEqual([["a", "b", "c", "d"]]);
  });

  it("tells each thread once of what one acceptance took in, in order (Q3)", async () => {
    const { queue, events } = await bench();
    await Promise.all(["a", "b", "c"].map((id) => queue.send([envelope(id === "b" ? beta : alpha, id)])));
    expect(events).toEqual([`${alpha} ac`, `${beta} b`]);
  });

  it("tells the thread before the sender has its answer (Q3)", async () => {
    const { queue, events } = await bench();
    await queue.send([envelope(alpha, "a")]).then(() => events.push("answered"));
    expect(events).toEqual([`${alpha} a`, "answered"]);
  });

  it("tells a thread of nothing that was refused or a repetition", async () => {
    const { queue, events } = await bench();
    await queue.send([envelope(alpha, "a")]);
    const answers = await queue.send([envelope(alpha, "a"), envelope("nobody" as ThreadId, "b"), envelope(beta, "c")]);
    expect(answers.map(({ status }) => status)).toEqual(["duplicate", "refused", "accepted"]);
    expect(events).toEqual([`${alpha} a`, `${beta} c`]);
  });

  it("answers each sender with what became of its own inputs, in order", async () => {
    const { queue } = await bench();
    const [first, none, second] = await Promise.all([
      queue.send([envelope(alpha, "a"), envelope("nobody" as ThreadId, "b")]),
      queue.send([]),
      queue.send([envelope(alpha, "a")]),
    ]);
    expect([first, none, second].map((answers) => answers.map(({ status }) => status))).toEqual([
      ["accepted", "refused"],
      [],
      ["duplicate"],
    ]);
  });

  it("keeps to the limit of an inbox", async () => {
    const { queue } = await bench(undefined, { inboxLimit: 1 });
    const patient = (id: string) => {
      const one = envelope(alpha, id);
      return { ...one, input: { ...one.input, whileBusy: "wait" } } as typeof one;
    };
    expect(await queue.send([patient("a"), patient("b")])).toMatchObject([
      { status: "accepted" },
      { status: "refused", reason: "inbox-full" },
    ]);
  });

  it("files an input with its key, its instant and its fact, which shares the input", async () => {
    const { queue, accepts } = await bench();
    const given = envelope(alpha, "a");
    await queue.send([given]);
    const [delivery] = accepts[0] ?? [];
    expect(delivery).toMatchObject({ threadId: alpha, key: '["text","user","a"]', at: 5_000 });
    expect(delivery?.facts).toEqual([{ type: "input.accepted", dedupId: "a", input: given.input }]);
    const [fact] = delivery?.facts ?? [];
    expect(fact?.type === "input.accepted" && fact.input).toBe(given.input);
  });

  it("adds why a tool failed to the facts of its result", async () => {
    const { queue, accepts } = await bench();
    const failure = { reference: "ref-1", message: "no such file" };
    const { callId } = callOf(alpha, 1);
    await queue.send([
      envelope(alpha, "r", { kind: "result", callId, content: [], origin: "tool", error: true, failure }),
    ]);
    expect(accepts[0]?.[0]?.facts).toMatchObject([
      { type: "input.accepted" },
      { type: "failure", code: "TOOL_FAILED", callId, ...failure },
    ]);
  });

  it("has one fact for a result whose tool did not fail", async () => {
    const { queue, accepts } = await bench();
    const { callId } = callOf(alpha, 1);
    await queue.send([envelope(alpha, "r", { kind: "result", callId, content: [], origin: "tool" })]);
    expect(accepts[0]?.[0]?.facts.map(({ type }) => type)).toEqual(["input.accepted"]);
  });

  it("takes at most 1,000 inputs into one acceptance, and splits no sender's", async () => {
    const { queue, accepts } = await bench(undefined, { inboxLimit: 10_000 });
    const many = (name: string, count: number) =>
      queue.send(Array.from({ length: count }, (_, index) => envelope(alpha, `${name}${index}`)));
    await Promise.all([many("a", 600), many("b", 400), many("c", 1), many("d", 1_500), many("e", 2)]);
    expect(accepts.map(({ length }) => length)).toEqual([1_000, 1, 1_500, 2]);
  });

  it("makes one acceptance of all that came while the store was busy, and one at a time (Q1, Q2)", async () => {
    const busy: (() => void)[] = [];
    const { queue, accepts } = await bench((right) => ({
      async accept(deliveries, limits) {
        await new Promise<void>((resolve) => busy.push(resolve));
        return right.accept(deliveries, limits);
      },
    }));
    const sent = [queue.send([envelope(alpha, "a")])];
    for (const id of ["b", "c", "d"]) {
      await nextTurn();
      sent.push(queue.send([envelope(alpha, id)]));
    }
    await nextTurn();
    expect(accepts.length).toBe(1);
    busy.shift()?.();
    await nextTurn();
    busy.shift()?.();
    await Promise.all(sent);
    expect(accepts.map((deliveries) => deliveries.map(({ dedupId }) => dedupId))).toEqual([["a"], ["b", "c", "d"]]);
  });

  it("R3: whatever the turns of the loop and the pace of the store, every input is accepted once, in the order it was sent", () =>
    fc.assert(
      fc.asyncProperty(
        fc.scheduler(),
        fc.array(fc.record({ thread: fc.constantFrom(alpha, beta), pause: fc.nat(2) }), {
          minLength: 1,
          maxLength: 12,
        }),
        async (scheduler, sends) => {
          const { queue, store, events } = await bench((right) => ({
            accept: scheduler.scheduleFunction((deliveries, limits) => right.accept(deliveries, limits)),
          }));
          const sent: Promise<unknown>[] = [];
          for (const [index, { thread, pause }] of sends.entries()) {
            sent.push(queue.send([envelope(thread, `${index},`)]));
            for (let turns = 0; turns < pause; turns++) await nextTurn();
            if (pause === 2 && scheduler.count() > 0) await scheduler.waitOne();
          }
          await scheduler.waitFor(Promise.all(sent));
          for (const thread of [alpha, beta]) {
            const own = sends.flatMap((send, index) => (send.thread === thread ? [`${index},`] : []));
            expect(await waitingIn(store, thread)).toEqual(own);
            const told = events.filter((event) => event.startsWith(thread)).map((event) => event.split(" ")[1]);
            expect(told.join("")).toBe(own.join(""));
          }
        },
      ),
      { numRuns: 40 },
    ));

  it("tells the senders of an acceptance that failed, and goes on for all others (Q4)", async () => {
    let failures = 1;
    const cause = new Error("disk full");
    const { queue, events } = await bench((right) => ({
      accept: async (...given) => {
        if (failures-- > 0) throw cause;
        return right.accept(...given);
      },
    }));
    const failed = await Promise.allSettled([queue.send([envelope(alpha, "a")]), queue.send([envelope(beta, "b")])]);
    for (const outcome of failed)
      expect(outcome).toMatchObject({ status: "rejected", reason: { code: "STORE", cause } });
    expect(String(failed[0]?.status === "rejected" && failed[0].reason)).toMatch(/2 inputs .*disk full/);
    expect(await queue.send([envelope(alpha, "a"), envelope(beta, "b")])).toMatchObject([
      { status: "accepted" },
      { status: "accepted" },
    ]);
    // Their threads look into their inboxes: the store may have taken something in before it failed.
    expect(events).toEqual([`${alpha} `, `${beta} `, `${alpha} a`, `${beta} b`]);
  });

  it("does not believe a store that answers too little", async () => {
    const { queue } = await bench(() => ({ accept: async () => [] }));
    await expect(queue.send([envelope(alpha, "a")])).rejects.toThrow(/answered 0 of 1/);
  });

  it("answers the sender also when a thread could not be told; the input waits in the inbox", async () => {
    const told: ThreadId[] = [];
    const { queue, store } = await bench(undefined, {
      deliver(threadId) {
        told.push(threadId);
        if (threadId === alpha) throw new Error("no such actor");
      },
    });
    const answers = await queue.send([envelope(alpha, "a"), envelope(beta, "b")]);
    expect(answers.map(({ status }) => status)).toEqual(["accepted", "accepted"]);
    expect(told).toEqual([alpha, beta]);
    expect(await waitingIn(store, alpha)).toEqual(["a"]);
  });

  it("drains: what was sent before has its answer, also when the store failed for it", async () => {
    const { queue } = await bench(() => ({ accept: () => Promise.reject(new Error("gone")) }));
    let answered = false;
    const sent = queue.send([envelope(alpha, "a")]).catch((error) => {
      answered = error instanceof StoreError;
    });
    await queue.drain();
    await sent;
    expect(answered).toBe(true);
    await queue.drain();
  });

  it("stops: finishes what was sent before, refuses what comes after, and stops once", async () => {
    const { queue, store } = await bench();
    const sent = queue.send([envelope(alpha, "a")]);
    const stopped = queue.stop();
    await expect(queue.send([envelope(alpha, "b")])).rejects.toThrow(SystemStoppedError);
    await expect(queue.send([])).rejects.toThrow(SystemStoppedError);
    await Promise.all([stopped, queue.stop(), queue.drain()]);
    expect(await sent).toMatchObject([{ status: "accepted" }]);
    expect(await waitingIn(store, alpha)).toEqual(["a"]);
  });

  it("stops at once when nothing was ever sent", async () => {
    const { queue } = await bench();
    await queue.drain();
    await queue.stop();
  });

  it("passes the crash points of an acceptance in order: `result-sent` for results only", async () => {
    const { queue, events } = await bench();
    unhooks.push(onPoint((name) => void events.push(name)));
    await queue.send([envelope(alpha, "a")]);
    const { callId } = callOf(alpha, 1);
    await queue.send([envelope(alpha, "r", { kind: "result", callId, content: [], origin: "tool" })]);
    const passed = ["accepting", "accepted"];
    expect(events).toEqual([...passed, `${alpha} a`, "delivered", "result-sent", ...passed, `${alpha} r`, "delivered"]);
  });

  it("R1: a crash between `accepted` and the answer loses nothing, and sending again is answered as a repetition", async () => {
    for (const where of ["accepted", "delivered"]) {
      const { queue, store } = await bench();
      const unhook = onPoint((name) => {
        if (name === where) throw new Error(`crash at ${where}`);
      });
      await expect(queue.send([envelope(alpha, "a")])).rejects.toThrow(where);
      unhook();
      expect(await waitingIn(store, alpha)).toEqual(["a"]);
      expect(await queue.send([envelope(alpha, "a")])).toEqual([{ status: "duplicate" }]);
    }
  });
});
