import { Subject } from "rxjs";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { eventTool } from "../../../machines/history/wording.ts";
import { defineTool } from "../../../src/index.ts";
import type { ProducerEvent } from "../../../src/tool/define.ts";
import { anthropic } from "../../support/wire/anthropic.ts";
import type { Format, RequestBody } from "../../support/wire/format.ts";
import { compatible } from "../../support/wire/openai-chat.ts";
import { type Received, type Reply, repliesOf } from "../../support/wire/server.ts";
import { formats, historyOf, serverOf, until, type WiredOptions, wired } from "../../support/wire/wired.ts";

/** Whether a request has a call in it that the model did not make. */
const isUnsigned = (body: RequestBody): boolean =>
  JSON.stringify(body.messages ?? body.input).includes(`:"${eventTool}"`);

/** A provider that refuses calls it did not sign, in the words of its format; else it says `text`. */
const signing =
  (format: Format, text: string) =>
  ({ body }: Received): Reply =>
    isUnsigned(body) ? repliesOf(format).error("unsigned") : repliesOf(format).says(text);

let names = 0;
/** A thread that watches something, on a model that nobody has asked before: what is found out of one stays. */
const watching = async (format: Format, options: WiredOptions = {}) => {
  const events = new Subject<ProducerEvent>();
  const watch = defineTool({
    name: "watch",
    description: "Watches.",
    inputSchema: z.object({}),
    subscribe: () => ({ started: "watching", events }),
  });
  const modelId = `gpt-5-${++names}`;
  const bench = await wired(format, { tools: [watch], modelId, modelOptions: { eventsAs: "call" }, ...options });
  const { server, thread, replies } = bench;
  server.reply(replies.answer({ said: [{ call: "watch", args: "{}" }] }), replies.says("I watch"));
  await thread.ask("go");
  const emit = (text: string) => events.next({ text, associative: true });
  /** An event comes, and what it leads to is over. */
  const happens = async (text: string, requests: number) => {
    const before = server.requests.length;
    emit(text);
    await until(() => server.requests.length === before + requests, "the requests");
    await thread.atRest();
    return server.requests.slice(before).map(({ body }) => body);
  };
  return { ...bench, modelId, emit, happens };
};

describe.each(formats)("a model of $name that refuses calls it did not sign", (format) => {
  it("is asked once more in the same round, at once, with the event as text", async () => {
    const { server, thread, happens, clock } = await watching(format);
    server.reply(signing(format, "1"), signing(format, "built, fine"));
    const told: unknown[] = [];
    thread.updates$.subscribe((update) => {
      if (/^round/.test(update.type)) told.push([update.type, "wait" in update ? [update.attempt, update.wait] : null]);
    });
    const [first, second] = await happens("built 😀", 2);
    expect([isUnsigned(first), isUnsigned(second)]).toEqual([true, false]);
    expect(JSON.stringify(second)).toContain("built 😀");
    expect(JSON.stringify(second)).toContain("the user did not write this");
    expect(told).toEqual([
      ["round.started", null],
      ["round.retried", [1, 0]],
      ["round.ended", null],
    ]);
    expect(clock.due.filter((at) => at < clock.now() + 50_000)).toEqual([]);
    expect((await historyOf(thread)).at(-1)?.entry).toMatchObject({ parts: [{ text: "built, fine" }] });
    expect(thread.view().lastFailure).toBeNull();
  });

  it("has text from then on: in this thread, in others, and in systems made later", async () => {
    const { server, system, thread, happens, modelId, replies } = await watching(format);
    server.reply(...["1", "2", "3"].map((text) => signing(format, text)));
    await happens("one", 2);
    const [next] = await happens("two", 1);
    expect(isUnsigned(next)).toBe(false);
    for (const text of ["one", "two"]) expect(JSON.stringify(next)).toContain(text);
    server.reply(replies.says("yes"));
    await thread.ask("well?");
    expect(isUnsigned(server.last.body)).toBe(false);
    expect((await system.open("other")).state).toBe("idle");
    const later = await watching(format, { modelId });
    later.server.reply(signing(format, "4"));
    const [asked] = await later.happens("three", 1);
    expect(isUnsigned(asked)).toBe(false);
  });

  it("refuses for good when it refuses the text too; then nothing is remembered of it", async () => {
    const { server, thread, happens, replies } = await watching(format);
    server.reply(replies.error("request"), replies.error("request"));
    await happens("one", 2);
    expect(thread.view().lastFailure).toMatchObject({ code: "MODEL_FAILED", message: expect.stringContaining("400") });
    server.reply(signing(format, "1"), signing(format, "done"));
    const [again] = await happens("two", 2);
    expect(isUnsigned(again)).toBe(true);
  });

  it("is not asked again when the request had no such call, or was refused for its length, or the key", async () => {
    const plain = await watching(format);
    plain.server.reply(plain.replies.error("unsigned"));
    await plain.thread.send("well?");
    await plain.thread.atRest();
    expect(plain.thread.view().lastFailure?.code).toBe("MODEL_FAILED");
    // One that is too long has a summary asked for, which is refused here too.
    for (const [trouble, code, requests] of [
      ["length", "CONTEXT_TOO_LONG", 2],
      ["key", "MODEL_FAILED", 1],
      ["model", "MODEL_FAILED", 1],
    ] as const) {
      const { server, thread, happens, replies } = await watching(format);
      server.reply(...Array.from({ length: requests }, () => replies.error(trouble)));
      await happens("one", requests);
      expect(thread.view().lastFailure?.code).toBe(code);
    }
  });

  it("is asked with text in the tries that follow, when the first of those breaks", async () => {
    const { server, thread, emit, clock, replies } = await watching(format);
    server.reply(signing(format, "1"), replies.error("overloaded"), signing(format, "fine"));
    emit("one");
    await until(() => clock.due.includes(clock.now() + 375), "the next try");
    await clock.advance(375);
    await until(() => server.requests.length === 5, "the third try");
    await thread.atRest();
    expect(server.requests.slice(-2).map(({ body }) => isUnsigned(body))).toEqual([false, false]);
    expect(thread.view().lastFailure).toBeNull();
  });
});

describe("a switch of the model", () => {
  it("shows events to each as that one reads them, in either direction", async () => {
    const { server, system, thread, happens } = await watching(compatible);
    server.reply(signing(compatible, "1"), signing(compatible, "fine"));
    await happens("one", 2);
    const claude = await serverOf(anthropic);
    claude.reply(repliesOf(anthropic).says("I am Claude"));
    system.useModel(anthropic.model({ url: claude.url }));
    expect(await thread.ask("who?")).toBe("I am Claude");
    expect(isUnsigned(claude.last.body)).toBe(false);
    const other = await serverOf(compatible);
    other.reply(repliesOf(compatible).says("I am another"));
    system.useModel(compatible.model({ url: other.url, modelId: `other-${++names}` }));
    expect(await thread.ask("who?")).toBe("I am another");
    expect(isUnsigned(other.last.body)).toBe(true);
  });
});

describe("a model of Anthropic", () => {
  it("is never shown an event as a call unless its owner says so", async () => {
    const { server, happens, replies } = await watching(anthropic, { modelOptions: {} });
    server.reply(replies.says("fine"));
    const [asked] = await happens("one", 1);
    expect(isUnsigned(asked)).toBe(false);
  });
});
