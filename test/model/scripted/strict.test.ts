import { APICallError, type LanguageModelV4FunctionTool, type LanguageModelV4Prompt } from "@ai-sdk/provider";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { scriptedModel } from "../../../src/model/scripted/scripted-model.ts";
import { signedCall, signedReasoning } from "../../../src/model/scripted/signature.ts";
import {
  type RefusalOptions,
  refusalsOf,
  type StrictCheck,
  scenarioInvariants,
  strictChecks,
} from "../../../src/model/scripted/strict.ts";
import { call, event, reasoning, result, results, text, turn, user } from "./prompts.ts";
import { partsFrom } from "./reading.ts";

const tool = (name: string): LanguageModelV4FunctionTool => ({ type: "function", name, inputSchema: {} });
const image = { type: "file", mediaType: "image/png", data: { type: "data", data: "aGk=" } } as const;
const long = (length: number) => "x".repeat(length);

interface Example {
  readonly prompt: LanguageModelV4Prompt;
  readonly options?: RefusalOptions;
  /** Where the fault is; none for what is taken. */
  readonly at?: string;
}
type Examples = Record<string, Example>;

const signatures = { signatures: true };
const signedTurn = turn(
  { ...reasoning("hm"), providerOptions: signedReasoning("hm") },
  { ...call("a"), providerOptions: signedCall("look") },
);

