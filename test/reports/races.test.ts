import { Subject } from "rxjs";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { defineTool, eventFor, memoryStore, type ProducerEvent, resultFor } from "../../src/index.ts";
import { benchWith, cameTo, expectWellFormed, resultsOf, settle, shown } from "./bench.ts";

const noArgs = z.object({});
const byHand = (more: { readonly deadline?: number } = {}) => {
  const addresses: string[] = [];
  const signals: AbortSignal[] = [];
  const tool = defineTool({
    name: "hand",
    description: "Waits for somebody.",
    inputSchema: noArgs,
    ...more,
    dispatch(_, call) {
      addresses.push(call.address);
      signals.push(call.signal);
    },
  });
  return { tool, addresses, signals };
};
const hands = (count: number) => ({ calls: Array.from({ length: count }, () => ({ name: "hand" })) });
const textTo = (threadId: string, dedupId: string) => ({ threadId, dedupId, input: { kind: "text", text: dedupId } });

describe("results and the model", () => {
  it("report 017: asks the model once, after the last result, whether results come apart or together", async () => {
    for (const together of [false, true]) {
      const { tool, addresses } = byHand();
      const bench = await benchWith([hands(2), "done"], { tools: [tool] });
      await bench.thread.send("go");
      await bench.thread.atRest();
      const results = addresses.map((address, n) => resultFor(address, `result ${n}`));
      if (together) await bench.system.deliver(results);
      else {
        await bench.system.deliver(results[0]);
        await settle();
        expect(bench.model.requestCount).toBe(1);
        await bench.clock.advance(400);
        await bench.system.deliver(results[1]);
      }
      await bench.thread.atRest();
      expect(bench.model.requestCount).toBe(2);
      expect(shown(await bench.thread.history())).toEqual([
        "user go",
        "turn",
        "result result 0",
        "result result 1",
        "turn",
      ]);
    }
  });

  it("report 017, R9: settles a lost result at its deadline, and asks the model once", async () => {
    const { tool, addresses, signals } = byHand({ deadline: 5_000 });
    const bench = await benchWith([hands(2), "done"], { tools: [tool] });
    await bench.thread.send("go");
    await bench.thread.atRest();
    await bench.system.deliver(resultFor(addresses[0] ?? "", "in time"));
    await bench.clock.advance(5_000);
    expect(signals.map(({ aborted }) => aborted)).toEqual([false, true]);
    expect(bench.model.requestCount).toBe(2);
    expect(resultsOf(await bench.thread.history()).map(({ error }) => error ?? false)).toEqual([false, true]);
    await expectWellFormed(bench);
  });

  it("R2: keeps the one that came first when result and deadline meet, and discards the other", async () => {
    for (const first of ["result", "deadline"] as const) {
      const { tool, addresses } = byHand({ deadline: 5_000 });
      const store = memoryStore();
      const bench = await benchWith([hands(1), "done"], { tools: [tool], store });
      await bench.thread.send("go");
      await bench.thread.atRest();
      const result = resultFor(addresses[0] ?? "", "late or not");
      if (first === "result") await bench.system.deliver(result);
      await bench.clock.advance(10_000);
      if (first === "deadline") await bench.system.deliver(result);
      await bench.thread.atRest();
      const [entry, ...others] = resultsOf(await bench.thread.history());
      expect(others).toEqual([]);
      expect(entry?.error ?? false).toBe(first === "deadline");
      const facts = await store.feed({ after: 0, limit: 1_000 });
      expect(facts.filter(({ type }) => type === "input.discarded")).toHaveLength(first === "deadline" ? 1 : 0);
      await expectWellFormed(bench);
    }
  });
});

