import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { InputRefusedError, ToolError } from "../../src/errors.ts";
import { parseAddress } from "../../src/tool/address.ts";
import type { ToolCall } from "../../src/tool/call.ts";
import { defineTool } from "../../src/tool/define.ts";
import { settle } from "../support/virtual-clock.ts";
import { benchOfCalls, callOf, said, t1, toolThat } from "./bench-of-calls.ts";

const never = () => new Promise<never>(() => {});

describe("a run tool", () => {
  it("sends what its promise resolves to as the result of its call, once", async () => {
    const bench = benchOfCalls();
    const handed = callOf(toolThat({ run: async ({ id }) => `built ${id}` }), { id: "42" });
    bench.handOver(handed);
    expect(bench.registry.has(handed.call.callId)).toBe(true);
    await settle();
    expect(bench.sent).toEqual([
      {
        threadId: t1,
        dedupId: "run",
        input: {
          kind: "result",
          callId: handed.call.callId,
          origin: "tool",
          content: [{ type: "text", text: "built 42" }],
        },
      },
    ]);
    expect(bench.registry.has(handed.call.callId)).toBe(false);
    expect(bench.acknowledged).toEqual([]);
  });

  it("starts at once, in the order of the calls, and none waits for another", async () => {
    const bench = benchOfCalls();
    const began: unknown[] = [];
    const tool = toolThat({
      run: ({ n }) => {
        began.push(n);
        return n === 1 ? never() : n;
      },
    });
    bench.handOver(callOf(tool, { n: 1 }), callOf(tool, { n: 2 }), callOf(tool, { n: 3 }));
    expect(began).toEqual([1, 2, 3]);
    await settle();
    expect(bench.results().map(said)).toEqual(["2", "3"]);
  });

  it.each([
    [
      "throws",
      () => {
        throw new Error("secret");
      },
      /^Error: The tool failed \(reference \w{8}\)\.$/,
    ],
    ["rejects", () => Promise.reject(new Error("secret")), /reference/],
    ["returns an error", async () => new Error("secret"), /reference/],
    [
      "throws what is no error",
      () => {
        throw undefined;
      },
      /reference/,
    ],
    [
      "throws a ToolError",
      () => {
        throw new ToolError("no build 42");
      },
      /^Error: no build 42$/,
    ],
    ["returns { error }", async () => ({ error: "no build 42" }), /^Error: no build 42$/],
    ["returns a function", async () => () => 1, /^Error: The tool returned a function/],
  ])("that %s gives one error result", async (_, run, expected) => {
    const bench = benchOfCalls();
    bench.handOver(callOf(toolThat({ run })));
    await settle();
    expect(bench.results()).toMatchObject([{ error: true, origin: "tool" }]);
    expect(said(bench.results()[0])).toMatch(expected);
    expect(JSON.stringify(bench.results()[0]?.content)).not.toContain("secret");
  });

  it.each([
    ["undefined", async () => undefined, "(no output)"],
    [
      "a circular object",
      async () => {
        const o: { o?: unknown } = {};
        o.o = o;
        return o;
      },
      '{"o":"[Circular]"}',
    ],
    ["a value at once", () => 7, "7"],
    // biome-ignore lint/suspicious/noThenProperty: a thenable is what is tested
    ["a thenable", () => ({ then: (done: (value: string) => void) => done("later") }), "later"],
  ])("may return %s", async (_, run, expected) => {
    const bench = benchOfCalls();
    bench.handOver(callOf(toolThat({ run })));
    await settle();
    expect(said(bench.results()[0])).toBe(expected);
  });

  it("tells the cause of a failure to feed and log under the reference that the model reads", async () => {
    const bench = benchOfCalls();
    bench.handOver(
      callOf(
        toolThat({
          run: () => {
            throw Object.assign(new Error("GET /x?token=abc"), { status: 503 });
          },
        }),
      ),
    );
    await settle();
    const [result] = bench.results();
    expect(result).toMatchObject({ origin: "http_error", failure: { message: "Error: GET /x?token=abc" } });
    expect(said(result)).toBe(`Error: The tool failed with status 503 (reference ${result?.failure?.reference}).`);
    expect(bench.lines).toMatchObject([
      {
        level: "error",
        fields: { tool: "work", reference: result?.failure?.reference, message: "Error: GET /x?token=abc" },
      },
    ]);
  });

  it("keeps its call for as long as it does not settle, and ends with an abort", async () => {
    const bench = benchOfCalls();
    let signal: AbortSignal | undefined;
    const handed = callOf(
      toolThat({
        run: (_, call) => {
          signal = call.signal;
          return never();
        },
      }),
    );
    bench.handOver(handed);
    await bench.clock.advance(86_400_000);
    expect(bench.registry.has(handed.call.callId)).toBe(true);
    bench.registry.abort(handed.call.callId, "interrupted");
    expect(signal?.reason).toMatchObject({ name: "AbortError", message: "The call was stopped: interrupted." });
    expect(bench.registry.has(handed.call.callId)).toBe(false);
    bench.registry.abort(handed.call.callId, "interrupted");
  });

  it.each(["resolves", "rejects"])("sends nothing when it %s after its abort", async (how) => {
    const bench = benchOfCalls();
    const later = Promise.withResolvers<string>();
    const handed = callOf(
      toolThat({
        run: (_, call) => {
          call.progress("half");
          return later.promise;
        },
      }),
    );
    bench.handOver(handed);
    await settle();
    bench.registry.abort(handed.call.callId, "interrupted");
    if (how === "resolves") later.resolve("late");
    else later.reject(new Error("late"));
    await settle();
    expect(bench.sent.map(({ input }) => input.kind)).toEqual(["progress"]);
    expect(bench.lines).toEqual([]);
  });

  it("is started once, also when it is handed over again while it works", async () => {
    const bench = benchOfCalls();
    let starts = 0;
    const handed = callOf(
      toolThat({
        run: () => {
          starts++;
          return never();
        },
      }),
    );
    bench.handOver(handed, handed);
    bench.handOver(handed);
    expect(starts).toBe(1);
  });

  it("R2: gives the same dedup id when it is started again after a restart", async () => {
    const handed = callOf(toolThat({ run: () => Math.random() }));
    const ids = [];
    for (const bench of [benchOfCalls(), benchOfCalls()]) {
      bench.handOver(handed);
      await settle();
      ids.push(bench.sent[0]?.dedupId);
    }
    expect(ids).toEqual(["run", "run"]);
  });
});

