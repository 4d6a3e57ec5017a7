import type { LanguageModelV4Message, LanguageModelV4StreamPart } from "@ai-sdk/provider";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { defineTool, resultFor } from "../../src/index.ts";
import { type Bench, benchWith, expectWellFormed, resultsOf, settle, shown } from "./bench.ts";

const noArgs = z.object({});
const city = defineTool({
  name: "weather",
  description: "Tells the weather.",
  inputSchema: z.object({ city: z.string() }),
  run: ({ city }) => `sun in ${city}`,
});
const part = (given: object) => ({ part: given as LanguageModelV4StreamPart });

/** Three calls by hand, whose addresses are kept in the order of the calls. */
const threeByHand = () => {
  const addresses: string[] = [];
  const tool = defineTool({
    name: "hand",
    description: "Waits for somebody.",
    inputSchema: z.object({ n: z.number() }),
    dispatch: (_, call) => void addresses.push(call.address),
  });
  const calls = [0, 1, 2].map((n) => ({ name: "hand", args: { n } }));
  return { tool, addresses, calls };
};

const callsIn = (prompt: readonly LanguageModelV4Message[]) =>
  prompt.flatMap((message) =>
    message.role === "assistant" ? message.content.filter((one) => one.type === "tool-call") : [],
  );

