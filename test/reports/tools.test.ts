import { getEventListeners } from "node:events";
import { describe, expect, it, onTestFinished } from "vitest";
import { z } from "zod";
import { defineTool, eventFor, resultFor, type Tool, type ToolCall, ToolError } from "../../src/index.ts";
import { benchWith, cameTo, expectWellFormed, resultsOf, settle } from "./bench.ts";

const noArgs = z.object({});
const describing = (name: string) => ({ name, description: `Does ${name}.`, inputSchema: noArgs });
const forms = ["run", "inline", "dispatch", "subscribe"] as const;
const toolOf = (form: (typeof forms)[number], work: (args: unknown, call: ToolCall) => unknown): Tool =>
  defineTool({ ...describing(form), [form]: work } as never);

/** Rejections that nobody handles, and warnings of the process, from here on. */
const complaints = (): string[] => {
  const heard: string[] = [];
  const hear = (error: unknown) => void heard.push(String(error));
  for (const name of ["unhandledRejection", "warning"] as const) process.on(name, hear);
  onTestFinished(() => {
    for (const name of ["unhandledRejection", "warning"] as const) process.off(name, hear);
  });
  return heard;
};

const circular = (): object => {
  const round: { self?: object } = {};
  round.self = round;
  return round;
};
const unreadable = (): object => ({
  get field() {
    throw new Error("secret /etc/path");
  },
});

/** How a tool can go wrong, by name. */
const failures: Readonly<Record<string, () => unknown>> = {
  "throws at once": () => {
    throw new Error("secret /etc/path");
  },
  "throws a ToolError": () => {
    throw new ToolError("there is no such build");
  },
  "throws nothing": () => {
    throw undefined;
  },
  "throws a text": () => {
    throw "secret /etc/path";
  },
  "throws an error that cannot be read": () => {
    throw unreadable();
  },
  rejects: () => Promise.reject(new Error("secret /etc/path")),
  "rejects with nothing": () => Promise.reject(null),
};

describe("a tool that goes wrong", () => {
  it("reports 018, 045, R9: gives one error result for its call and the thread goes on, whatever form it has", async () => {
    const heard = complaints();
    for (const form of forms)
      for (const [how, work] of Object.entries(failures)) {
        const bench = await benchWith([{ calls: [{ name: form }] }, "on we go"], { tools: [toolOf(form, work)] });
        expect(await bench.thread.ask("go"), `${form} that ${how}`).toBe("on we go");
        const [result, ...others] = resultsOf(await bench.thread.history());
        expect(others).toEqual([]);
        expect(result?.error, `${form} that ${how}`).toBe(true);
        expect(JSON.stringify(bench.model.requests[1]?.prompt)).not.toContain("secret");
        await expectWellFormed(bench);
      }
    expect(heard).toEqual([]);
  });

  it("report 018, R9: that hangs is listed, holds nobody else up, and a text or its deadline ends it", async () => {
    const never = () => new Promise(() => {});
    const heard = complaints();
    for (const form of ["run", "dispatch", "subscribe"] as const) {
      const bench = await benchWith([{ calls: [{ name: form }] }, "heard"], { tools: [toolOf(form, never)] });
      await bench.thread.send("go");
      expect(await bench.thread.atRest()).toBe("awaitingActiveCall");
      expect(bench.thread.view().calls.map(({ name }) => name)).toEqual([form]);
      const other = await bench.system.open("other");
      await other.send("hi");
      await other.atRest();
      expect(bench.model.requestCount).toBe(2);
      await bench.system.stop();
    }
    const timed = defineTool({ ...describing("timed"), deadline: 3_000, run: never });
    const bench = await benchWith([{ calls: [{ name: "timed" }] }, "late"], { tools: [timed] });
    const answer = bench.thread.ask("go");
    await bench.clock.advance(3_000);
    expect(await answer).toBe("late");
    expect(heard).toEqual([]);
  });

  it("R9: that runs inline and hangs, deaf to its signal, holds its slice no longer than the limit", async () => {
    const bench = await benchWith([{ calls: [{ name: "inline" }] }, "on we go"], {
      tools: [toolOf("inline", () => new Promise(() => {}))],
    });
    const answer = bench.thread.ask("go");
    await bench.clock.advance(10_000);
    expect(await answer).toBe("on we go");
    await expectWellFormed(bench);
  });

  it("R6: that runs inline and hangs holds a user's text no longer than a second", async () => {
    const bench = await benchWith([{ calls: [{ name: "inline" }] }, "heard"], {
      tools: [toolOf("inline", () => new Promise(() => {}))],
    });
    await bench.thread.send("go");
    await settle();
    const answer = bench.thread.ask("stop");
    await bench.clock.advance(1_000);
    expect(await answer).toBe("heard");
    await expectWellFormed(bench);
  });

  it("report 080, R5: has a result in a defined form, whatever it returned", async () => {
    const odd = {
      at: new Date(0),
      big: 1n,
      map: new Map([["a", new Set([1])]]),
      nothing: undefined,
      notANumber: Number.NaN,
      method() {},
      self: circular(),
    };
    const values = [odd, circular(), unreadable(), Symbol("x"), () => 1, [], [undefined], new Error("secret"), null];
    for (const value of values) {
      const bench = await benchWith([{ calls: [{ name: "run" }] }, "ok"], { tools: [toolOf("run", () => value)] });
      expect(await bench.thread.ask("go")).toBe("ok");
      expect(() => structuredClone(bench.thread.view())).not.toThrow();
      await expectWellFormed(bench);
    }
  });
});

