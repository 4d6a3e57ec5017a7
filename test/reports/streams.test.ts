import { describe, expect, it } from "vitest";
import { z } from "zod";
import { AnswerInterruptedError, defineTool, type Update } from "../../src/index.ts";
import { benchWith, cameTo, expectWellFormed, settle, shown } from "./bench.ts";

const noArgs = z.object({});
const many = (count: number) => Array.from({ length: count }, (_, n) => ({ text: `${n} ` }));

describe("somebody who watches", () => {
  it("report 091: and never reads is cut off with a place to read on; one who reads has everything in order", async () => {
    const bench = await benchWith([{ chunks: many(500) }], { limits: { readerBuffer: 50 } });
    const stalled = bench.thread.updates()[Symbol.asyncIterator]();
    const first = stalled.next();
    const seen: Update[] = [];
    bench.thread.updates$.subscribe((update) => seen.push(update));
    await bench.thread.ask("go");
    const { value } = await first;
    expect(value?.type).toBe("input.accepted");
    const { value: gap } = await stalled.next();
    expect(gap).toMatchObject({ type: "gap", after: "feed" in (value ?? {}) ? (value as { feed: number }).feed : 0 });
    const text = seen.map((update) => (update.type === "text.delta" ? update.text : "")).join("");
    expect(text).toBe(
      many(500)
        .map((chunk) => chunk.text)
        .join(""),
    );
    const missed = await bench.store.feed({ after: gap?.type === "gap" ? gap.after : 0, limit: 1_000 });
    expect(missed.map(({ type }) => type)).toEqual(seen.flatMap((one) => ("feed" in one ? [one.type] : [])).slice(1));
    await stalled.return?.();
  });

  it("report 031: five times sees each update once each time, and one who left sees nothing more", async () => {
    const bench = await benchWith(["one", "two"]);
    const seen = [0, 0, 0, 0, 0];
    const watching = seen.map((_, n) =>
      bench.thread.updates$.subscribe(({ type }) => {
        if (type === "round.started") seen[n] = (seen[n] ?? 0) + 1;
      }),
    );
    await bench.thread.ask("a");
    expect(seen).toEqual([1, 1, 1, 1, 1]);
    for (const one of watching.slice(1)) one.unsubscribe();
    await bench.thread.ask("b");
    expect(seen).toEqual([2, 1, 1, 1, 1]);
  });

  it("report 050: from elsewhere can stop what another started, and both see one end", async () => {
    const bench = await benchWith();
    const other = await bench.system.thread("t");
    const ends: string[] = [];
    for (const face of [bench.thread, other])
      face?.updates$.subscribe((update) => update.type === "round.ended" && ends.push(update.outcome));
    const answer = bench.thread.ask("go");
    const rejected = expect(answer).rejects.toThrow(AnswerInterruptedError);
    const request = await bench.model.next();
    request.stream([{ text: "half" }], "open");
    await settle();
    await other?.interrupt();
    await rejected;
    expect(request.aborted).toBe(true);
    expect(ends).toEqual(["cut", "cut"]);
    expect(request.stream([{ text: "more" }])).toBe(false);
    await settle();
    expect(ends).toEqual(["cut", "cut"]);
  });

  it("report 095: and leaves after the first update holds nothing up", async () => {
    const bench = await benchWith(["one", "two"]);
    const asked = bench.thread.ask("a");
    for await (const _ of bench.thread.updates()) break;
    expect(await asked).toBe("one");
    expect(await bench.thread.ask("b")).toBe("two");
  });
});

