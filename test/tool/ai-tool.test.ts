import type { JSONSchema7 } from "@ai-sdk/provider";
import { dynamicTool, jsonSchema, tool, zodSchema } from "ai";
import { describe, expect, expectTypeOf, it } from "vitest";
import { z } from "zod";
import { z as z3 } from "zod/v3";
import { createSystem, defineTool, fromAiTool, ToolDefinitionError, ToolError } from "../../src/index.ts";
import { silentLogger } from "../../src/logger.ts";
import { scriptedModel } from "../../src/model/scripted/scripted-model.ts";
import type { ToolCall } from "../../src/tool/call.ts";
import type { Tool } from "../../src/tool/define.ts";
import { benchOfCalls, callOf, said } from "./bench-of-calls.ts";

const weather = tool({
  description: "Tell the weather of a city.",
  inputSchema: z.object({ city: z.string(), unit: z.enum(["C", "F"]).default("C") }),
  execute: async ({ city, unit }) => ({ city, degrees: 21, unit }),
});

/** What a call of a tool comes to, and what was said while it worked. */
const outcomeOf = async (made: Tool, args = {}) => {
  const bench = benchOfCalls();
  bench.handOver(callOf(made, args));
  await expect.poll(() => bench.results(), { interval: 1, timeout: 20_000 }).toHaveLength(1);
  const [result] = bench.results();
  const progress = bench.sent.flatMap(({ input }) => (input.kind === "progress" ? [input.text] : []));
  return { text: said(result), error: result?.error ?? false, content: result?.content, progress, lines: bench.lines };
};

describe("a tool made from an AI SDK tool", () => {
  it("has the name it is given, the description and the schema of the tool, and runs", () => {
    const made = fromAiTool("weather", weather);
    expect(made).toMatchObject({ name: "weather", form: "run", passive: false, onRestart: "fail" });
    expect(made.spec).toMatchObject({
      name: "weather",
      description: "Tell the weather of a city.",
      inputSchema: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
    });
  });

  it("gives execute what zod makes of the arguments, and shows an object as JSON", async () => {
    const { text, error } = await outcomeOf(fromAiTool("weather", weather), { city: "Rome" });
    expect(JSON.parse(text)).toEqual({ city: "Rome", degrees: 21, unit: "C" });
    expect(error).toBe(false);
  });

  it("takes what the options say", () => {
    const made = fromAiTool("weather", weather, {
      annotations: { readOnly: true },
      display: ({ city }) => `Look at ${city}`,
      passive: true,
      deadline: 5,
      description: "Other words.",
    });
    expect(made).toMatchObject({ passive: true, onRestart: "again", deadline: 5, description: "Other words." });
    expect(made.display?.({ city: "Rome" })).toBe("Look at Rome");
    expect(fromAiTool("weather", weather, { onRestart: "again" }).onRestart).toBe("again");
    expect(fromAiTool("weather", weather, { inline: true }).form).toBe("inline");
  });

  it("has the types of the tool's input", () => {
    fromAiTool("weather", weather, {
      display: (input) => {
        expectTypeOf(input).toEqualTypeOf<{ city: string; unit: "C" | "F" }>();
        return "";
      },
    });
    // @ts-expect-error: the input has no such field
    fromAiTool("weather", weather, { display: ({ town }) => town });
  });

  it("sends the model what providers take of it beside that", () => {
    const strict = tool({
      inputSchema: z.object({ a: z.string() }),
      title: "A title",
      strict: true,
      inputExamples: [{ input: { a: "b" } }],
      providerOptions: { anthropic: { cacheControl: { type: "ephemeral" } } },
      execute: ({ a }) => a,
    });
    expect(fromAiTool("strict", strict).spec).toMatchObject({
      description: "A title",
      strict: true,
      inputExamples: [{ input: { a: "b" } }],
      providerOptions: { anthropic: { cacheControl: { type: "ephemeral" } } },
    });
  });

  it("passes on the call's id, its signal, and the text that led to it", async () => {
    let seen: Record<string, unknown> = {};
    const curious = tool({
      inputSchema: z.object({}),
      execute: (_, options) => {
        seen = { ...options };
        return "ok";
      },
    });
    const call = callOf(fromAiTool("curious", curious));
    const bench = benchOfCalls();
    bench.handOver(call);
    await expect.poll(() => bench.results(), { interval: 1, timeout: 20_000 }).toHaveLength(1);
    expect(seen.toolCallId).toBe(call.call.callId);
    expect(seen.messages).toEqual([{ role: "user", content: "go" }]);
    expect(seen.abortSignal).toBeInstanceOf(AbortSignal);
    expect(seen.context).toBeUndefined();
  });

  it("aborts the signal when nobody waits any more, and does not begin when nobody does before", async () => {
    let begun = 0;
    const gone = Promise.withResolvers<string>();
    const patient = tool({
      inputSchema: z.object({}),
      execute: (_, { abortSignal }) => {
        begun += 1;
        return new Promise<string>(() =>
          abortSignal?.addEventListener("abort", () => gone.resolve(abortSignal.reason.message)),
        );
      },
    });
    const bench = benchOfCalls();
    const [first, second] = [callOf(fromAiTool("patient", patient)), callOf(fromAiTool("patient", patient))];
    bench.handOver(first, second);
    bench.registry.abort(first.call.callId, "interrupted");
    await expect.poll(() => begun, { interval: 1, timeout: 20_000 }).toBe(1);
    bench.registry.abort(second.call.callId, "interrupted");
    expect(await gone.promise).toMatch(/stopped/);
    expect(begun).toBe(1);
  });
});

