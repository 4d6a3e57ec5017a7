import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { CallPart, ContentItem, Entry, ResultEntry, TurnPart } from "../../machines/history/entry.ts";
import { callIdOf, ThreadId } from "../../machines/history/ids.ts";
import { createPromptBuilder, type PromptStyle } from "../../src/prompt/builder.ts";
import { sourceOfBlock } from "../../src/prompt/event.ts";
import { argsOfSeedBlock } from "../../src/prompt/seed.ts";
import { anyContent, anyStyle, threadId } from "../support/history/histories.ts";

const style: PromptStyle = { eventsAs: "call", supportsImages: false };

const promptOf = (entries: readonly Entry[], given: Partial<PromptStyle> = {}) => {
  const builder = createPromptBuilder({ ...style, ...given });
  builder.append(entries.map((entry, position) => ({ position, entry })));
  return builder.prompt("");
};

const user = (text: string, interrupt?: true): Entry => ({
  kind: "user",
  at: 0,
  text,
  ...(interrupt && { interrupt }),
});
const turn = (...parts: TurnPart[]): Entry => ({ kind: "turn", at: 0, parts });
const call = (turnNumber: number, index: number, given: Partial<CallPart> = {}): CallPart => ({
  type: "call",
  callId: callIdOf(threadId, turnNumber, index),
  providerCallId: "c1",
  name: "watch",
  args: {},
  ...given,
});
const result = ({ callId, name }: CallPart, given: Partial<ResultEntry> = {}): Entry => ({
  kind: "result",
  at: 0,
  callId,
  name,
  origin: "tool",
  content: [{ type: "text", text: "done" }],
  ...given,
});
const event = ({ callId, providerCallId, name, args }: CallPart, text = "tick"): Entry => ({
  kind: "event",
  at: 0,
  source: { callId, providerCallId, name, args },
  text,
});
const reasoning = (text: string): TurnPart => ({
  type: "reasoning",
  text,
  providerMetadata: { anthropic: { signature: text } },
});

const idsIn = (entries: readonly Entry[]) =>
  promptOf(entries).flatMap((message) =>
    message.role === "assistant"
      ? message.content.flatMap((part) => (part.type === "tool-call" ? [part.toolCallId] : []))
      : [],
  );

const outputOf = (content: readonly ContentItem[], given: Partial<PromptStyle> = {}, error?: true) => {
  const made = call(1, 0);
  const answer = result(made, { content: [...content], ...(error && { error }) });
  const last = promptOf([user("go"), turn(made), answer], given).at(-1);
  const part = last?.role === "tool" ? last.content[0] : undefined;
  return part?.type === "tool-result" ? part.output : undefined;
};

describe("instructions in a prompt", () => {
  it("are its system message, as they are at the time, and none when they are blank", () => {
    const builder = createPromptBuilder(style);
    expect(["a", "a", "b", " \n"].map((instructions) => builder.prompt(instructions))).toEqual([
      [{ role: "system", content: "a" }],
      [{ role: "system", content: "a" }],
      [{ role: "system", content: "b" }],
      [],
    ]);
  });
});

describe("a user text in a prompt", () => {
  it("is a message of its own", () =>
    expect(promptOf([user("one"), user("two")])).toEqual([
      { role: "user", content: [{ type: "text", text: "one" }] },
      { role: "user", content: [{ type: "text", text: "two" }] },
    ]));

  it("that interrupted has a note before it, in a part of its own", () =>
    expect(promptOf([user("stop", true)])).toEqual([
      {
        role: "user",
        content: [
          { type: "text", text: "[The user interrupted your answer to write this.]" },
          { type: "text", text: "stop" },
        ],
      },
    ]));
});

