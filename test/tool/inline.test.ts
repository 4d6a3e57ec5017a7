import { describe, expect, it } from "vitest";
import { z } from "zod";
import { ToolError } from "../../src/errors.ts";
import { defineTool } from "../../src/tool/define.ts";
import type { HandedCall, InlineOptions } from "../../src/tool/registry.ts";
import { settle } from "../support/virtual-clock.ts";
import { benchOfCalls, callOf, said, toolThat } from "./bench-of-calls.ts";

const never = () => new Promise<never>(() => {});

const running = (calls: readonly HandedCall[], options: Partial<InlineOptions> = {}) => {
  const bench = benchOfCalls();
  const cut = new AbortController();
  const results = bench.registry.runInline(calls, { limit: 10_000, cut: cut.signal, ...options });
  return { ...bench, cut, results };
};
const delayed = (ms: number, clock: { setTimeout(fn: () => void, delay: number): unknown }, value: unknown) =>
  new Promise((resolve) => clock.setTimeout(() => resolve(value), ms));

describe("inline calls", () => {
  it("run side by side, with results in the order of the calls", async () => {
    const first = Promise.withResolvers<string>();
    const { results } = running([
      callOf(toolThat({ inline: () => first.promise })),
      callOf(
        toolThat({
          inline: () => {
            first.resolve("one");
            return "two";
          },
        }),
      ),
    ]);
    expect((await results).map((result) => [result.origin, said(result)])).toEqual([
      ["sync", "one"],
      ["sync", "two"],
    ]);
  });

  it("give one result each, whatever their tools do, and no unhandled rejection", async () => {
    const calls = [
      callOf(
        toolThat({
          inline: () => {
            throw new Error("secret");
          },
        }),
      ),
      callOf(toolThat({ inline: () => Promise.reject(Object.assign(new Error("x"), { status: 500 })) })),
      callOf(
        toolThat({
          inline: () => {
            throw new ToolError("not today");
          },
        }),
      ),
      callOf(toolThat({ inline: () => undefined })),
      callOf(toolThat({ inline: () => ({ error: "no" }) })),
      callOf(toolThat({ inline: () => null })),
      { ...callOf(toolThat({ inline: () => 1 })), tool: undefined },
      { ...callOf(toolThat({ inline: () => 1 })), tool: toolThat({ run: () => 1 }) },
      {
        ...callOf(toolThat({ inline: () => 1 })),
        tool: defineTool({ name: "work", description: "", inputSchema: z.object({ id: z.string() }), inline: () => 1 }),
      },
      callOf(toolThat({ inline: ({ a }) => a }), { a: [1] }),
    ];
    const results = await running(calls).results;
    expect(results.map(({ callId }) => callId)).toEqual(calls.map(({ call }) => call.callId));
    expect(results.map(({ origin, error }) => `${origin}${error ? " error" : ""}`)).toEqual([
      "sync error",
      "http_error error",
      "sync error",
      "sync error",
      "sync error",
      "sync",
      "sync error",
      "sync error",
      "sync error",
      "sync",
    ]);
    expect(said(results[0])).not.toContain("secret");
    expect(results[0]?.failure?.message).toBe("Error: secret");
    expect(said(results[1])).toContain("status 500");
    expect(said(results[2])).toBe("Error: not today");
    expect(said(results[3])).toBe("Error: The tool returned nothing.");
    expect(said(results[9])).toBe("[1]");
  });

  it("are aborted at the limit, with an error result; the others keep theirs", async () => {
    let signal: AbortSignal | undefined;
    const late = Promise.withResolvers<string>();
    const { results, clock, registry, lines } = running([
      callOf(
        toolThat({
          inline: (_, call) => {
            signal = call.signal;
            return late.promise;
          },
        }),
      ),
      callOf(toolThat({ inline: () => "quick" })),
    ]);
    await clock.advance(9_999);
    expect(signal?.aborted).toBe(false);
    await clock.advance(1);
    expect(signal?.aborted).toBe(true);
    const [slow, quick] = await results;
    expect(slow).toMatchObject({ origin: "sync", error: true });
    expect(said(slow)).toContain("longer than 10 s");
    expect(said(quick)).toBe("quick");
    late.reject(new Error("late"));
    await settle();
    expect(clock.due).toEqual([]);
    expect(lines.map(({ level }) => level)).toEqual(["warn"]);
    expect(slow && registry.has(slow.callId)).toBe(false);
  });

  it("keep a shorter deadline of their tool, and are over then, whatever it does later", async () => {
    const late = Promise.withResolvers<string>();
    const { results, clock, lines } = running([callOf(toolThat({ inline: () => late.promise, deadline: 50 }))]);
    await clock.advance(50);
    expect(said((await results)[0])).toContain("longer than 0.05 s");
    await clock.advance(5_000);
    late.resolve("late");
    await settle();
    expect(lines).toEqual([]);
  });
});

