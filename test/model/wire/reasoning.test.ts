import { describe, expect, it } from "vitest";
import { anthropic } from "../../support/wire/anthropic.ts";
import { compatible } from "../../support/wire/openai-chat.ts";
import { openaiResponses } from "../../support/wire/openai-responses.ts";
import type { Answer } from "../../support/wire/script.ts";
import { repliesOf } from "../../support/wire/server.ts";
import { find } from "../../support/wire/tools.ts";
import { formats, historyOf, serverOf, until, wired } from "../../support/wire/wired.ts";

const signature = "EqQBCgIYAhIM+/漢=="; // Whatever it is, it goes back as it came.
const thinks: Answer = {
  said: [
    { thinking: "First this 😀,\n then that.", signature },
    { redacted: "cmVkYWN0ZWQ=" },
    { text: "I look." },
    { call: "find", args: '{"q":"a"}' },
    { call: "find", args: '{"q":"b"}' },
  ],
};

describe("thinking that Anthropic signed", () => {
  it("goes back untouched, before the calls that it led to, also in later rounds", async () => {
    const { thread, server, replies } = await wired(anthropic, { tools: [find] });
    server.reply(replies.answer(thinks), replies.says("done"), replies.says("again"));
    await thread.ask("go");
    await thread.ask("and?");
    for (const { body } of server.requests.slice(1))
      expect(body.messages[1]).toEqual({
        role: "assistant",
        content: [
          { type: "thinking", thinking: "First this 😀,\n then that.", signature },
          { type: "redacted_thinking", data: "cmVkYWN0ZWQ=" },
          { type: "text", text: "I look." },
          { type: "tool_use", id: "toolu_3", name: "find", input: { q: "a" } },
          { type: "tool_use", id: "toolu_4", name: "find", input: { q: "b" } },
        ],
      });
  });

  it("that hides its text goes back with its signature alone", async () => {
    const { thread, server, replies } = await wired(anthropic, { tools: [find] });
    server.reply(
      replies.answer({
        said: [
          { thinking: "", signature },
          { call: "find", args: '{"q":"a"}' },
        ],
      }),
      replies.says("done"),
    );
    await thread.ask("go");
    expect(server.last.body.messages[1].content[0]).toEqual({ type: "thinking", thinking: "", signature });
  });

  it("is shown while it comes", async () => {
    const { thread, server, replies } = await wired(anthropic);
    server.reply(replies.answer({ said: [{ thinking: "hm 漢", signature }, { text: "done" }] }));
    const shown: string[] = [];
    thread.updates$.subscribe((update) => {
      if (/thinking/.test(update.type)) shown.push(update.type === "thinking.delta" ? update.text : update.type);
    });
    await thread.ask("go");
    expect(shown).toEqual(["thinking.started", "hm 漢", "thinking.ended"]);
  });

  it("that came to no text is not sent before what the user says next", async () => {
    const { thread, server, replies } = await wired(anthropic);
    server.reply(replies.answer({ said: [{ thinking: "hm", signature }] }), replies.says("done"));
    await thread.ask("go").catch(() => {});
    expect(await thread.ask("well?")).toBe("done");
    expect(JSON.stringify(server.last.body)).not.toContain("hm");
  });
});

describe("reasoning that OpenAI encrypted", () => {
  it("goes back untouched and whole, before the calls that it led to; nothing is kept at the provider", async () => {
    const { thread, server, replies } = await wired(openaiResponses, { tools: [find] });
    server.reply(replies.answer(thinks), replies.says("done"));
    await thread.ask("go");
    expect(server.requests[0]?.body).toMatchObject({ store: false, include: ["reasoning.encrypted_content"] });
    expect(server.last.body.input.slice(1, 6)).toMatchObject([
      {
        type: "reasoning",
        encrypted_content: signature,
        summary: [{ type: "summary_text", text: "First this 😀,\n then that." }],
      },
      { type: "reasoning", encrypted_content: "cmVkYWN0ZWQ=", summary: [] },
      { role: "assistant", content: "I look." },
      { type: "function_call", call_id: "call_3", arguments: '{"q":"a"}' },
      { type: "function_call", call_id: "call_4", arguments: '{"q":"b"}' },
    ]);
  });

  it("is kept at the provider where the owner says so", async () => {
    const server = await serverOf({ ...openaiResponses, faults: () => [] });
    const { system, thread, replies } = await wired(openaiResponses);
    server.reply(replies.says("done"));
    system.useModel(openaiResponses.model({ url: server.url }), {
      settings: { providerOptions: { openai: { store: true } } },
    });
    await thread.ask("go");
    expect(server.last.body.store).toBe(true);
  });
});