describe("a turn in a prompt", () => {
  it("has its calls last and sends signatures back untouched", () => {
    const made = call(1, 0, { providerMetadata: { google: { thoughtSignature: "t" } } });
    const [, message] = promptOf([user("go"), turn(made, reasoning("hm"), { type: "text", text: "ok" }), result(made)]);
    expect(message).toEqual({
      role: "assistant",
      content: [
        { type: "reasoning", text: "hm", providerOptions: { anthropic: { signature: "hm" } } },
        { type: "text", text: "ok" },
        {
          type: "tool-call",
          toolCallId: "c1",
          toolName: "watch",
          input: {},
          providerOptions: { google: { thoughtSignature: "t" } },
        },
      ],
    });
  });

  it("loses the reasoning at its end before a user text, and vanishes when that is all it has (R5)", () => {
    const prompt = promptOf([
      user("one"),
      turn({ type: "text", text: "ok" }, reasoning("a"), reasoning("b")),
      turn(reasoning("c")),
      user("two"),
    ]);
    expect(prompt.map(({ role }) => role)).toEqual(["user", "assistant", "user"]);
    expect(prompt[1]?.content).toEqual([{ type: "text", text: "ok" }]);
  });

  it("keeps the reasoning at its end before an event that is shown as a call, not as a text (R5)", () => {
    const entries = [user("one"), turn(reasoning("a")), event(call(9, 0))];
    expect(promptOf(entries).map(({ role }) => role)).toEqual(["user", "assistant", "assistant", "tool"]);
    expect(promptOf(entries, { eventsAs: "text" }).map(({ role }) => role)).toEqual(["user", "user"]);
  });

  it("sends reasoning without text only when it was signed: it can hold what the provider hid", () => {
    const unsigned: TurnPart = { type: "reasoning", text: " " };
    const parts = [reasoning(""), unsigned, { type: "text" as const, text: "ok" }];
    expect(promptOf([user("go"), turn(...parts), user("so?")])[1]?.content).toEqual([
      { type: "reasoning", text: "", providerOptions: { anthropic: { signature: "" } } },
      { type: "text", text: "ok" },
    ]);
  });

  it("sends content that the provider made back as it came, and leaves out what no prompt can hold", () => {
    const executed = { type: "tool-call", toolCallId: "srv_1", toolName: "search", input: {}, providerExecuted: true };
    const entry = turn({ type: "provided", part: executed }, { type: "provided", part: { type: "source", url: "x" } });
    expect(promptOf([user("go"), entry, user("so?")])[1]).toEqual({ role: "assistant", content: [executed] });
  });
});

describe("what a model cannot read", () => {
  const broken = "a\ud800b\0";

  it("is mended where it is text, but for reasoning that was signed, which is left out", () => {
    const said: TurnPart = { type: "text", text: broken, providerMetadata: { openai: { itemId: "i" } } };
    const [first, second] = promptOf([user(broken), turn(reasoning(broken), said), user("so?")]);
    expect(first?.content).toEqual([{ type: "text", text: "a\ufffdb\ufffd" }]);
    expect(second?.content).toEqual([
      { type: "text", text: "a\ufffdb\ufffd", providerOptions: { openai: { itemId: "i" } } },
    ]);
  });

  it("is named where it is a file that another model made", () => {
    const part = { type: "file", mediaType: "image/png", data: { type: "data", data: "aGVsbG8=" } };
    const entries = [user("draw"), turn({ type: "provided", part }), user("nice")];
    expect(promptOf(entries)[1]?.content).toEqual([{ type: "text", text: "[image image/png]" }]);
    expect(promptOf(entries, { supportsImages: true })[1]?.content).toEqual([part]);
  });
});

describe("call ids in a prompt", () => {
  it("are the provider's; what comes again, is empty or illegal gets ours", () => {
    const calls = [
      call(1, 0),
      call(1, 1),
      call(1, 2, { providerCallId: "" }),
      call(1, 3, { providerCallId: "a b" }),
      call(1, 4, { providerCallId: "x".repeat(65) }),
    ];
    const entries = [user("go"), turn(...calls), ...calls.map((each) => result(each))];
    expect(idsIn(entries)).toEqual(["c1", "call_1_1", "call_1_2", "call_1_3", "call_1_4"]);
  });

  it("stay apart when a provider's id looks like ours", () => {
    const calls = [call(1, 0, { providerCallId: "call_1_1" }), call(1, 1, { providerCallId: "" })];
    const next = call(2, 0, { providerCallId: "call_1_1_2" });
    const entries = [user("go"), turn(...calls), ...calls.map((each) => result(each)), turn(next), result(next)];
    expect(idsIn(entries)).toEqual(["call_1_1", "call_1_1_2", "call_2_0"]);
  });

  it("stay apart from those of calls that the provider answered itself", () => {
    const executed = { type: "tool-call", toolCallId: "c1", toolName: "search", input: {}, providerExecuted: true };
    const made = call(1, 0);
    expect(idsIn([user("go"), turn({ type: "provided", part: executed }, made), result(made)])).toEqual([
      "c1",
      "call_1_0",
    ]);
  });

  it("come with tool names that providers take, and with arguments that are text throughout", () => {
    const made = call(1, 0, { name: "$READ FILE", args: { path: "a\ud800", list: [{ "k\0": "\udfff" }] } });
    const [, message, answer] = promptOf([user("go"), turn(made), result(made)]);
    expect(message?.content).toEqual([
      {
        type: "tool-call",
        toolCallId: "c1",
        toolName: "_READ_FILE",
        input: { path: "a\ufffd", list: [{ "k\ufffd": "\ufffd" }] },
      },
    ]);
    expect(answer?.content).toMatchObject([{ toolCallId: "c1", toolName: "_READ_FILE" }]);
  });
});