describe("a dispatch tool", () => {
  it("is acknowledged when it returns, and its call stays to be aborted or let go", async () => {
    const bench = benchOfCalls();
    let signal: AbortSignal | undefined;
    const tool = toolThat({
      dispatch: async (_, call) => {
        signal = call.signal;
      },
    });
    const [one, other] = [callOf(tool), callOf(tool)];
    bench.handOver(one, other);
    await settle();
    expect(bench.acknowledged).toEqual([one.call.callId, other.call.callId]);
    expect(bench.sent).toEqual([]);
    bench.registry.forget(other.call.callId);
    expect(bench.registry.has(other.call.callId)).toBe(false);
    expect(signal?.aborted).toBe(false);
    expect(bench.registry.has(one.call.callId)).toBe(true);
  });

  it("is let go without a word; a tool that works on for a call that somebody else answered is told to stop", () => {
    const bench = benchOfCalls();
    let signal: AbortSignal | undefined;
    const handed = callOf(
      toolThat({
        run: (_, call) => {
          signal = call.signal;
          return never();
        },
      }),
    );
    bench.handOver(handed);
    bench.registry.forget(handed.call.callId);
    expect(bench.registry.has(handed.call.callId)).toBe(false);
    expect(signal?.aborted).toBe(true);
  });

  it.each([
    [
      "throws",
      () => {
        throw new Error("secret");
      },
      "dispatch_failed",
      "reference",
    ],
    [
      "rejects with a status",
      () => Promise.reject(Object.assign(new Error("x"), { status: 503 })),
      "http_error",
      "503",
    ],
    [
      "throws a ToolError",
      () => {
        throw new ToolError("queue is full");
      },
      "dispatch_failed",
      "Error: queue is full",
    ],
  ])("that %s gives an error result and no acknowledgement", async (_, dispatch, origin, expected) => {
    const bench = benchOfCalls();
    const handed = callOf(toolThat({ dispatch }));
    bench.handOver(handed);
    await settle();
    expect(bench.sent).toMatchObject([{ dedupId: "dispatch", input: { error: true, origin } }]);
    expect(said(bench.results()[0])).toContain(expected);
    expect(bench.acknowledged).toEqual([]);
    expect(bench.registry.has(handed.call.callId)).toBe(false);
  });
});