describe("a user text", () => {
  it("report 022: that comes with the end mark of a turn of five calls is heard after them, and no call twice", async () => {
    const { tool, signals } = byHand();
    const bench = await benchWith(undefined, { tools: [tool] });
    await bench.thread.send("go");
    const request = await bench.model.next();
    const sent = bench.thread.send("wait, no");
    request.answer(hands(5));
    await sent;
    (await bench.model.next()).answer("ok");
    await bench.thread.atRest();
    expect(bench.model.requestCount).toBe(2);
    const results = resultsOf(await bench.thread.history());
    expect(new Set(results.map(({ callId }) => callId)).size).toBe(results.length);
    expect(signals.every(({ aborted }) => aborted)).toBe(true);
    await expectWellFormed(bench);
  });

  it("keeps the result that was there before or came with it, and interrupts the other calls (R6)", async () => {
    for (const order of [
      ["result", "text"],
      ["text", "result"],
    ]) {
      const { tool, addresses, signals } = byHand();
      const bench = await benchWith([hands(3), "ok"], { tools: [tool] });
      await bench.thread.send("go");
      await bench.thread.atRest();
      const inputs = { result: resultFor(addresses[1] ?? "", "kept"), text: textTo("t", "stop") };
      await bench.system.deliver(order.map((name) => inputs[name as "text"]));
      await bench.thread.atRest();
      const origins = resultsOf(await bench.thread.history()).map(({ origin }) => origin);
      expect(origins).toEqual(["interrupted", "tool", "interrupted"]);
      expect(signals.map(({ aborted }) => aborted)).toEqual([true, false, true]);
      await expectWellFormed(bench);
    }
  });

  it("R2: leaves nothing for a result that comes after it, however often that comes", async () => {
    const { tool, addresses } = byHand();
    const bench = await benchWith([hands(1), "heard"], { tools: [tool] });
    await bench.thread.send("go");
    await bench.thread.atRest();
    expect(await bench.thread.ask("stop")).toBe("heard");
    const before = await bench.thread.history();
    for (const text of ["late", "late", "later"]) await bench.system.deliver(resultFor(addresses[0] ?? "", text));
    await settle();
    expect(await bench.thread.history()).toEqual(before);
    expect(bench.model.requestCount).toBe(2);
  });

  it("report 024: sent to wait comes after all calls of the turn, one sent to interrupt does not", async () => {
    const { tool, addresses } = byHand();
    const bench = await benchWith([hands(2), "after all"], { tools: [tool] });
    await bench.thread.send("go");
    await bench.thread.atRest();
    await bench.thread.send("when you can", { whileBusy: "wait" });
    await bench.system.deliver(resultFor(addresses[0] ?? "", "one"));
    await settle();
    expect(bench.model.requestCount).toBe(1);
    expect(bench.thread.view().deferred).toHaveLength(1);
    await bench.system.deliver(resultFor(addresses[1] ?? "", "two"));
    await bench.thread.atRest();
    expect(shown(await bench.thread.history()).slice(2)).toEqual([
      "result one",
      "result two",
      "user when you can",
      "turn",
    ]);
  });

  it("report 023, R8: is never asked for beside another round, and none of many vanishes", async () => {
    const bench = await benchWith();
    const sent = [1, 2, 3].map((n) => bench.thread.send(`m${n}`, { id: `m${n}` }));
    await Promise.all(sent);
    for (let n = 4; n <= 8; n++) {
      await settle();
      expect(bench.model.openRequests).toHaveLength(1);
      bench.model.openRequests[0]?.stream([{ text: `half ${n}` }], "open");
      await bench.thread.send(`m${n}`, { whileBusy: n % 2 === 0 ? "interrupt" : "wait" });
    }
    for (;;) {
      await settle();
      const [open, ...others] = bench.model.openRequests;
      expect(others).toEqual([]);
      if (!open) break;
      open.answer("ok");
    }
    const texts = shown(await bench.thread.history()).filter((line) => line.startsWith("user"));
    expect(texts.toSorted()).toEqual([1, 2, 3, 4, 5, 6, 7, 8].map((n) => `user m${n}`));
    await expectWellFormed(bench);
  });
});