describe("inline calls that are cut", () => {
  it("abort at once, keep what has finished or finishes within the grace, and settle the rest as interrupted", async () => {
    const bench = benchOfCalls();
    const cut = new AbortController();
    const reasons: unknown[] = [];
    const results = bench.registry.runInline(
      [
        callOf(toolThat({ inline: () => "done" })),
        callOf(
          toolThat({
            inline: (_, call) => {
              call.signal.addEventListener("abort", () => reasons.push(call.signal.reason.message));
              return delayed(3_500, bench.clock, "saved");
            },
          }),
        ),
        callOf(
          toolThat({
            inline: (_, call) =>
              new Promise((__, reject) => call.signal.addEventListener("abort", () => reject(call.signal.reason))),
          }),
        ),
        callOf(toolThat({ inline: never })),
      ],
      { limit: 10_000, cut: cut.signal },
    );
    await bench.clock.advance(3_000);
    cut.abort();
    expect(reasons).toEqual(["The call was stopped: interrupted."]);
    let isOver = false;
    void results.then(() => (isOver = true));
    await bench.clock.advance(999);
    expect(isOver).toBe(false);
    await bench.clock.advance(1);
    expect((await results).map(({ origin }) => origin)).toEqual(["sync", "sync", "interrupted", "interrupted"]);
    expect((await results).slice(0, 2).map(said)).toEqual(["done", "saved"]);
    expect(said((await results)[3])).toMatch(/^Interrupted/);
    expect(bench.clock.due).toEqual([]);
    expect(bench.lines.filter(({ level }) => level === "error")).toEqual([]);
  });

  it("do not begin when the cut came first", async () => {
    let began = false;
    const { results } = running([callOf(toolThat({ inline: () => (began = true) }))], { cut: AbortSignal.abort() });
    expect((await results)[0]).toMatchObject({ origin: "interrupted" });
    expect(said((await results)[0])).toContain("NOT executed");
    expect(began).toBe(false);
  });

  it("take no longer than the grace they are given, also for one call alone or the end of the system", async () => {
    for (const how of ["abort", "stop"] as const) {
      const handed = callOf(toolThat({ inline: never }));
      const { results, registry, clock } = running([handed], { grace: 20 });
      if (how === "abort") registry.abort(handed.call.callId, "interrupted");
      else registry.stop();
      await clock.advance(20);
      expect((await results)[0]?.origin).toBe("interrupted");
    }
  });

  it("leave no listener on a signal that many turns share", async () => {
    const bench = benchOfCalls();
    const cut = new AbortController();
    let listeners = 0;
    const { addEventListener, removeEventListener } = cut.signal;
    cut.signal.addEventListener = (...args: Parameters<typeof addEventListener>) => {
      listeners++;
      addEventListener.apply(cut.signal, args);
    };
    cut.signal.removeEventListener = (...args: Parameters<typeof removeEventListener>) => {
      listeners--;
      removeEventListener.apply(cut.signal, args);
    };
    for (let n = 0; n < 20; n++)
      await bench.registry.runInline([callOf(toolThat({ inline: () => n }))], { limit: 1, cut: cut.signal });
    expect(listeners).toBe(0);
    expect(bench.clock.due).toEqual([]);
  });
});

describe("an inline tool that takes more than a second", () => {
  it("is named in one warning", async () => {
    const bench = benchOfCalls();
    const cut = new AbortController().signal;
    const slow = (name: string, ms: number) => callOf(toolThat({ inline: () => delayed(ms, bench.clock, "x") }, name));
    for (const calls of [[slow("tardy", 1_001), slow("tardy", 2_000), slow("prompt", 1_000)], [slow("tardy", 5_000)]]) {
      const results = bench.registry.runInline(calls, { limit: 10_000, cut });
      await bench.clock.advance(5_000);
      await results;
    }
    expect(bench.lines).toMatchObject([{ level: "warn", fields: { tool: "tardy" } }]);
  });
});