describe("its schema", () => {
  const echo = (inputSchema: never) => fromAiTool("echo", tool({ inputSchema, execute: (input: unknown) => input }));
  const object: JSONSchema7 = { type: "object", properties: { n: { type: "number" } }, required: ["n"] };

  it.each([
    ["zod", z.object({ n: z.number() })],
    ["JSON Schema", jsonSchema({ ...object })],
    ["JSON Schema that is made when it is asked for", jsonSchema(() => ({ ...object }))],
    ["a lazy schema", () => jsonSchema({ ...object })],
    ["a lazy zod schema", () => z.object({ n: z.number() })],
    ["zod 4 in the SDK's wrapping", zodSchema(z.object({ n: z.number() }))],
    ["zod 3 in the SDK's wrapping", zodSchema(z3.object({ n: z3.number() }))],
    [
      "another library that follows standard-schema",
      {
        "~standard": {
          version: 1,
          vendor: "other",
          validate: (value: unknown) => ({ value }),
          jsonSchema: { input: () => ({ ...object }), output: () => ({ ...object }) },
        },
      },
    ],
  ])("can be %s", async (_, schema) => {
    const made = echo(schema as never);
    expect(made.spec.inputSchema).toMatchObject({ type: "object", properties: { n: { type: "number" } } });
    expect(made.parse({ n: "1" }).ok).toBe(false);
    expect((await outcomeOf(made, { n: 1 })).text).toBe('{"n":1}');
  });

  it("can be left out: the tool takes no arguments", () => {
    const made = echo(undefined as never);
    expect(made.parse({}).ok).toBe(true);
    expect(made.parse({ a: 1 }).ok).toBe(false);
  });

  it("makes its own check too, also an asynchronous one, and the model reads what it says", async () => {
    const even = jsonSchema<{ n: number }>(
      { ...object },
      {
        validate: async (value) => {
          const { n } = value as { n: number };
          return n % 2 === 0
            ? { success: true, value: { n: n * 10 } }
            : { success: false, error: new Error(`${n} is odd`) };
        },
      },
    );
    expect((await outcomeOf(echo(even as never), { n: 2 })).text).toBe('{"n":20}');
    expect(await outcomeOf(echo(even as never), { n: 3 })).toMatchObject({
      error: true,
      text: "Error: The arguments of echo are not valid.\n- 3 is odd",
    });
  });

  it("tells the issues of a standard-schema with their places", async () => {
    const picky = {
      "~standard": {
        version: 1,
        vendor: "other",
        validate: () => ({ issues: [{ message: "is wrong", path: ["a", { key: 1 }] }] }),
        jsonSchema: { input: () => ({ type: "object" }) },
      },
    };
    expect((await outcomeOf(echo(picky as never))).text).toContain("- a[1]: is wrong");
  });

  it.each([
    ["a promise", jsonSchema(Promise.resolve({ ...object })), /await that first/],
    ["of zod 3", z3.object({ n: z3.number() }), /zodSchema/],
    [
      "of a library that cannot be written as JSON Schema",
      { "~standard": { vendor: "old", validate: () => ({}) } },
      /of old cannot/,
    ],
    ["plain data", { ...object }, /jsonSchema\(/],
    ["a word", "string", /jsonSchema\(/],
    [
      "a function that throws",
      () => {
        throw new Error("not today");
      },
      /not today/,
    ],
    ["no object", z.string(), /must describe an object/],
  ])("is refused when it is %s", (_, schema, told) => {
    expect(() => echo(schema as never)).toThrow(ToolDefinitionError);
    expect(() => echo(schema as never)).toThrow(told);
  });
});

describe("its result", () => {
  const returning = (output: unknown, toModelOutput?: (options: never) => unknown, inline = false) =>
    fromAiTool("give", { inputSchema: z.object({}), execute: () => output, toModelOutput }, { inline });

  it.each([
    ["a text", "plain", "plain"],
    ["a promise", Promise.resolve("later"), "later"],
    ["an object that looks like a result of ours", { error: "not an error" }, '{"error":"not an error"}'],
    ["an object with content", { content: "of a file" }, '{"content":"of a file"}'],
    ["a list of items", [{ type: "text", text: "a" }], '[{"type":"text","text":"a"}]'],
    ["a number", 5, "5"],
    ["nothing", undefined, "(no output)"],
    ["null", null, "null"],
  ])("can be %s, shown as the SDK shows it", async (_, output, text) =>
    expect(await outcomeOf(returning(output))).toMatchObject({ text, error: false }),
  );

  it("is told as too large where it is", async () =>
    expect((await outcomeOf(returning(["x".repeat(11 * 1024 * 1024)]))).text).toMatch(/larger than 10 MB/));

  it("is the last of several, and the others are told as progress", async () => {
    const steps = tool({
      inputSchema: z.object({}),
      async *execute() {
        yield "a third";
        yield { done: 2 };
        yield "all of it";
      },
    });
    expect(await outcomeOf(fromAiTool("steps", steps))).toMatchObject({
      text: "all of it",
      progress: ["a third", '{"done":2}'],
    });
  });

  it("asks a source for nothing more once it was told to stop, and closes it", async () => {
    const closed = Promise.withResolvers<void>();
    const go = Promise.withResolvers<void>();
    let asked = 0;
    const long = tool({
      inputSchema: z.object({}),
      async *execute() {
        try {
          while (asked < 5) {
            asked += 1;
            await go.promise;
            yield "more";
          }
        } finally {
          closed.resolve();
        }
      },
    });
    const call = callOf(fromAiTool("long", long));
    const bench = benchOfCalls();
    bench.handOver(call);
    await expect.poll(() => asked, { interval: 1, timeout: 20_000 }).toBe(1);
    bench.registry.abort(call.call.callId, "interrupted");
    go.resolve();
    await closed.promise;
    expect(asked).toBe(1);
  });

  it.each([
    ["text", { type: "text", value: "short" }, "short", false],
    ["JSON", { type: "json", value: { a: [1] } }, '{"a":[1]}', false],
    ["an error", { type: "error-text", value: "no such city" }, "Error: no such city", true],
    ["an error as JSON", { type: "error-json", value: { code: 4 } }, 'Error: {"code":4}', true],
    ["a denial", { type: "execution-denied", reason: "not you" }, "Error: NOT executed: not you", true],
    ["a form nobody knows", { type: "hologram", value: 1 }, '{"type":"hologram","value":1}', false],
  ])("is what toModelOutput makes of it: %s", async (_, output, text, error) =>
    expect(await outcomeOf(returning({ big: 1 }, () => output))).toMatchObject({ text, error }),
  );

  it("gives toModelOutput the call, the input and the output", async () => {
    const seen: unknown[] = [];
    const made = fromAiTool("give", {
      inputSchema: z.object({ a: z.string() }),
      execute: async () => "out",
      toModelOutput: async (options: unknown) => {
        seen.push(options);
        return { type: "text", value: "in other words" };
      },
    });
    expect((await outcomeOf(made, { a: "b" })).text).toBe("in other words");
    expect(seen).toEqual([{ toolCallId: expect.stringContaining("t1"), input: { a: "b" }, output: "out" }]);
  });

  it("can hold images; what no model can be given here is named", async () => {
    const png = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
    const value = [
      { type: "text", text: "Here:" },
      { type: "file", mediaType: "image/png", data: { type: "data", data: png } },
      { type: "file", mediaType: "image", data: { type: "data", data: Buffer.from(png, "base64") } },
      { type: "file", mediaType: "image/*", data: { type: "data", data: new Uint8Array(Buffer.from(png, "base64")) } },
      { type: "image-data", mediaType: "image/png", data: png },
      { type: "file", mediaType: "text/plain", data: { type: "text", text: "a note" } },
      { type: "file", mediaType: "image/png", data: { type: "url", url: new URL("https://example.com/a.png") } },
      { type: "image-url", url: "https://example.com/b.png" },
      { type: "file", mediaType: "application/pdf", data: { type: "data", data: "AAAA" } },
      { type: "file", mediaType: "image", data: { type: "data", data: "AAAA" } },
      { type: "file-id", fileId: "f1" },
    ];
    const image = { type: "image", data: png, mediaType: "image/png" };
    const { content } = await outcomeOf(returning({}, () => ({ type: "content", value })));
    expect(content).toEqual([
      { type: "text", text: "Here:" },
      image,
      image,
      image,
      image,
      { type: "text", text: "a note" },
      { type: "text", text: "https://example.com/a.png" },
      { type: "text", text: "https://example.com/b.png" },
      { type: "text", text: "[a file of type application/pdf was left out]" },
      { type: "text", text: "[a file of type image was left out]" },
      { type: "text", text: "[an item of type file-id was left out]" },
    ]);
  });

  it("is an error the model can read when a ToolError is thrown, and a reference when anything else is", async () => {
    const throwing = (error: Error) =>
      fromAiTool(
        "fail",
        tool({
          inputSchema: z.object({}),
          execute: (): string => {
            throw error;
          },
        }),
      );
    expect((await outcomeOf(throwing(new ToolError("Try Rome.")))).text).toBe("Error: Try Rome.");
    const { text, lines } = await outcomeOf(throwing(new Error("password hunter2")));
    expect(text).toMatch(/^Error: The tool failed \(reference \w+\)\.$/);
    expect(JSON.stringify(lines)).toContain("hunter2");
    expect(
      (await outcomeOf(returning(new Error("password hunter2"), () => ({ type: "text", value: "fine" })))).text,
    ).toMatch(/reference/);
    expect(
      (
        await outcomeOf(
          returning("x", () => {
            throw new Error("password");
          }),
        )
      ).text,
    ).toMatch(/reference/);
  });
});

describe("its context", () => {
  const tenant = tool({
    inputSchema: z.object({}),
    contextSchema: z.object({ tenant: z.string() }),
    execute: (_, { context }) => `for ${context.tenant}`,
  });

  it("is made for each call", async () => {
    const context = ({ metadata }: ToolCall) => metadata;
    expect((await outcomeOf(fromAiTool("tenant", tenant, { context }))).text).toBe("for acme");
  });

  it("is nothing that a model is blamed for when it does not fit", async () => {
    const { text, lines } = await outcomeOf(fromAiTool("tenant", tenant, { context: () => ({ tenant: 5 }) }));
    expect(text).toMatch(/reference/);
    expect(JSON.stringify(lines)).toContain("contextSchema");
  });
});

describe("what is refused, with what would work", () => {
  const fine = z.object({});
  const execute = () => "x";
  it.each<[string, unknown, unknown, RegExp]>([
    ["no execute", { inputSchema: fine, outputSchema: fine }, {}, /no execute.*dispatch/],
    [
      "a tool the provider runs",
      { type: "provider", isProviderExecuted: true, id: "openai.web_search", args: {}, inputSchema: fine },
      {},
      /openai\.web_search.*tool\(/,
    ],
    [
      "a tool the provider describes",
      { type: "provider", isProviderExecuted: false, id: "anthropic.bash_1", args: {}, inputSchema: fine, execute },
      {},
      /anthropic\.bash_1/,
    ],
    [
      "a description that is a function",
      { inputSchema: fine, execute, description: () => "x" },
      {},
      /option description/,
    ],
    ["a contextSchema and no context", { inputSchema: fine, execute, contextSchema: fine }, {}, /option context/],
    ["a context that is no function", { inputSchema: fine, execute }, { context: {} }, /takes the call/],
    ["inline and passive", { inputSchema: fine, execute }, { inline: true, passive: true }, /passive with inline/],
    ["nothing", undefined, {}, /a name and a tool/],
  ])("%s", (_, given, options, told) => {
    expect(() => fromAiTool("odd", given as never, options as never)).toThrow(ToolDefinitionError);
    expect(() => fromAiTool("odd", given as never, options as never)).toThrow(told);
  });

  it("a name that no provider takes", () => expect(() => fromAiTool("a b", weather)).toThrow(/1 to 64 characters/));

  it("but not a tool that needs approval: a person is asked, unless it is allowed", () => {
    const needs = (options = {}) =>
      fromAiTool("odd", { inputSchema: fine, execute, needsApproval: () => true }, options).needsApproval;
    expect([needs(), needs({ approval: "allow" })]).toEqual([true, false]);
  });
});

describe("in a system", () => {
  it("it works beside other tools, dispatched and inline, and dynamic tools do too", async () => {
    const dynamic = dynamicTool({
      description: "Whatever a server offers.",
      inputSchema: jsonSchema({ type: "object", properties: { q: { type: "string" } } }),
      execute: async (input) => ({ found: input }),
    });
    const model = scriptedModel(
      [
        {
          calls: [
            { name: "weather", args: { city: "Rome" } },
            { name: "quick", args: { city: "Oslo", unit: "F" } },
            { name: "search", args: { q: "x" } },
            { name: "weather", args: { town: "Rome" } },
            { name: "own", args: {} },
          ],
        },
        "All done.",
      ],
      { strict: true },
    );
    const own = defineTool({ name: "own", description: "Own.", inputSchema: z.object({}), run: () => "own" });
    const system = await createSystem({
      model,
      logger: silentLogger,
      tools: [
        fromAiTool("weather", weather),
        fromAiTool("quick", weather, { inline: true }),
        fromAiTool("search", dynamic),
        own,
      ],
    });
    const thread = await system.open("t");
    expect(await thread.ask("go")).toBe("All done.");
    const results = (await thread.history()).flatMap(({ entry }) => (entry.kind === "result" ? [entry] : []));
    expect(results.map(({ origin, content }) => [origin, said({ content })])).toEqual([
      ["tool", '{"city":"Rome","degrees":21,"unit":"C"}'],
      ["sync", '{"city":"Oslo","degrees":21,"unit":"F"}'],
      ["tool", '{"found":{"q":"x"}}'],
      ["validation", expect.stringContaining("city")],
      ["tool", "own"],
    ]);
    await system.stop();
  });
});