describe("a call that its tool cannot take any more", () => {
  it.each([
    ["the tool is gone", { tool: undefined }, "no tool"],
    [
      "its schema has changed",
      { tool: defineTool({ name: "work", description: "", inputSchema: z.object({ id: z.string() }), run: () => 1 }) },
      "id: is missing",
    ],
    ["it runs inline now", { tool: toolThat({ inline: () => 1 }) }, "inline"],
  ])("gets a result that says NOT executed: %s", async (_, change, expected) => {
    const bench = benchOfCalls();
    bench.handOver({ ...callOf(toolThat({ run: () => 1 })), ...change });
    await settle();
    expect(bench.results()).toMatchObject([{ origin: "dispatch_failed", error: true }]);
    expect(said(bench.results()[0])).toContain("NOT executed");
    expect(said(bench.results()[0])).toContain(expected);
  });
});

describe("what a tool is given", () => {
  const callSeen = async (bench = benchOfCalls()) => {
    const seen = Promise.withResolvers<ToolCall>();
    const handed = callOf(toolThat({ dispatch: (_, call) => seen.resolve(call) }));
    bench.handOver(handed);
    return { call: await seen.promise, handed, bench };
  };

  it("says where the call comes from", async () => {
    const { call, handed } = await callSeen();
    expect(call).toMatchObject({
      id: handed.call.callId,
      providerCallId: "p1",
      threadId: "t1",
      threadStack: ["t1"],
      userId: "u7",
      metadata: { tenant: "acme" },
      message: "go",
    });
    expect(parseAddress(call.address)).toEqual({ threadId: t1, callId: handed.call.callId });
  });

  it("makes envelopes for this call, which its sender delivers", async () => {
    const { call, handed, bench } = await callSeen();
    await call.sender.send(call.result("green"));
    await call.sender.send(call.event({ text: "a", associative: true }));
    await call.sender.send(call.event({ text: "a", associative: true }));
    expect(bench.sent.map(({ input }) => ({ kind: input.kind, source: "callId" in input && input.callId }))).toEqual(
      ["result", "event", "event"].map((kind) => ({ kind, source: handed.call.callId })),
    );
    expect(new Set(bench.sent.map(({ dedupId }) => dedupId)).size).toBe(3);
  });

  it("is its own: what it changes reaches neither the thread nor another call", async () => {
    const { call, handed } = await callSeen();
    call.metadata.tenant = "other";
    expect(call.metadata.tenant).toBe("other");
    expect(handed.about.metadata.tenant).toBe("acme");
    const bench = benchOfCalls();
    const changing = callOf(
      toolThat({
        run: (args) => {
          args.list = 1;
        },
      }),
      { list: [1] },
    );
    bench.handOver(changing);
    expect(changing.call.args).toEqual({ list: [1] });
  });

  it("has the arguments as its schema makes them of the stored JSON", async () => {
    const bench = benchOfCalls();
    const inputSchema = z.object({ n: z.number().default(3), at: z.string().transform((text) => text.length) });
    const tool = defineTool({ name: "work", description: "", inputSchema, run: (args) => args });
    bench.handOver(callOf(tool, { at: "four" }));
    await settle();
    expect(said(bench.results()[0])).toBe('{"n":3,"at":4}');
  });

  it("reports progress in order, before its result, with an id each", async () => {
    const bench = benchOfCalls();
    bench.handOver(
      callOf(
        toolThat({
          run: (_, call) => {
            call.progress("one");
            call.progress("two\0");
            return "done";
          },
        }),
      ),
    );
    await settle();
    expect(bench.sent.map(({ input }) => ("text" in input ? input.text : input.kind))).toEqual([
      "one",
      "two\uFFFD",
      "result",
    ]);
    expect(new Set(bench.sent.map(({ dedupId }) => dedupId)).size).toBe(3);
  });

  it("drops progress that comes faster than it can be stored, and keeps the result", async () => {
    const bench = benchOfCalls();
    bench.handOver(
      callOf(
        toolThat({
          run: (_, call) => {
            for (let n = 0; n < 100_000; n++) call.progress(`${n}`);
            return "done";
          },
        }),
      ),
    );
    await settle();
    expect(bench.sent).toHaveLength(101);
    expect(bench.lines).toMatchObject([{ level: "warn", fields: { tool: "work" } }]);
    expect(said(bench.results()[0])).toBe("done");
  });
});