/** For each check, what is refused (it has a place) and what comes close and is taken. */
const examples: Record<StrictCheck, Examples> = {
  answered_calls: {
    "a call and its result": { prompt: [user("go"), turn(call("a")), results(result("a"))] },
    "results in two messages": {
      prompt: [user("go"), turn(call("a"), call("b")), results(result("a")), results(result("b"))],
    },
    "a call at the end": { prompt: [user("go"), turn(call("a"))], at: "messages[1]" },
    "a user text between call and result": {
      prompt: [user("go"), turn(call("a")), user("well?"), results(result("a"))],
      at: "messages[1]",
    },
    "a turn between call and result": {
      prompt: [user("go"), turn(call("a")), turn(call("b")), results(result("a"), result("b"))],
      at: "messages[1]",
    },
    "one of two calls": { prompt: [user("go"), turn(call("a"), call("b")), results(result("a"))], at: "messages[1]" },
    "a call that the provider executed": {
      prompt: [user("go"), turn({ ...call("a"), providerExecuted: true }, result("a")), user("on")],
    },
  },
  results_have_calls: {
    "a result without a call": { prompt: [user("go"), results(result("a"))], at: "messages[1].content[0]" },
    "a second result": {
      prompt: [user("go"), turn(call("a")), results(result("a"), result("a"))],
      at: "messages[2].content[1]",
    },
    "a second result in a later message": {
      prompt: [user("go"), turn(call("a")), results(result("a")), user("on"), results(result("a"))],
      at: "messages[4].content[0]",
    },
    "a result for each of two calls": {
      prompt: [user("go"), turn(call("a"), call("b")), results(result("a"), result("b"))],
    },
  },
  results_in_order: {
    "results the other way round": {
      prompt: [user("go"), turn(call("a"), call("b")), results(result("b"), result("a"))],
      at: "messages[2].content[1]",
    },
    "a result that follows a later turn": {
      prompt: [user("go"), turn(call("a")), turn(call("b")), results(result("b"), result("a"))],
      at: "messages[3].content[1]",
    },
    "a result of another tool": {
      prompt: [user("go"), turn(call("a")), results(result("a", "seen", "hear"))],
      at: "messages[2].content[0]",
    },
    "results in the order of the calls": {
      prompt: [user("go"), turn(call("b"), call("a")), results(result("b"), result("a"))],
    },
  },
  ends_on_input: {
    "a turn at the end": { prompt: [user("go"), turn(text("done"))], at: "messages[1]" },
    "a result at the end": { prompt: [user("go"), turn(call("a")), results(result("a"))] },
    "a user text at the end": { prompt: [user("go"), turn(text("done")), user("thanks")] },
  },
  no_reasoning_before_user: {
    "reasoning, then a user text": {
      prompt: [user("go"), turn(text("so"), reasoning("hm")), user("well?")],
      at: "messages[1].content[1]",
    },
    "reasoning, then text": { prompt: [user("go"), turn(reasoning("hm"), text("so")), user("well?")] },
    "reasoning, then an event": {
      prompt: [user("go"), turn(reasoning("hm")), ...event("e", { tool: "watch", args: {} }, "1")],
    },
  },
  first_is_input: {
    "a turn at the start": { prompt: [turn(text("hi")), user("go")], at: "messages[0]" },
    "a call at the start": { prompt: [turn(call("a")), results(result("a"))], at: "messages[0]" },
    "results at the start": { prompt: [results(result("a")), user("go")], at: "messages[0]" },
    "nothing but a system prompt": { prompt: [{ role: "system", content: "Be brief." }], at: "messages" },
    "a user text behind the system prompt": { prompt: [{ role: "system", content: "Be brief." }, user("go")] },
    "an event": { prompt: event("e", { tool: "watch", args: {} }, "1") },
  },
  system_first: {
    "a system message in the conversation": {
      prompt: [user("go"), { role: "system", content: "Be brief." }, user("on")],
      at: "messages[1]",
    },
    "two at the start": {
      prompt: [{ role: "system", content: "Be brief." }, { role: "system", content: "Be kind." }, user("go")],
    },
  },
  calls_end_their_turn: {
    "text after a call": {
      prompt: [user("go"), turn(call("a"), text("so")), results(result("a"))],
      at: "messages[1].content[1]",
    },
    "text before a call": { prompt: [user("go"), turn(text("so"), call("a")), results(result("a"))] },
  },
  empty_messages: {
    "a turn of nothing": { prompt: [user("go"), turn(), user("on")], at: "messages[1]" },
    "a user message of nothing": { prompt: [{ role: "user", content: [] }], at: "messages[0]" },
    "a message with a part": { prompt: [user("go")] },
  },
  blank_texts: {
    "a user text of spaces": { prompt: [user(" \n\t")], at: "messages[0].content[0]" },
    "an empty text in a turn": {
      prompt: [user("go"), turn(text(""), text("a")), user("on")],
      at: "messages[1].content[0]",
    },
    "a blank text among the items of a result": {
      prompt: [user("go"), turn(call("a")), results(result("a", { type: "content", value: [text(" ")] }))],
      at: "messages[2].content[0]",
    },
    "a blank system prompt": { prompt: [{ role: "system", content: "" }, user("go")], at: "messages[0]" },
    "an empty result": { prompt: [user("go"), turn(call("a")), results(result("a", ""))] },
  },
  sendable_text: {
    "a lone surrogate": { prompt: [user("a\ud800b")], at: "messages[0].content[0]" },
    "NUL deep in the input of a call": {
      prompt: [user("go"), turn(call("a", "look", { in: [{ at: "a\0" }] })), results(result("a"))],
      at: "messages[1].content[0]",
    },
    "NUL in a result": {
      prompt: [user("go"), turn(call("a")), results(result("a", "\0"))],
      at: "messages[2].content[0]",
    },
    "NUL in the system prompt": { prompt: [{ role: "system", content: "\0" }, user("go")], at: "messages[0]" },
    "a pair of surrogates": { prompt: [user("a\ud83d\ude00b")] },
  },
  call_inputs: {
    "a text as input": {
      prompt: [user("go"), turn(call("a", "look", "{}")), results(result("a"))],
      at: "messages[1].content[0]",
    },
    "a list as input": {
      prompt: [user("go"), turn(call("a", "look", [])), results(result("a"))],
      at: "messages[1].content[0]",
    },
    "an empty object": { prompt: [user("go"), turn(call("a", "look", {})), results(result("a"))] },
  },
  call_ids: {
    "an empty id": { prompt: [user("go"), turn(call("")), results(result(""))], at: "messages[1].content[0]" },
    "an id of 65 characters": {
      prompt: [user("go"), turn(call(long(65))), results(result(long(65)))],
      at: "messages[1].content[0]",
    },
    "an id of 41 where 40 is the limit": {
      prompt: [user("go"), turn(call(long(41))), results(result(long(41)))],
      options: { idLimit: 40 },
      at: "messages[1].content[0]",
    },
    "an id with other characters": {
      prompt: [user("go"), turn(call("t#1.0")), results(result("t#1.0"))],
      at: "messages[1].content[0]",
    },
    "an id twice": {
      prompt: [user("go"), turn(call("a")), results(result("a")), turn(call("a")), results(result("a"))],
      at: "messages[3].content[0]",
    },
    "an id of 64 characters": { prompt: [user("go"), turn(call(long(64))), results(result(long(64)))] },
  },
  tool_names: {
    "a call of a name with a dot": {
      prompt: [user("go"), turn(call("a", "a.b")), results(result("a", "seen", "a.b"))],
      at: "messages[1].content[0]",
    },
    "an offered name with a space": { prompt: [user("go")], options: { tools: [tool("a b")] }, at: "tools[0]" },
    "an offered name of 65 characters": { prompt: [user("go")], options: { tools: [tool(long(65))] }, at: "tools[0]" },
    "two tools of one name": { prompt: [user("go")], options: { tools: [tool("a"), tool("a")] }, at: "tools[1]" },
    "an offered name of 64 characters": { prompt: [user("go")], options: { tools: [tool(long(64))] } },
  },
  no_files: {
    "an image for a model without image input": {
      prompt: [{ role: "user", content: [image] }],
      options: { files: false },
      at: "messages[0].content[0]",
    },
    "an image in a result": {
      prompt: [user("go"), turn(call("a")), results(result("a", { type: "content", value: [image] }))],
      options: { files: false },
      at: "messages[2].content[0]",
    },
    "an image for a model that sees": { prompt: [{ role: "user", content: [image] }] },
  },
  signed_parts: {
    "a call without a signature": {
      prompt: [user("go"), turn(call("a")), results(result("a"))],
      options: signatures,
      at: "messages[1].content[0]",
    },
    "a call with the signature of another": {
      prompt: [user("go"), turn({ ...call("a"), providerOptions: signedCall("hear") }), results(result("a"))],
      options: signatures,
      at: "messages[1].content[0]",
    },
    "reasoning that was changed": {
      prompt: [
        user("go"),
        turn({ ...reasoning("ha"), providerOptions: signedReasoning("hm") }, text("so")),
        user("on"),
      ],
      options: signatures,
      at: "messages[1].content[0]",
    },
    "an event shown as a call": {
      prompt: event("e", { tool: "watch", args: {} }, "1"),
      options: signatures,
      at: "messages[0].content[0]",
    },
    "a turn sent back as it came": { prompt: [user("go"), signedTurn, results(result("a"))], options: signatures },
    "no signature where none is asked for": { prompt: [user("go"), turn(call("a")), results(result("a"))] },
  },
};

