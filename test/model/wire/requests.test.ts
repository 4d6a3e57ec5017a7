import { Subject } from "rxjs";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { defineTool, resultFor } from "../../../src/index.ts";
import type { ProducerEvent } from "../../../src/tool/define.ts";
import { anthropic } from "../../support/wire/anthropic.ts";
import { openaiResponses } from "../../support/wire/openai-responses.ts";
import type { Answer } from "../../support/wire/script.ts";
import { byHand, find, picture, png } from "../../support/wire/tools.ts";
import { formats, historyOf, until, wired } from "../../support/wire/wired.ts";

const calls = (...names: readonly string[]): Answer => ({ said: names.map((call) => ({ call, args: "{}" })) });

/** The rules of each provider are kept by every request of these tests: the servers hold them against each. */
describe.each(formats)("what $name is sent (R5)", (format) => {
  it("has the instructions, the tools with their schemas, the settings, and the key where it belongs", async () => {
    const { thread, server, replies } = await wired(format, {
      tools: [find],
      instructions: "Be brief.",
      modelOptions: { settings: { maxOutputTokens: 99, headers: { "x-tenant": "acme" } } },
    });
    server.reply(replies.says("done"));
    await thread.ask("go");
    const { body, headers } = server.last;
    const text = JSON.stringify(body);
    for (const part of ["Be brief.", '"q":{"type":"string"}', ":99", '"find"']) expect(text).toContain(part);
    expect(headers["x-tenant"]).toBe("acme");
    expect(text + server.last.path).not.toContain("sk-right");
  });

  it("holds the results directly behind their calls, those that came early and late, in the order of the calls", async () => {
    const { build, addresses } = byHand();
    const { system, thread, server, replies } = await wired(format, { tools: [find, build] });
    server.reply(
      replies.answer({
        said: [
          { text: "both" },
          { call: "build", args: "{}" },
          { call: "find", args: '{"q":"a"}' },
          { call: "build", args: "{}" },
        ],
      }),
      replies.says("done"),
    );
    await thread.send("go");
    await until(() => addresses.length === 2, "the builds");
    expect(await thread.atRest()).toBe("awaitingActiveCall");
    for (const [n, address] of [...addresses.entries()].reverse())
      await system.deliver(resultFor(address, `built ${n}`));
    await until(() => server.requests.length === 2, "the second request");
    await thread.atRest();
    const sent = JSON.stringify(server.last.body);
    const places = ["built 0", "found a", "built 1"].map((text) => sent.indexOf(text));
    expect(places.every((place) => place > 0)).toBe(true);
    expect(places).toEqual(places.toSorted((a, b) => a - b));
  });

  it("is taken after an interruption, with what was visible and with calls that came to nothing", async () => {
    const { build, addresses } = byHand();
    const { thread, server, replies } = await wired(format, { tools: [build] });
    server.reply(
      replies.answer(calls("build", "build")),
      replies.begins({ said: [{ text: "I was about to say" }] }, 3),
    );
    await thread.send("go");
    await until(() => addresses.length === 2, "the builds");
    let shown = false;
    thread.updates$.subscribe(({ type }) => {
      shown ||= type === "text.delta";
    });
    await thread.send("stop");
    await until(() => shown, "the text");
    server.reply(replies.says("done"));
    expect(await thread.ask("rather this")).toBe("done");
    const sent = JSON.stringify(server.last.body);
    for (const text of ["Interrupted", "I was about", "rather this"]) expect(sent).toContain(text);
  });

  it("is taken with an event that arrived while nothing was asked, and with one that was held back", async () => {
    const events = new Subject<ProducerEvent>();
    const watch = defineTool({
      name: "watch",
      description: "Watches.",
      inputSchema: z.object({}),
      subscribe: () => ({ started: "watching", events }),
    });
    const { build, addresses } = byHand();
    const { system, thread, server, replies } = await wired(format, { tools: [watch, build] });
    server.reply(replies.answer(calls("watch")), replies.says("I watch"), replies.answer(calls("build")));
    await thread.ask("go");
    events.next({ text: "first 😀", associative: true });
    await until(() => addresses.length === 1, "the build");
    events.next({ text: "second", associative: true });
    server.reply(replies.says("both"), replies.says("seen"));
    await system.deliver(resultFor(addresses[0] ?? "", "built"));
    await until(() => server.requests.length === 4, "the request with all");
    expect(await thread.ask("well?")).toBe("seen");
    const sent = JSON.stringify(server.last.body);
    for (const text of ["first 😀", "built", "second", "well?"]) expect(sent).toContain(text);
    await historyOf(thread);
  });

  it("has images of results where its API takes them, and a word for them where it does not", async () => {
    const { thread, server, replies, system } = await wired(format, { tools: [picture] });
    server.reply(replies.answer(calls("picture")), replies.says("a dot"), replies.says("blind"));
    await thread.ask("go");
    const takesImages = [anthropic, openaiResponses].includes(format);
    expect(JSON.stringify(server.last.body).includes(png)).toBe(takesImages);
    expect(/"type":"(input_)?image"/.test(JSON.stringify(server.last.body))).toBe(takesImages);
    expect(JSON.stringify(server.last.body).includes("[image image/png]")).toBe(!takesImages);
    system.useModel(format.model({ url: server.url }), { supportsImages: false });
    await thread.ask("again");
    expect(JSON.stringify(server.last.body)).not.toContain(png);
    expect(JSON.stringify(server.last.body)).toContain("[image image/png]");
  });

  it("has no blank text in it, whatever the model, the tools or the user leave out", async () => {
    const quiet = defineTool({ name: "quiet", description: "", inputSchema: z.object({}), inline: () => " \n" });
    const { thread, server, replies } = await wired(format, { tools: [quiet] });
    server.reply(
      replies.answer({ said: [{ text: "\n\n" }, { call: "quiet", args: "{}" }] }),
      replies.answer({ said: [{ text: "\n" }] }),
      replies.says("done"),
    );
    await thread.send("go");
    await thread.atRest();
    expect(await thread.ask("well?")).toBe("done");
  });

  it("goes to the address and in the form of its API", async () => {
    const { thread, server, replies } = await wired(format);
    server.reply(replies.says("done"));
    await thread.ask("go");
    const path = { anthropic: "/v1/messages", "openai.responses": "/v1/responses" }[format.name];
    expect(server.last.path).toBe(path ?? "/v1/chat/completions");
    const { authorization, "x-api-key": key } = server.last.headers;
    expect(format === anthropic ? key : authorization).toBe(format === anthropic ? "sk-right" : "Bearer sk-right");
  });
});
