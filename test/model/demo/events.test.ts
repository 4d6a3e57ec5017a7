import type { LanguageModelV4Message } from "@ai-sdk/provider";
import { describe, expect, it } from "vitest";
import { demoModel } from "../../../src/model/demo/demo-model.ts";
import { call, event, eventTool, result, results, text, turn, user } from "../scripted/prompts.ts";
import { partsFrom } from "../scripted/reading.ts";
import { conversation, exampleTools, lines, replyOn } from "./talk.ts";

const counter = { tool: "count_up", args: { to: 3 } };

/** The same event as a text, for models that refuse calls they did not sign. */
const asText = (words: string): LanguageModelV4Message => ({
  role: "user",
  content: [
    text(
      `[An event arrived; the user did not write this. ${eventTool} ${JSON.stringify({
        original_tool_name: counter.tool,
        original_tool_call_id: "c0",
        original_args: counter.args,
      })}]`,
    ),
    text(words),
  ],
});

describe("the demo model, when events come", () => {
  it.each([
    ["calls", (words: string, index: number) => event(`event_${index}`, counter, words)],
    ["texts", (words: string) => [asText(words)]],
  ])("comments on each, shown as %s, and says when the last has come", async (_, shown) => {
    const talk = conversation();
    expect(lines(await talk.says("count to 3"))).toEqual(['count_up {"to":3}', "Counting to 3."]);
    expect(lines(await talk.gets(...shown("1", 1)))).toEqual(["1 of 3."]);
    expect(lines(await talk.gets(...shown("Counted 2.", 2)))).toEqual(["2 of 3."]);
    expect(lines(await talk.gets(...shown("3", 3)))).toEqual(["3. Done: I counted to 3."]);
  });

  it("speaks of several that come together", async () => {
    const talk = conversation();
    await talk.says("count to 3");
    const together = [...event("event_1", counter, "1"), ...event("event_2", counter, "2")];
    expect(lines(await talk.gets(...together))).toEqual(["1 of 3. 2 of 3."]);
  });

  it("passes on events of tools it does not know", async () => {
    const talk = conversation();
    await talk.says("say hi");
    const said = await talk.gets(...event("event_1", { tool: "watch", args: {} }, "red"));
    expect(lines(said)).toEqual(["watch reports: red."]);
  });

  it("comments on an event in a conversation in which nobody asked for anything", async () =>
    expect((await replyOn(event("event_1", counter, "1"))).text).toBe("1 of 3."));

  it("goes on with what is left when an event wakes it early", async () => {
    const tools = { ...exampleTools, sleep: () => "Woken early by an event." };
    const talk = conversation(tools);
    await talk.says("count to 3");
    talk.prompt.push(user("sleep 10 then say hi"), turn(call("z", "sleep", { seconds: 10 })));
    const said = await talk.gets(
      results(result("z", "Woken early by an event.", "sleep")),
      ...event("e1", counter, "1"),
    );
    expect(lines(said)).toEqual(["I was woken early and go on. 1 of 3. hi"]);
  });
});

const interrupted = "Interrupted: the user wrote before this call had a result. It may or may not have taken effect.";
const stopped = "Interrupted: the user stopped this call before it had a result. It may or may not have taken effect.";

describe("the demo model, when it is interrupted", () => {
  it("turns to what the user wrote instead", async () => {
    const talk = conversation();
    talk.prompt.push(
      user("check build 42 then say hi"),
      turn(call("c1", "get_build_status", { build_id: "42" })),
      results(result("c1", interrupted, "get_build_status")),
    );
    expect(lines(await talk.says("add 2 and 3"))).toEqual([
      "I stopped waiting for get_build_status.",
      'calculate {"expression":"2 + 3"}',
      "2 + 3 = 5.",
    ]);
  });

  it("reads the user's own words behind a mark of the runtime", async () => {
    const marked: LanguageModelV4Message = {
      role: "user",
      content: [text("[The user interrupted.]"), text("say hi")],
    };
    expect(lines(await conversation().gets(user("count to 3"), turn(text("I")), marked))).toEqual(["hi"]);
  });

  it("drops the rest of its plan when the user stopped it without a word", async () => {
    const talk = conversation();
    talk.prompt.push(user("check build 42 then say hi"), turn(call("c1", "get_build_status", { build_id: "42" })));
    const said = await talk.gets(results(result("c1", stopped, "get_build_status")), ...event("e1", counter, "1"));
    expect(lines(said)).toEqual(["I stopped waiting for get_build_status. 1 of 3."]);
  });

  it("carries out all texts that came together, in order", async () =>
    expect(lines(await conversation().gets(user("say one"), user("add 2 and 3"), user("say two")))).toEqual([
      "one",
      'calculate {"expression":"2 + 3"}',
      "2 + 3 = 5. two",
    ]));
});

describe("the stream of the demo model", () => {
  it("brings the text word by word", async () => {
    const parts = await partsFrom(demoModel(), { prompt: [user("say one two three")] });
    expect(parts.flatMap((part) => (part.type === "text-delta" ? [part.delta] : []))).toEqual([
      "one",
      " two",
      " three",
    ]);
  });

  it("calls nothing when it is told to call nothing", async () => {
    const tools = [{ type: "function", name: "calculate", inputSchema: {} }] as const;
    const parts = await partsFrom(demoModel(), {
      prompt: [user("add 2 and 3")],
      tools: [...tools],
      toolChoice: { type: "none" },
    });
    expect(parts.some(({ type }) => type === "tool-call")).toBe(false);
  });
});