describe("what a provider is sent", () => {
  it("report 003, R5: holds no blank text when only line breaks had streamed before the user wrote", async () => {
    const bench = await benchWith();
    await bench.thread.send("go");
    (await bench.model.next()).stream([{ text: "\n" }, { text: "\n" }], "open");
    await settle();
    await bench.thread.send("stop that");
    (await bench.model.next()).answer("stopped");
    await bench.thread.atRest();
    expect(shown(await bench.thread.history())).toEqual(["user go", "user stop that", "turn"]);
    await expectWellFormed(bench);
  });

  it("report 003, R5: holds a placeholder for a tool that returns an empty text", async () => {
    const tool = defineTool({ name: "quiet", description: "Says nothing.", inputSchema: noArgs, run: () => "" });
    const bench = await benchWith([{ calls: [{ name: "quiet" }] }, "ok"], { tools: [tool] });
    await bench.thread.ask("go");
    expect(shown(await bench.thread.history())).toContain("result (no output)");
    await expectWellFormed(bench);
  });

  it("report 004: is the same request again after a try that broke off, and nothing of that try is kept", async () => {
    const bench = await benchWith();
    const answer = bench.thread.ask("go");
    (await bench.model.next()).stream([{ reasoning: "well" }, { text: "Hel" }], "drop");
    await settle();
    await bench.clock.advance(1_000);
    (await bench.model.next()).answer("Hello");
    expect(await answer).toBe("Hello");
    const [first, second] = bench.model.requests;
    expect(JSON.stringify(second?.options.prompt)).toBe(JSON.stringify(first?.options.prompt));
    expect(JSON.stringify(await bench.thread.history())).not.toMatch(/"Hel"/);
  });

  it("report 005, R5: has every result directly behind its turn, though reasoning streamed after a call", async () => {
    const bench = await benchWith(
      [
        {
          chunks: [
            { reasoning: "first" },
            { tool_call: { name: "weather", args: { city: "A" } } },
            { reasoning: "second" },
            { tool_call: { name: "weather", args: { city: "B" } } },
            { text: "looking" },
          ],
        },
        "done",
      ],
      { tools: [city] },
    );
    expect(await bench.thread.ask("go")).toBe("done");
    expect(resultsOf(await bench.thread.history())).toHaveLength(2);
    await expectWellFormed(bench);
  });

  it("report 009: names a tool that nobody has in letters that every provider takes, and tells which there are", async () => {
    const bench = await benchWith(
      [{ calls: [{ name: "$READ FILE" }, { name: "" }, { name: "ü".repeat(300) }] }, "ok"],
      {
        tools: [city],
      },
    );
    await bench.thread.ask("go");
    for (const { origin, content } of resultsOf(await bench.thread.history())) {
      expect(origin).toBe("unknown_tool");
      expect(content[0]).toMatchObject({ text: expect.stringContaining("weather") });
    }
    await expectWellFormed(bench);
  });

  it("reports 012, 014: holds an object for arguments that were none, and the other call of the turn runs", async () => {
    const bench = await benchWith(
      [
        {
          calls: [
            { name: "weather", raw: "{bad" },
            { name: "weather", args: { city: "B" } },
          ],
        },
        { calls: [{ name: "weather", args: { city: "A" } }] },
        "done",
      ],
      { tools: [city] },
    );
    expect(await bench.thread.ask("go")).toBe("done");
    expect(resultsOf(await bench.thread.history()).map(({ origin }) => origin)).toEqual(["validation", "tool", "tool"]);
    expect(callsIn(bench.model.requests[1]?.prompt ?? []).map(({ input }) => input)).toEqual([{}, { city: "B" }]);
    await expectWellFormed(bench);
  });

  it("report 013: holds an object for arguments that are nothing, a text or a list", async () => {
    const raws = ["", " ", "null", "[]", '"text"', "7", '"{\\"city\\":\\"A\\"}"'];
    const bench = await benchWith([{ calls: raws.map((raw) => ({ name: "weather", raw })) }, "ok"], { tools: [city] });
    await bench.thread.ask("go");
    const inputs = callsIn(bench.model.requests[1]?.prompt ?? []).map(({ input }) => input);
    expect(inputs).toEqual(raws.map(() => ({})));
    await expectWellFormed(bench);
  });

  it("report 016: has three calls whose arguments streamed interleaved, in order, each with its own", async () => {
    const ids = ["a", "b", "c"];
    const inputs = ids.map((id) => JSON.stringify({ city: id }));
    const chunks = [
      ...ids.map((id) => part({ type: "tool-input-start", id, toolName: "weather" })),
      ...[0, 1, 2, 3, 4].flatMap((from) =>
        ids.map((id, n) => part({ type: "tool-input-delta", id, delta: inputs[n]?.slice(from * 3, from * 3 + 3) })),
      ),
      ...ids.map((id) => part({ type: "tool-input-end", id })),
      // The provider tells that they are whole in another order.
      ...[2, 0, 1].map((n) =>
        part({ type: "tool-call", toolCallId: ids[n], toolName: "weather", input: inputs[n] ?? "" }),
      ),
    ];
    const bench = await benchWith([{ chunks }, "done"], { tools: [city] });
    await bench.thread.ask("go");
    expect(shown(await bench.thread.history()).slice(2, 5)).toEqual(["a", "b", "c"].map((id) => `result sun in ${id}`));
    await expectWellFormed(bench);
  });

  it("report 019, R5: has the same bytes in whatever order parallel results come in", async () => {
    const { tool, addresses, calls } = threeByHand();
    const prompts = new Set<string>();
    await fc.assert(
      fc.asyncProperty(fc.shuffledSubarray([0, 1, 2], { minLength: 3 }), fc.boolean(), async (order, together) => {
        addresses.length = 0;
        const bench = await benchWith([{ calls }, "done"], { tools: [tool] });
        await bench.thread.send("go", { id: "1" });
        await bench.thread.atRest();
        const envelopes = order.map((n) => resultFor(addresses[n] ?? "", `result ${n}`));
        if (together) await bench.system.deliver(envelopes);
        else for (const envelope of envelopes) await bench.system.deliver(envelope);
        await bench.thread.atRest();
        expect(bench.model.requestCount).toBe(2);
        prompts.add(JSON.stringify(bench.model.requests[1]?.prompt));
        await expectWellFormed(bench);
      }),
      { numRuns: 30 },
    );
    expect(prompts.size).toBe(1);
  });

  it("gives each call an id of its own, whatever the provider's ids are: empty, repeated, endless, like ours", async () => {
    const ids = [
      "",
      "",
      "same",
      "same",
      "x".repeat(5_000),
      "call_1_0",
      "call_1_1",
      "event_1",
      "\u0000",
      "ünïcode",
      " ",
    ];
    const turn = { calls: ids.map((id, n) => ({ id, name: "weather", args: { city: `${n}` } })) };
    const bench = await benchWith([turn, turn, "done"], { tools: [city] });
    expect(await bench.thread.ask("go")).toBe("done");
    const results = resultsOf(await bench.thread.history());
    expect(results).toHaveLength(2 * ids.length);
    expect(new Set(results.map(({ callId }) => callId)).size).toBe(2 * ids.length);
    await expectWellFormed(bench);
  });

  it("takes text, arguments and results with NUL, lone surrogates and more than anybody reads", async () => {
    const odd = ["\ud800", "\udc00\ud800", "a\u0000b", "\u2028\u2029", "\u200b", "\ufeff", "😀".repeat(200_000)];
    const echo = defineTool({
      name: "echo",
      description: "Says it again.",
      inputSchema: z.object({ text: z.string() }),
      run: ({ text }) => text,
    });
    const bench = await benchWith(
      [{ text: odd.join(" "), calls: odd.map((text) => ({ name: "echo", args: { text } })) }, "done"],
      { tools: [echo] },
    );
    expect(await bench.thread.ask(`hello ${odd.slice(0, 5).join("|")}`)).toBe("done");
    await expectWellFormed(bench);
  });

  it("report 123: is not asked without end by a model that repeats itself, whatever form its calls have", async () => {
    const inline = defineTool({ name: "inline", description: "", inputSchema: noArgs, inline: () => "again" });
    const run = defineTool({ name: "run", description: "", inputSchema: noArgs, run: () => "again" });
    const naming = (name: string): Promise<Bench> =>
      benchWith(() => ({ calls: [{ name }] }), { tools: [inline, run], limits: { equalCalls: 3 } });
    for (const name of ["inline", "run", "nobody_has_it"]) {
      const bench = await naming(name);
      await expect(bench.thread.ask("go")).rejects.toMatchObject({ failure: "REPEATED_CALL" });
      expect(bench.model.requestCount).toBe(4);
      expect(await bench.thread.atRest()).toBe("idle");
      await expectWellFormed(bench);
    }
  });

  it("report 123: is not asked without end by a model that changes its arguments each time", async () => {
    const flip = defineTool({ name: "flip", description: "", inputSchema: z.object({ n: z.number() }), run: () => "" });
    let n = 0;
    const bench = await benchWith(() => ({ calls: [{ name: "flip", args: { n: n++ } }] }), {
      tools: [flip],
      limits: { rounds: 7 },
    });
    await expect(bench.thread.ask("go")).rejects.toMatchObject({ failure: "ROUND_LIMIT" });
    expect(bench.model.requestCount).toBe(7);
    await expectWellFormed(bench);
  });
});