const cases = (Object.keys(strictChecks) as StrictCheck[]).flatMap((check) =>
  Object.entries(examples[check]).map(([name, example]) => ({ check, name, ...example })),
);

describe("a strict model", () => {
  it.each(cases.filter(({ at }) => at !== undefined))("refuses by $check: $name", ({ check, prompt, options, at }) => {
    const refusals = refusalsOf(prompt, { ...options, only: [check] });
    expect(refusals).toHaveLength(1);
    expect(refusals[0]).toMatch(`${check}: ${at}: `);
    expect(refusalsOf(prompt, options)).toContain(refusals[0]);
  });

  it.each(cases.filter(({ at }) => at === undefined))("takes, as to $check: $name", ({ prompt, options }) =>
    expect(refusalsOf(prompt, options)).toEqual([]),
  );

  it("has an example of both for every check", () => {
    for (const each of Object.values(examples)) {
      expect(Object.values(each).some(({ at }) => at !== undefined)).toBe(true);
      expect(Object.values(each).some(({ at }) => at === undefined)).toBe(true);
    }
  });

  it("refuses with a 400 that is not retryable, names the fault, and answers nothing", async () => {
    const model = scriptedModel(() => "never", { strict: true });
    const error = await partsFrom(model, { prompt: [user(" ")] }).catch((thrown) => thrown);
    expect(APICallError.isInstance(error)).toBe(true);
    expect(error).toMatchObject({ statusCode: 400, isRetryable: false });
    expect(error.message).toContain("blank_texts: messages[0].content[0]: the text is blank");
    expect(model.requests[0]).toMatchObject({ open: false, refusals: [expect.stringContaining("blank_texts")] });
  });

  it("checks the names of the tools it is offered", async () => {
    const model = scriptedModel(() => "never", { strict: { nameLimit: 10 } });
    await expect(partsFrom(model, { prompt: [user("go")], tools: [tool(long(11))] })).rejects.toThrow("tools[0]");
  });

  it("signs what it later wants back", async () => {
    const model = scriptedModel([{ reasoning: "hm", calls: [{ id: "a", name: "look" }] }, "done"], {
      strict: signatures,
    });
    const parts = await partsFrom(model, { prompt: [user("go")] });
    const metadata = parts.flatMap((part) => ("providerMetadata" in part ? [part.providerMetadata] : []));
    expect(metadata).toEqual([signedReasoning("hm"), signedCall("look")]);
    await partsFrom(model, { prompt: [user("go"), signedTurn, results(result("a"))] });
  });
});