describe("a result in a prompt", () => {
  const image: ContentItem = { type: "image", data: "aGVsbG8=", mediaType: "image/png" };
  const text = (value: string): ContentItem => ({ type: "text", text: value });

  it("is a text, its items on lines of their own, images as placeholders", () =>
    expect(outputOf([text("logo"), image, text("end")])).toEqual({
      type: "text",
      value: "logo\n[image image/png]\nend",
    }));

  it("shows images to a model that can see them", () =>
    expect(outputOf([text("logo"), image], { supportsImages: true })).toEqual({
      type: "content",
      value: [text("logo"), { type: "file", data: { type: "data", data: "aGVsbG8=" }, mediaType: "image/png" }],
    }));

  it("of a failure is an error text", () =>
    expect(outputOf([text("Error: no such build"), image], { supportsImages: true }, true)).toEqual({
      type: "error-text",
      value: "Error: no such build\n[image image/png]",
    }));

  it("is never blank", () => {
    expect(outputOf([])).toEqual({ type: "text", value: "(no output)" });
    expect(outputOf([text(" "), text("")])).toEqual({ type: "text", value: "(no output)" });
    expect(outputOf([text(" "), image], { supportsImages: true })).toMatchObject({ value: [{ type: "file" }] });
  });

  it("never shows more than 32,000 characters of text", () =>
    fc.assert(
      fc.property(anyContent, anyStyle, fc.integer({ min: 1, max: 30_000 }), (content, given, times) => {
        const long = content.map((item) => (item.type === "text" ? text(item.text.repeat(times)) : item));
        const output = outputOf(long, given);
        const shown =
          output?.type === "content"
            ? output.value
            : [{ type: "text" as const, text: String((output as { value: string }).value) }];
        const length = shown.reduce((sum, item) => sum + (item.type === "text" ? item.text.length : 0), 0);
        expect(length).toBeLessThanOrEqual(32_000);
      }),
    ));

  it("that no call of the last turn waits for is left out, and so is a second one (R5)", () => {
    const made = call(1, 0);
    const second = result(made, { content: [text("again")] });
    const prompt = promptOf([user("go"), result(call(7, 0)), turn(made), result(made), second]);
    expect(prompt).toEqual(promptOf([user("go"), turn(made), result(made)]));
  });
});

