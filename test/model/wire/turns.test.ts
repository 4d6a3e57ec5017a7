import { describe, expect, it } from "vitest";
import { z } from "zod";
import { defineTool } from "../../../src/index.ts";
import type { Answer } from "../../support/wire/script.ts";
import { formats, historyOf, until, wired } from "../../support/wire/wired.ts";

const saw: unknown[] = [];
const find = defineTool({
  name: "find",
  description: "Finds.",
  inputSchema: z.object({ q: z.string() }),
  inline: ({ q }) => `found ${q}`,
});
const none = defineTool({
  name: "none",
  description: "Takes nothing.",
  inputSchema: z.object({}),
  inline: (args) => {
    saw.push(args);
    return "ok";
  },
});
const tools = [find, none];

/** Calls of the first turn with their results, in the order of the history. */
const callsOf = async (thread: Parameters<typeof historyOf>[0]) => {
  const entries = (await historyOf(thread)).map(({ entry }) => entry);
  const calls = entries.flatMap((entry) =>
    entry.kind === "turn" ? entry.parts.flatMap((part) => (part.type === "call" ? [part] : [])) : [],
  );
  return calls.map(({ callId, name, args }) => {
    const result = entries.find((entry) => entry.kind === "result" && entry.callId === callId);
    const [item] = result?.kind === "result" ? result.content : [];
    return [name, args, item?.type === "text" ? item.text : undefined];
  });
};

describe.each(formats)("a thread on $name", (format) => {
  it("has the text, and the tokens of the round and of all of it, those cached and thought included", async () => {
    const { thread, server, replies } = await wired(format);
    const usage = { input: 100, output: 20, cached: 60, thinking: 5 };
    server.reply(
      replies.answer({ said: [{ text: "漢字 👩‍👧" }], usage }),
      replies.answer({ said: [{ text: "two" }], usage }),
    );
    const rounds: unknown[] = [];
    thread.updates$.subscribe((update) => update.type === "round.ended" && rounds.push(update.usage));
    expect(await thread.ask("one")).toBe("漢字 👩‍👧");
    expect(await thread.ask("two")).toBe("two");
    const counts = { inputTokens: 100, outputTokens: 20, cachedInputTokens: 60, reasoningTokens: 5 };
    expect(rounds).toEqual([counts, counts]);
    expect(thread.view().usage).toEqual({
      inputTokens: 200,
      outputTokens: 40,
      cachedInputTokens: 120,
      reasoningTokens: 10,
    });
  });

  it("report 016: has parallel calls whose arguments came by turns, each with its own, in the order they began", async () => {
    const { thread, server, replies } = await wired(format, { tools });
    const said = ["a 😀", "b", "c, which is longer than the others"].map((q) => ({
      call: "find",
      args: JSON.stringify({ q }),
    }));
    server.reply(replies.answer({ said, interleaved: true }), replies.says("done"));
    expect(await thread.ask("go")).toBe("done");
    expect(await callsOf(thread)).toEqual([
      ["find", { q: "a 😀" }, "found a 😀"],
      ["find", { q: "b" }, "found b"],
      ["find", { q: "c, which is longer than the others" }, "found c, which is longer than the others"],
    ]);
  });

  it.each(["same", ""])("keeps calls apart that all have the id %j", async (id) => {
    const { thread, server, replies } = await wired(format, { tools });
    const turn: Answer = {
      said: [
        { call: "find", args: '{"q":"a"}', id },
        { call: "find", args: '{"q":"b"}', id },
      ],
    };
    server.reply(replies.answer(turn), replies.answer(turn), replies.says("done"));
    expect(await thread.ask("go")).toBe("done");
    expect(await callsOf(thread)).toEqual(["a", "b", "a", "b"].map((q) => ["find", { q }, `found ${q}`]));
  });

  it("report 013: calls without arguments, written as nothing or as an empty object, with an empty object", async () => {
    saw.length = 0;
    const { thread, server, replies } = await wired(format, { tools });
    server.reply(replies.answer({ said: [{ call: "none" }, { call: "none", args: "{}" }] }), replies.says("done"));
    expect(await thread.ask("go")).toBe("done");
    expect(saw).toEqual([{}, {}]);
  });

  it.each(["{bad", '{"q":"cut of', "null", '"text"', "[]"])(
    "report 012: answers arguments that are no object (%s) with an error that the model reads, and goes on",
    async (args) => {
      const { thread, server, replies } = await wired(format, { tools });
      server.reply(
        replies.answer({ said: [{ call: "find", args }] }),
        replies.answer({ said: [{ call: "find", args: '{"q":"a"}' }] }),
        replies.says("done"),
      );
      expect(await thread.ask("go")).toBe("done");
      const [refused, found] = await callsOf(thread);
      expect(refused?.[2]).toContain("Error");
      expect(found).toEqual(["find", { q: "a" }, "found a"]);
    },
  );

  it("report 014: runs the call that can run beside one whose arguments broke off, and answers both", async () => {
    const { thread, server, replies } = await wired(format, { tools });
    const said = ['{"q":"a"}', '{"q":"brok'].map((args) => ({ call: "find", args }));
    server.reply(replies.answer({ said }), replies.says("done"));
    expect(await thread.ask("go")).toBe("done");
    const [found, refused] = await callsOf(thread);
    expect(found).toEqual(["find", { q: "a" }, "found a"]);
    expect(refused?.[2]).toContain("Error");
  });

  it("report 009: sends a name that no tool can have back in a form that the provider takes", async () => {
    const { thread, server, replies } = await wired(format, { tools });
    server.reply(replies.answer({ said: [{ call: "$READ FILE", args: "{}" }] }), replies.says("sorry"));
    expect(await thread.ask("go")).toBe("sorry");
  });

  const turn: Answer = {
    said: [{ text: "é 漢 😀" }, { call: "find", args: '{"q":"\\"😀\\" \\u00e9"}' }],
  };
  const length = Buffer.from(format.render(turn).join("")).length;

  it("has the same history wherever an answer was cut on its way", async () => {
    const { system, server, replies } = await wired(format, { tools });
    for (let at = 1; at < length; at += 53) {
      const thread = await system.open(`cut at ${at}`.replaceAll(" ", "-"));
      server.reply(replies.cutAt(turn, at), replies.says("done"));
      expect(await thread.ask("go")).toBe("done");
      expect(await callsOf(thread)).toEqual([["find", { q: '"😀" é' }, 'found "😀" é']]);
    }
  });

  it.each(["end", "drop"] as const)(
    "report 004: keeps nothing of an answer that %s on its way, asks the same again, and has the second",
    async (ending) => {
      const { system, server, clock, replies } = await wired(format, { tools });
      const events = format.render(turn);
      const needed = Buffer.byteLength(events.slice(0, format.whole(events)).join(""));
      for (let at = 0; at < needed; at += 97) {
        const thread = await system.open(`${ending}-at-${at}`);
        const asked = server.requests.length;
        server.reply(replies.endsAt(turn, at, ending), replies.says("second"));
        const answer = thread.ask("go");
        await until(() => clock.due.includes(clock.now() + 375), "the next try");
        await clock.advance(375);
        expect(await answer).toBe("second");
        const history = (await historyOf(thread)).map(({ entry }) => entry);
        expect(history).toMatchObject([{ kind: "user" }, { kind: "turn", parts: [{ type: "text", text: "second" }] }]);
        const [first, second] = server.requests.slice(asked).map(({ body }) => JSON.stringify(body));
        expect(second).toBe(first);
      }
    },
  );
});