describe("a model's stream", () => {
  it("report 094: that goes silent is asked again, and after the last try the thread rests and says why", async () => {
    const bench = await benchWith(() => ({ chunks: [{ text: "a" }, { text: "b" }], end: "open" }), {
      limits: { tries: 3 },
    });
    const answer = bench.thread.ask("go").catch((error) => error.code);
    await bench.clock.advance(600_000);
    expect(await answer).toBe("THREAD_FAILED");
    expect(bench.model.requestCount).toBe(3);
    expect(bench.model.openRequests).toEqual([]);
    expect(bench.thread.state).toBe("idle");
    expect(bench.clock.due.filter((at) => at < bench.clock.now() + 50_000)).toEqual([]);
    await expectWellFormed(bench);
  });

  it("report 094: is not timed while a tool is waited for", async () => {
    const tool = defineTool({ name: "hang", description: "", inputSchema: noArgs, run: () => new Promise(() => {}) });
    const bench = await benchWith([{ calls: [{ name: "hang" }] }], { tools: [tool] });
    await bench.thread.send("go");
    await bench.thread.atRest();
    expect(bench.clock.due.filter((at) => at < bench.clock.now() + 50_000)).toEqual([]);
    await bench.clock.advance(3_600_000);
    expect(bench.thread.state).toBe("awaitingActiveCall");
    expect(bench.model.requestCount).toBe(1);
  });

  it("report 097: that is refused with a wait is asked again when it is over, not before", async () => {
    const waits = [
      [{ retryAfterMs: 1_500 }, 1_500],
      [{ retryAfter: 7 }, 7_000],
    ] as const;
    for (const [asked, wait] of waits) {
      const bench = await benchWith([{ error: "transient", status: 429, ...asked }, "ok"]);
      const retried: Update[] = [];
      bench.thread.updates$.subscribe((update) => update.type === "round.retried" && retried.push(update));
      const answer = bench.thread.ask("go");
      await bench.clock.advance(wait - 1);
      expect(bench.model.requestCount).toBe(1);
      expect(retried).toMatchObject([{ wait }]);
      await bench.clock.advance(1);
      expect(await answer).toBe("ok");
    }
  });

  it("report 049: that was cut is never told as an answer", async () => {
    const bench = await benchWith();
    const answer = bench.thread.ask("go");
    const rejected = expect(answer).rejects.toThrow(AnswerInterruptedError);
    (await bench.model.next()).stream([{ text: "It is do" }], "open");
    await settle();
    await bench.thread.interrupt();
    await rejected;
    expect(bench.thread.state).toBe("idle");
  });

  it("holds parts that keep to no specification, and the thread rests with the reason (R9)", async () => {
    const parts = [
      { type: "tool-call", toolCallId: "x", toolName: "t", input: { a: 1 } },
      { type: "tool-call", toolName: "t", input: "{}" },
      { type: "text-delta", id: "q" },
      { type: "finish" },
      { type: "file", mediaType: "image/png" },
      { type: "tool-result", toolCallId: "z", toolName: "z", result: 10n },
      { type: "error", error: undefined },
    ];
    for (const part of parts) {
      const bench = await benchWith([{ chunks: [{ part: part as never }] }, "again"], { limits: { tries: 1 } });
      await bench.thread.send("go");
      await bench.clock.advance(1_000);
      expect(await cameTo(bench.thread.atRest()), part.type).toBe("idle");
      expect(bench.thread.view().lastFailure?.message, part.type).toMatch(/[a-z].*\./);
      expect(await bench.thread.ask("and now?")).toBe("again");
      await expectWellFormed(bench);
    }
  });
});

describe("a producer", () => {
  const watch = (events: () => AsyncIterable<unknown>) =>
    defineTool({
      name: "watch",
      description: "Watches.",
      inputSchema: noArgs,
      subscribe: () => ({ started: "on", events: events() as never }),
    });
  const endings: Readonly<Record<string, () => AsyncGenerator<unknown>>> = {
    "completes early": async function* () {},
    errs: async function* () {
      yield { text: "one", associative: true };
      throw new Error("secret");
    },
    "sends what is no event": async function* () {
      yield { words: "one" };
    },
    "wants a child": async function* () {
      yield { text: "one" };
    },
  };

  it("that completes early, errs or sends nonsense ends its subscription with an event that says so (R9)", async () => {
    for (const [how, events] of Object.entries(endings)) {
      const bench = await benchWith(({ ordinal }) => (ordinal === 1 ? { calls: [{ name: "watch" }] } : "ok"), {
        tools: [watch(events)],
      });
      await bench.thread.send("go");
      await settle(40);
      expect(await bench.thread.atRest(), how).toBe("idle");
      expect(shown(await bench.thread.history()).join("\n"), how).toMatch(/event The subscription has ended/);
      expect(JSON.stringify(await bench.thread.history())).not.toContain("secret");
      await expectWellFormed(bench);
    }
  });

  it("that floods holds up no other thread, and stops with the system", async () => {
    let stopped = false;
    const flood = async function* () {
      try {
        for (let n = 0; ; n++) yield { text: `e${n}`, associative: true };
      } finally {
        stopped = true;
      }
    };
    const bench = await benchWith(
      ({ ordinal, prompt }) => {
        if (ordinal === 1) return { calls: [{ name: "watch" }] };
        // The flooded thread is left alone with a long answer at last.
        return ordinal < 60 || JSON.stringify(prompt[0]).includes("hi") ? "ok" : undefined;
      },
      { tools: [watch(flood)] },
    );
    await bench.thread.send("go");
    await settle(20);
    const other = await bench.system.open("other");
    await other.send("hi");
    await settle(20);
    expect(shown(await other.history())).toEqual(["user hi", "turn"]);
    await bench.system.stop();
    await settle();
    expect(stopped).toBe(true);
  });
});