describe("a turn with very many calls", () => {
  it("has each call answered once, in order, when the model calls everything there is, and more", async () => {
    const heard = complaints();
    const tools = [
      toolOf("run", () => "ran"),
      toolOf("inline", () => "done"),
      toolOf("subscribe", () => ({ started: "on", events: (async function* () {})() })),
      defineTool({ ...describing("doze"), passive: true, run: () => new Promise(() => {}) }),
    ];
    const names = ["run", "inline", "doze", "subscribe", "sleep_until_event_or_input", "nobody", "receive_event"];
    const bench = await benchWith(
      (request) => (request.ordinal === 1 ? { calls: [...names, ...names].map((name) => ({ name })) } : "ok"),
      { tools },
    );
    await bench.thread.send("go");
    await settle(40);
    expect(await bench.thread.atRest()).toBe("idle");
    expect(resultsOf(await bench.thread.history())).toHaveLength(14);
    await expectWellFormed(bench);
    expect(heard).toEqual([]);
  });

  it("report 089: leaves no listener on a signal or the process after 500 calls, and warns of none", async () => {
    const heard = complaints();
    const signals: AbortSignal[] = [];
    const run = defineTool({
      name: "run",
      description: "Runs.",
      inputSchema: z.object({ n: z.number() }),
      run: async ({ n }, call) => {
        signals.push(call.signal);
        return `${n}`;
      },
    });
    const inline = defineTool({ ...describing("inline"), inline: () => settle(1).then(() => "in") });
    const before = process.eventNames().map((name) => process.listenerCount(name));
    const calls = Array.from({ length: 500 }, (_, n) =>
      n % 2 === 0 ? { name: "run", args: { n } } : { name: "inline" },
    );
    const bench = await benchWith([{ calls }, "done"], { tools: [run, inline], limits: { equalCalls: 1_000 } });
    expect(await bench.thread.ask("go")).toBe("done");
    expect(signals).toHaveLength(250);
    expect(signals.flatMap((signal) => getEventListeners(signal, "abort"))).toEqual([]);
    expect(process.eventNames().map((name) => process.listenerCount(name))).toEqual(before);
    expect(heard).toEqual([]);
  });
});