describe("delivery", () => {
  it("is tried again with growing waits until the store takes it (R1)", async () => {
    let failures = 4;
    const bench = benchOfCalls(() => {
      if (failures-- > 0) throw new Error("disk full");
    });
    const handed = callOf(toolThat({ run: () => "done" }));
    bench.handOver(handed);
    await bench.clock.advance(1_499);
    expect(bench.sent).toEqual([]);
    expect(bench.registry.has(handed.call.callId)).toBe(true);
    await bench.clock.advance(1);
    expect(bench.results().map(said)).toEqual(["done"]);
    expect(bench.lines.map(({ level }) => level)).toEqual(["warn", "warn", "warn", "warn"]);
  });

  it("is one envelope at a time, in the order in which the tool spoke, however the store answers (R3)", async () => {
    await fc.assert(
      fc.asyncProperty(fc.scheduler(), fc.nat(8), async (scheduler, count) => {
        const bench = benchOfCalls(() => scheduler.schedule(Promise.resolve()));
        const words = Array.from({ length: count }, (_, n) => `${n}`);
        const run = (_: unknown, call: ToolCall) => {
          for (const word of words) call.progress(word);
          return "done";
        };
        const handed = callOf(toolThat({ run }));
        bench.handOver(handed);
        while (bench.registry.has(handed.call.callId)) {
          await settle(1);
          await scheduler.waitIdle();
        }
        expect(bench.sent.map(({ input }) => ("text" in input ? input.text : input.kind))).toEqual([
          ...words,
          "result",
        ]);
      }),
      { numRuns: 40 },
    );
  });

  it("sends nothing that still waits when the call is aborted", async () => {
    const gate = Promise.withResolvers<void>();
    const bench = benchOfCalls(() => gate.promise);
    const run = (_: unknown, call: ToolCall) => {
      call.progress("one");
      call.progress("two");
      return "done";
    };
    const handed = callOf(toolThat({ run }));
    bench.handOver(handed);
    await settle();
    bench.registry.abort(handed.call.callId, "interrupted");
    gate.resolve();
    await settle();
    expect(bench.sent).toMatchObject([{ input: { text: "one" } }]);
  });

  it("ends with the call's abort, and leaves no timer behind", async () => {
    const bench = benchOfCalls(() => {
      throw new Error("disk full");
    });
    bench.handOver(callOf(toolThat({ run: () => "done" })), callOf(toolThat({ run: never })));
    await settle();
    expect(bench.clock.due).toHaveLength(1);
    bench.registry.stop();
    await settle();
    expect(bench.clock.due).toEqual([]);
    expect(bench.sent).toEqual([]);
  });

  it("R9: puts an error result in the place of a result that is refused, so that the call can end", async () => {
    const bench = benchOfCalls(({ input }) => {
      if (JSON.stringify(input).length > 1_000) throw new InputRefusedError("t1", "it is larger than an input may be");
    });
    const handed = callOf(toolThat({ run: () => "x".repeat(2_000) }));
    bench.handOver(handed);
    await settle();
    expect(bench.sent).toMatchObject([{ dedupId: "run", input: { error: true, origin: "tool" } }]);
    expect(said(bench.results()[0])).toContain("larger than an input may be");
    expect(bench.registry.has(handed.call.callId)).toBe(false);
  });

  it("gives up what is refused whatever it says, and logs it", async () => {
    const bench = benchOfCalls(() => {
      throw new InputRefusedError("t1", "it is closed");
    });
    const handed = callOf(toolThat({ run: () => "done" }));
    bench.handOver(handed);
    await settle();
    expect(bench.sent).toEqual([]);
    expect(bench.clock.due).toEqual([]);
    expect(bench.registry.has(handed.call.callId)).toBe(false);
    expect(bench.lines.map(({ level }) => level)).toEqual(["error", "error"]);
  });
});