describe("an event in a prompt", () => {
  const source = call(1, 0, { providerCallId: "", args: { topic: "builds" } });
  const before = [user("watch"), turn(source), result(source), turn({ type: "text", text: "watching" })];
  const original = {
    original_tool_name: "watch",
    original_tool_call_id: "call_1_0",
    original_args: { topic: "builds" },
  };

  it("is a call to the reserved name and its result, naming the source by its id in this prompt", () =>
    expect(promptOf([...before, event(source)]).slice(4)).toEqual([
      {
        role: "assistant",
        content: [{ type: "tool-call", toolCallId: "event_4", toolName: "receive_event__injected", input: original }],
      },
      {
        role: "tool",
        content: [
          {
            type: "tool-result",
            toolCallId: "event_4",
            toolName: "receive_event__injected",
            output: { type: "text", value: "tick" },
          },
        ],
      },
    ]));

  it("is a user message that names the source in the same words, for models that refuse calls they did not sign", () => {
    const [message] = promptOf([...before, event(source)], { eventsAs: "text" }).slice(4);
    expect(message).toEqual({
      role: "user",
      content: [
        {
          type: "text",
          text: `[An event arrived; the user did not write this. receive_event__injected ${JSON.stringify(original)}]`,
        },
        { type: "text", text: "tick" },
      ],
    });
  });

  it("can be told from whatever a user writes that looks like its source", () => {
    const [block] = promptOf([user("hi"), event(source)], { eventsAs: "text" }).slice(1);
    const [first] = block?.role === "user" ? block.content : [];
    const text = first?.type === "text" ? first.text : "";
    expect(sourceOfBlock(text)).toEqual({ ...original, original_tool_call_id: "t1#1.0" });
    for (const other of [text.slice(1), `${text} `, text.replace("{", ""), text.replace(/\{.*\}/, "7")])
      expect(sourceOfBlock(other)).toBeUndefined();
  });

  it("that a child reports says which thread it comes from", () => {
    const report = { ...event(source, "found a bug"), from: "t1/a" } as Entry;
    const args = { ...original, from_thread: "t1/a" };
    expect(promptOf([...before, report])[4]?.content).toMatchObject([{ input: args }]);
    const [block] = promptOf([...before, report], { eventsAs: "text" }).slice(4);
    const [first] = block?.role === "user" ? block.content : [];
    expect(sourceOfBlock(first?.type === "text" ? first.text : "")).toEqual(args);
  });

  it("names the provider's id of a call that is in the prompt no more, and is never blank", () => {
    const gone = call(8, 0, { providerCallId: "toolu_8", name: "$WATCH" });
    const [, pair, answer] = promptOf([user("hi"), event(gone, " ")]);
    expect(pair?.content).toMatchObject([
      { input: { original_tool_call_id: "toolu_8", original_tool_name: "_WATCH" } },
    ]);
    expect(answer?.content).toMatchObject([{ output: { value: "(no output)" } }]);
  });
});

describe("the seed of an event's child in a prompt", () => {
  const made = call(1, 0, { providerCallId: "call_0_0" });
  const before = [user("watch"), turn(made), result(made), turn({ type: "text", text: "watching" })];
  const args = { instructions: "Handle the event.", child_of: ["t1"] };
  const seed: Entry = {
    kind: "seed",
    at: 0,
    callId: callIdOf(ThreadId.parse("t1/e"), 0, 0),
    args,
    text: "You are t1/e.",
  };

  it("is a call of spawn_thread and its result, under an id that no other call has", () =>
    expect(promptOf([...before, seed, event(made)]).slice(4, 6)).toEqual([
      {
        role: "assistant",
        content: [{ type: "tool-call", toolCallId: "call_0_0_2", toolName: "spawn_thread", input: args }],
      },
      {
        role: "tool",
        content: [
          {
            type: "tool-result",
            toolCallId: "call_0_0_2",
            toolName: "spawn_thread",
            output: { type: "text", value: "You are t1/e." },
          },
        ],
      },
    ]));

  it("has an id of its own in a child's child, and keeps those of later calls apart", () => {
    const later = call(2, 0, { providerCallId: "call_0_0_2" });
    expect(idsIn([...before, seed, seed, turn(later), result(later)])).toEqual([
      "call_0_0",
      "call_0_0_2",
      "call_0_0_3",
      "call_2_0",
    ]);
  });

  it("is a user message that names the same arguments, for models that refuse calls they did not sign", () => {
    const [message, next] = promptOf([...before, seed, event(made)], { eventsAs: "text" }).slice(4);
    const [first, text] = message?.role === "user" ? message.content : [];
    const shown = first?.type === "text" ? first.text : "";
    expect(shown).toMatch(/^\[This thread was opened; the user did not write this\. spawn_thread \{/);
    expect(argsOfSeedBlock(shown)).toEqual(args);
    expect(sourceOfBlock(shown)).toBeUndefined();
    expect(text).toEqual({ type: "text", text: "You are t1/e." });
    expect(next?.role).toBe("user");
  });

  it("is never blank, is text throughout, and is cut like a result", () => {
    const shown = (given: object) => JSON.stringify(promptOf([user("hi"), { ...seed, ...given } as Entry]).slice(1));
    expect(shown({ text: " " })).toContain("(no output)");
    expect(shown({ text: "a\ud800", args: { instructions: "b\0" } })).not.toMatch(/\\ud800|\\u0000/);
    expect(shown({ text: "x".repeat(40_000) }).length).toBeLessThan(33_000);
  });
});