describe("a call that was interrupted", () => {
  it("report 052: leaves its interruption to its own turn; a new call of the tool runs freshly", async () => {
    let ran = 0;
    const tool = toolOf("run", () => (++ran === 1 ? new Promise(() => {}) : "fresh"));
    const bench = await benchWith([{ calls: [{ name: "run" }] }, { calls: [{ name: "run" }] }, "done"], {
      tools: [tool],
    });
    await bench.thread.send("go");
    await bench.thread.atRest();
    expect(await bench.thread.ask("once more")).toBe("done");
    expect(resultsOf(await bench.thread.history()).map(({ origin }) => origin)).toEqual(["interrupted", "tool"]);
  });

  it("report 096: says nothing more, though five tools go on with progress, results and events", async () => {
    const heard = complaints();
    const calls: ToolCall[] = [];
    const ends: ((value: string) => void)[] = [];
    const tool = toolOf("run", (_, call) => {
      calls.push(call);
      call.progress("begun");
      return new Promise((resolve) => ends.push(resolve));
    });
    const bench = await benchWith([{ calls: [1, 2, 3, 4, 5].map(() => ({ name: "run" })) }, "stopped"], {
      tools: [tool],
      limits: { equalCalls: 10 },
    });
    await bench.thread.send("go");
    await bench.thread.atRest();
    expect(await bench.thread.ask("stop")).toBe("stopped");
    const facts = (await bench.store.feed({ after: 0, limit: 1_000 })).length;
    for (const call of calls) call.progress("still here");
    for (const end of ends) end("late");
    await settle(20);
    expect(await bench.store.feed({ after: 0, limit: 1_000 })).toHaveLength(facts);
    expect(calls.every(({ signal }) => signal.aborted)).toBe(true);
    expect(heard).toEqual([]);
  });

  it("report 047: does not wait for a thread that waits for it", async () => {
    const bench = await benchWith(
      ({ prompt }) => (JSON.stringify(prompt).includes("tool-call") ? "answered" : { calls: [{ name: "run" }] }),
      {
        tools: [
          toolOf("run", async (_, call) => {
            const other = await bench.system.open(call.threadId === "t" ? "u" : "t");
            return other.ask(`from ${call.threadId}`);
          }),
        ],
      },
    );
    await bench.thread.send("go");
    await settle(60);
    const other = await bench.system.thread("u");
    expect(await cameTo(bench.thread.atRest())).toBe("idle");
    expect(await cameTo(other?.atRest() ?? Promise.resolve("missing"))).toBe("idle");
    await expectWellFormed(bench);
  });
});

describe("an input from outside", () => {
  it("report 033, 034: with an empty id, or for a thread that is not there, is refused by name and leaves nothing", async () => {
    const bench = await benchWith(() => "ok");
    const strange: unknown[] = [null, 7, "text", [], {}, { threadId: "t" }, { threadId: "t", dedupId: "1" }];
    for (const input of [{}, { kind: "nonsense" }, { kind: "gossip" }, { kind: "text" }, { kind: "text", text: 7 }])
      strange.push({ threadId: "t", dedupId: "1", input });
    for (const envelope of strange) {
      const error = await bench.system.deliver(envelope as object).then(
        () => "accepted",
        (thrown: Error) => thrown.name,
      );
      if (!Array.isArray(envelope)) expect(error, JSON.stringify(envelope)).toBe("InputRefusedError");
    }
    await expect(bench.thread.send("hi", { id: "" })).rejects.toThrow(/dedup id is not empty/);
    expect(await bench.thread.history()).toEqual([]);
    expect(await bench.store.feed({ after: 0, limit: 10 })).toEqual([]);
  });

  it("R1: for a call that never was is discarded with a reason, and the thread sleeps on", async () => {
    const bench = await benchWith(() => "ok");
    const elsewhere = await benchWith([{ calls: [{ name: "dispatch" }] }], {
      tools: [toolOf("dispatch", (_, call) => void addresses.push(call.address))],
    });
    const addresses: string[] = [];
    await elsewhere.thread.send("go");
    await elsewhere.thread.atRest();
    const [address = ""] = addresses;
    await bench.system.deliver([resultFor(address, "x"), eventFor(address, { text: "e", associative: true })]);
    await settle();
    const facts = await bench.store.feed({ after: 0, limit: 100 });
    expect(facts.filter(({ type }) => type === "input.discarded")).toHaveLength(2);
    expect(bench.model.requestCount).toBe(0);
    expect((await bench.store.load("t" as never))?.inbox).toEqual([]);
  });
});