describe("an event", () => {
  const watching = () => {
    const events = new Subject<ProducerEvent>();
    const addresses: string[] = [];
    const tool = defineTool({
      name: "watch",
      description: "Watches.",
      inputSchema: noArgs,
      subscribe: (_, call) => {
        addresses.push(call.address);
        return { started: "on", events };
      },
    });
    return { tool, events, addresses };
  };

  it("that overtakes the first result of its call is deferred, then follows it; of a call that is none, it is discarded", async () => {
    for (const subscription of [true, false]) {
      const { tool, addresses } = byHand();
      const bench = await benchWith([hands(1), "ok"], { tools: [tool] });
      await bench.thread.send("go");
      await bench.thread.atRest();
      const [address = ""] = addresses;
      await bench.system.deliver(eventFor(address, { id: "1", text: "early", associative: true }));
      expect(bench.thread.state).toBe("awaitingActiveCall");
      await bench.system.deliver(resultFor(address, "on", { subscription }));
      await bench.thread.atRest();
      const lines = shown(await bench.thread.history());
      expect(lines.slice(2, 4)).toEqual(subscription ? ["result on", "event early"] : ["result on", "turn"]);
      expect(bench.thread.state).toBe(subscription ? "subscribed" : "idle");
      await expectWellFormed(bench);
    }
  });

  it("report 035, R2: is known by its subscription and its id; the same id from another is another event", async () => {
    const { tool, addresses } = byHand();
    const bench = await benchWith((request) => (request.ordinal === 1 ? hands(2) : "ok"), { tools: [tool] });
    await bench.thread.send("go");
    await bench.thread.atRest();
    await bench.system.deliver(addresses.map((address) => resultFor(address, "on", { subscription: true })));
    await bench.thread.atRest();
    const [one = "", two = ""] = addresses;
    const events = [one, two, one].map((address) => eventFor(address, { id: "E1", text: "!", associative: true }));
    expect(await bench.system.deliver(events)).toEqual([true, true, false]);
    await bench.thread.atRest();
    expect(shown(await bench.thread.history()).filter((line) => line === "event !")).toHaveLength(2);
  });

  it("R4: never reaches the model while an active call is out, however many come; then they come in order", async () => {
    const { tool: watch, events } = watching();
    const { tool: hand, addresses } = byHand();
    const script = [{ calls: [{ name: "watch" }] }, hands(1), "seen"];
    const bench = await benchWith(script, { tools: [watch, hand] });
    await bench.thread.send("go");
    await settle();
    for (let n = 0; n < 50; n++) events.next({ text: `e${n}`, associative: true });
    await settle(30);
    expect(bench.model.requestCount).toBe(2);
    await bench.system.deliver(resultFor(addresses[0] ?? "", "free"));
    await settle();
    const lines = shown(await bench.thread.history());
    expect(lines.filter((line) => line.startsWith("event"))).toEqual(
      Array.from({ length: 50 }, (_, n) => `event e${n}`),
    );
    expect(bench.model.requestCount).toBe(3);
    await expectWellFormed(bench);
  });
});

describe("stopping the system", () => {
  it("report 048, 042: at any moment loses no text and no result, and the next one finishes the work once (R1, R2)", async () => {
    let ran = 0;
    const add = defineTool({
      name: "add",
      description: "Adds.",
      inputSchema: noArgs,
      annotations: { idempotent: true },
      run: async () => {
        ran++;
        await settle(2);
        return "4";
      },
    });
    const script = ({ prompt }: { prompt: readonly { role: string }[] }) =>
      prompt.at(-1)?.role === "tool" ? "it is 4" : { text: "adding", calls: [{ name: "add" }] };
    for (let moment = 0; moment < 14; moment++) {
      ran = 0;
      const first = await benchWith(script, { tools: [add] });
      const sent = first.thread.send("go", { id: "1" });
      await settle(moment);
      await first.system.stop();
      const isAccepted = (await cameTo(sent)) === true;
      const next = await benchWith(script, { tools: [add], store: first.store, clock: first.clock });
      expect(await next.thread.send("go", { id: "1" })).toBe(!isAccepted);
      await settle(30);
      expect(await next.thread.atRest()).toBe("idle");
      expect(ran).toBeLessThanOrEqual(2);
      expect(shown(await next.thread.history()).slice(0, 1)).toEqual(["user go"]);
      expect(shown(await next.thread.history()).at(-2)).toBe("result 4");
      expect(shown(await next.thread.history()).filter((line) => line === "user go")).toHaveLength(1);
      await expectWellFormed(next);
    }
  });
});