/** Conversations that providers take: texts, and turns whose calls are answered in order. */
const conversation = fc
  .array(fc.record({ calls: fc.nat(3), reasons: fc.boolean(), speaks: fc.boolean(), event: fc.boolean() }), {
    maxLength: 8,
  })
  .map((turns) => {
    const prompt: LanguageModelV4Prompt = [user("go")];
    for (const [index, { calls, reasons, speaks, event: comes }] of turns.entries()) {
      const ids = Array.from({ length: calls }, (_, position) => `c${index}_${position}`);
      const said = [...(reasons ? [reasoning("hm")] : []), ...(speaks || calls === 0 ? [text("so")] : [])];
      prompt.push(turn(...said, ...ids.map((id) => call(id))));
      if (calls > 0) prompt.push(results(...ids.map((id) => result(id))));
      if (comes) prompt.push(...event(`e${index}`, { tool: "watch", args: {} }, "1"));
      if (calls === 0 && !comes) prompt.push(user("on"));
    }
    return prompt;
  });

describe("the strict checks", () => {
  it("take every conversation that is well formed", () =>
    fc.assert(fc.property(conversation, (prompt) => void expect(refusalsOf(prompt)).toEqual([]))));

  it("notice whichever result is taken away, and whichever is given twice", () =>
    fc.assert(
      fc.property(conversation, fc.nat(), (prompt, pick) => {
        const at = prompt.flatMap((message, index) => (message.role === "tool" ? [index] : []));
        const chosen = at[pick % Math.max(1, at.length)];
        const message = chosen === undefined ? undefined : prompt[chosen];
        if (chosen === undefined || message?.role !== "tool") return;
        const [first, ...rest] = message.content;
        const without = prompt.with(chosen, { ...message, content: rest });
        const twice = first ? prompt.with(chosen, { ...message, content: [first, ...message.content] }) : prompt;
        expect(refusalsOf(without, { only: ["answered_calls"] })).toHaveLength(1);
        expect(refusalsOf(twice, { only: ["results_have_calls"] })).toHaveLength(1);
      }),
    ));

  it("hold the four invariants of the scenario format under their names", () => {
    expect(scenarioInvariants).toEqual([
      "answered_calls",
      "results_have_calls",
      "ends_on_input",
      "no_reasoning_before_user",
    ]);
    const prompt = [user("go"), turn(call("t#1.0", "a.b"))];
    expect(refusalsOf(prompt, { only: scenarioInvariants })).toEqual([
      'answered_calls: messages[1]: the call "t#1.0" of "a.b" has no result directly after its turn',
      "ends_on_input: messages[1]: the last message is a turn of the assistant",
    ]);
  });
});