describe.each([anthropic, openaiResponses])("report 005: reasoning between the calls of a turn of $name", (format) => {
  it("is signed and kept; each call has its own result, directly behind the turn", async () => {
    const { thread, server, replies } = await wired(format, { tools: [find] });
    server.reply(
      replies.answer({
        said: [
          { thinking: "first", signature: "s1" },
          { call: "find", args: '{"q":"a"}' },
          { thinking: "second", signature: "s2" },
          { call: "find", args: '{"q":"b"}' },
        ],
      }),
      replies.says("done"),
    );
    expect(await thread.ask("go")).toBe("done");
    const sent = JSON.stringify(server.last.body);
    for (const text of ["s1", "s2", "found a", "found b"]) expect(sent).toContain(text);
  });
});

describe("reasoning without a signature", () => {
  const unsigned: Answer = { said: [{ thinking: "hm 漢" }, { call: "find", args: '{"q":"a"}' }] };

  it("is shown and not sent back", async () => {
    const { thread, server, replies } = await wired(compatible, { tools: [find] });
    const shown: string[] = [];
    thread.updates$.subscribe((update) => update.type === "thinking.delta" && shown.push(update.text));
    server.reply(replies.answer(unsigned), replies.says("done"));
    await thread.ask("go");
    expect(shown.join("")).toBe("hm 漢");
    expect(JSON.stringify(server.last.body)).not.toContain("hm 漢");
  });

  it("is sent back where the owner wants it so", async () => {
    const { thread, server, replies } = await wired(compatible, {
      tools: [find],
      modelOptions: { keepUnsignedReasoning: true },
    });
    server.reply(replies.answer(unsigned), replies.says("done"));
    await thread.ask("go");
    expect(server.last.body.messages[1]).toMatchObject({ role: "assistant", reasoning_content: "hm 漢" });
  });
});

describe("a thread whose model is switched", () => {
  const pairs = formats.flatMap((from) => formats.filter((to) => to !== from).map((to) => [from, to] as const));

  it.each(pairs.map(([from, to]) => ({ from, to, title: `${from.name} to ${to.name}` })))(
    "goes on from $title, with nothing in the request that the second cannot read",
    async ({ from, to }) => {
      const { system, thread, server, replies } = await wired(from, { tools: [find] });
      server.reply(replies.answer(thinks), replies.says("done"));
      await thread.ask("go");
      const other = await serverOf(to);
      other.reply(repliesOf(to).says("here"));
      system.useModel(to.model({ url: other.url }));
      expect(await thread.ask("and now?")).toBe("here");
      expect(JSON.stringify(other.last.body)).not.toContain(signature);
    },
  );
});

describe("an answer that is interrupted while the model thinks", () => {
  it.each([anthropic, openaiResponses, compatible])("leaves no turn behind on $name", async (format) => {
    const { thread, server, replies } = await wired(format);
    let thinks = false;
    thread.updates$.subscribe(({ type }) => {
      thinks ||= type === "thinking.delta";
    });
    server.reply(replies.begins({ said: [{ thinking: "hm", signature }] }, 3), replies.says("done"));
    await thread.send("go");
    await until(() => thinks, "thinking");
    expect(await thread.ask("stop, rather this")).toBe("done");
    expect((await historyOf(thread)).map(({ entry }) => entry.kind)).toEqual(["user", "user", "turn"]);
  });
});
