import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { anthropic } from "../../support/wire/anthropic.ts";
import type { Format, Trouble } from "../../support/wire/format.ts";
import { compatible, openaiChat } from "../../support/wire/openai-chat.ts";
import { openaiResponses } from "../../support/wire/openai-responses.ts";
import type { Answer } from "../../support/wire/script.ts";
import type { Reply } from "../../support/wire/server.ts";
import { find } from "../../support/wire/tools.ts";
import { formats, historyOf, until, type Wired, wired } from "../../support/wire/wired.ts";

/** The thread waits `ms` until it asks again. */
const waits = ({ clock }: Wired, ms: number) =>
  until(() => clock.due.includes(clock.now() + ms), `a wait of ${ms} ms in ${clock.due}`);

/** What the thread rests with, once its work is over. */
const failureOf = async ({ thread }: Wired) => {
  await thread.atRest();
  return thread.view().lastFailure;
};

/** Works on one text against these replies until the thread rests. */
const fails = async (format: Format, reply: Reply, options = {}) => {
  const bench = await wired(format, options);
  bench.server.reply(reply);
  await bench.thread.send("go");
  return { ...bench, failure: await failureOf(bench) };
};

const page: Reply = { headers: { "content-type": "text/html; charset=utf-8" }, chunks: ["<!doctype html><h1>Hi</h1>"] };

const zipped = { "content-type": "text/event-stream", "content-encoding": "gzip" };
const damaged = (bytes: Uint8Array): Uint8Array => bytes.fill(0xff, bytes.length >> 1, (bytes.length >> 1) + 9);

describe.each(formats)("on $name", (format) => {
  it.each<[Record<string, string>, number]>([
    [{ "retry-after": "7" }, 7_000],
    [{ "retry-after-ms": "1500" }, 1_500],
    [{ "retry-after": new Date(31_000).toUTCString() }, 30_000],
    [{ "retry-after": "abc" }, 375],
    [{ "retry-after": "-1" }, 375],
    [{}, 375],
  ])("report 097: a 429 with %j is asked again after %i ms, in the same round", async (headers, ms) => {
    const bench = await wired(format);
    const { thread, server, clock, replies } = bench;
    server.reply(replies.error("rate", headers), replies.says("done"));
    const told: unknown[] = [];
    thread.updates$.subscribe((update) => update.type === "round.retried" && told.push([update.attempt, update.wait]));
    const answer = thread.ask("go");
    await waits(bench, ms);
    await clock.advance(ms - 1);
    expect(server.requests).toHaveLength(1);
    expect(told).toEqual([[2, ms]]);
    await clock.advance(1);
    expect(await answer).toBe("done");
    expect(server.requests).toHaveLength(2);
  });

  it("a 429 that asks for an hour is not sat out: the thread rests, and asks again when the hour is over", async () => {
    const { replies } = await wired(format);
    const { failure, thread, server, clock } = await fails(format, replies.error("rate", { "retry-after": "3600" }));
    expect(failure).toMatchObject({ code: "MODEL_UNAVAILABLE", message: expect.stringContaining("01:00:01.000Z") });
    expect(thread.state).toBe("idle");
    server.reply(replies.says("done"));
    await clock.advance(3_600_000);
    await until(() => server.requests.length === 2, "the second request");
    await until(() => thread.view().lastFailure === null, "the answer");
    await thread.atRest();
    const history = (await historyOf(thread)).map(({ entry }) => entry);
    expect(history).toMatchObject([{ kind: "user" }, { kind: "turn", parts: [{ text: "done" }] }]);
    expect(server.requests[1]?.body).toEqual(server.requests[0]?.body);
  });

  it.each<Trouble>(["server", "overloaded"])("a failure of the provider (%s) is asked again", async (trouble) => {
    const bench = await wired(format);
    bench.server.reply(bench.replies.error(trouble), bench.replies.says("done"));
    const answer = bench.thread.ask("go");
    await waits(bench, 375);
    await bench.clock.advance(375);
    expect(await answer).toBe("done");
  });

  it("a key that is wrong is one clear failure, in which no key is", async () => {
    const { replies } = await wired(format);
    const apiKey = "sk-wrong-0123456789-secret";
    const { failure, server } = await fails(format, replies.error("key"), { apiKey });
    expect(JSON.stringify(server.last.headers)).toContain(apiKey);
    expect(server.requests).toHaveLength(1);
    expect(failure).toMatchObject({ code: "MODEL_FAILED", message: expect.stringMatching(/HTTP 401.*(key|api)/i) });
  });

  it.each(["sk-wrong-0123456789-secret", "ak_7Qm2Zp9XsecretV4", "0b5cb8f2-7c0e-4d9e-a2a9-30d9dfb7c53e"])(
    "a key that the provider quotes (%s) is in no message",
    async (apiKey) => {
      const error = { type: "authentication_error", message: `no such key: ${apiKey} (Bearer ${apiKey})` };
      const body = JSON.stringify({ type: "error", error });
      const { failure } = await fails(format, { status: 401, chunks: [body] }, { apiKey });
      expect(failure?.message).toContain("no such key: [hidden]");
      expect(failure?.message).not.toContain(apiKey);
    },
  );

  it("a key that no header can hold is one clear failure, in which no key is", async () => {
    const bench = await wired(format, { apiKey: "sk-two\nlines" });
    await bench.thread.send("go");
    const failure = await failureOf(bench);
    expect(failure).toMatchObject({ code: "MODEL_FAILED", message: expect.stringContaining("invalid header value") });
    expect(failure?.message).not.toMatch(/sk-two|lines/);
    expect(bench.server.requests).toEqual([]);
  });

  it("a model that there is not is one clear failure, with the address that was asked", async () => {
    const { replies } = await wired(format);
    const { failure, server } = await fails(format, replies.error("model"));
    expect(failure).toMatchObject({ code: "MODEL_FAILED", message: expect.stringContaining("m-1") });
    expect(failure?.message).toContain(`HTTP 404 from ${server.url}/v1/`);
  });

  it("a base URL that answers with a page is one clear failure, whether it says 200 or 404", async () => {
    const there = await fails(format, page);
    expect(there.failure).toMatchObject({ code: "MODEL_FAILED", message: expect.stringContaining("base URL") });
    const notThere = await fails(format, { ...page, status: 404 });
    expect(notThere.failure).toMatchObject({
      code: "MODEL_FAILED",
      message: expect.stringContaining(`HTTP 404 from ${notThere.server.url}`),
    });
    expect(notThere.failure?.message).not.toContain("<");
    for (const { server } of [there, notThere]) expect(server.requests).toHaveLength(1);
  });

  it("a page of a gateway that is overloaded is asked again", async () => {
    const bench = await wired(format);
    bench.server.reply({ ...page, status: 502 }, bench.replies.says("done"));
    const answer = bench.thread.ask("go");
    await waits(bench, 375);
    await bench.clock.advance(375);
    expect(await answer).toBe("done");
  });

  it("a request that is longer than the model takes has a code of its own, and is not asked again", async () => {
    const { replies } = await wired(format);
    const { failure, server } = await fails(format, replies.error("length"));
    expect(failure).toMatchObject({ code: "CONTEXT_TOO_LONG", message: expect.stringContaining("context window") });
    expect(server.requests).toHaveLength(1);
  });

  const said: Answer = { said: [{ text: "half of it, and more" }, { call: "find", args: '{"q":"a"}' }] };

  it("report 097: an error in the middle of an answer voids it, and the same is asked again", async () => {
    const bench = await wired(format, { tools: [find] });
    bench.server.reply(bench.replies.errsAfter(said, 4, "overloaded"), bench.replies.says("done"));
    const answer = bench.thread.ask("go");
    await waits(bench, 375);
    await bench.clock.advance(375);
    expect(await answer).toBe("done");
    expect(await historyOf(bench.thread)).toHaveLength(2);
  });

  it.each<[string, Reply]>([
    ["report 094: headers, then silence", { headers: { "content-type": "text/event-stream" }, ending: "hold" }],
    ["no headers at all", { silent: true }],
  ])("a stall (%s) is closed after the limit of silence, and asked again", async (_, reply) => {
    const bench = await wired(format);
    const { thread, server, clock, replies } = bench;
    server.reply(reply, replies.says("done"));
    const answer = thread.ask("go");
    await until(() => server.requests.length === 1, "the request");
    await waits(bench, 60_000);
    await clock.advance(60_000);
    await until(() => server.requests[0]?.closedEarly === true, "the end of the first request");
    await waits(bench, 375);
    await clock.advance(375);
    expect(await answer).toBe("done");
  });

  it("report 094: silence in the middle of an answer voids it, counted from its last sign", async () => {
    const bench = await wired(format, { tools: [find] });
    const { thread, server, clock, replies } = bench;
    server.reply(replies.begins(said, 4), replies.says("done"));
    let shown = "";
    thread.updates$.subscribe((update) => {
      if (update.type === "text.delta") shown += update.text;
    });
    const answer = thread.ask("go");
    await until(() => shown === "half of it, and more", "the text");
    await clock.advance(60_000);
    await until(() => server.requests[0]?.closedEarly === true, "the end of the first request");
    await waits(bench, 375);
    await clock.advance(375);
    expect(await answer).toBe("done");
    expect(await historyOf(thread)).toHaveLength(2);
  });

  it("a turn that reached the output limit executes no call, and the model reads why", async () => {
    const { thread, server, replies } = await wired(format, { tools: [find] });
    server.reply(replies.answer({ ...said, finish: "length" }), replies.says("shorter"));
    expect(await thread.ask("go")).toBe("shorter");
    expect(JSON.stringify(server.last.body)).toContain("NOT executed");
  });

  it("a turn without calls that reached the output limit is kept, with the failure", async () => {
    const { replies } = await wired(format);
    const { failure, thread } = await fails(format, replies.answer({ said: [{ text: "ha" }], finish: "length" }));
    expect(failure?.code).toBe("TURN_TRUNCATED");
    expect(await historyOf(thread)).toHaveLength(2);
  });

  it("a turn that the provider's filter ended executes no call, and the thread rests with the failure", async () => {
    const { replies } = await wired(format);
    const { failure, thread } = await fails(format, replies.answer({ ...said, finish: "filter" }), { tools: [find] });
    expect(failure?.code).toBe("TURN_FILTERED");
    const [result] = (await historyOf(thread)).flatMap(({ entry }) => (entry.kind === "result" ? [entry] : []));
    expect(result).toMatchObject({ origin: "not_executed", error: true });
  });

  it("a refusal in the model's own words is kept as its text", async () => {
    const { replies } = await wired(format);
    const { failure, thread } = await fails(
      format,
      replies.answer({ said: [{ refusal: "I cannot." }], ...(format === anthropic && { finish: "filter" }) }),
    );
    expect(failure?.code).toBe("TURN_FILTERED");
    expect((await historyOf(thread))[1]?.entry).toMatchObject({ parts: [{ type: "text", text: "I cannot." }] });
  });

  it.each<[string, (bytes: Uint8Array) => Reply]>([
    ["a compressed answer that is damaged", (bytes) => ({ headers: zipped, chunks: [damaged(gzipSync(bytes))] })],
    ["a server that hangs up before it answers", () => ({ silent: true, ending: "drop" })],
  ])("%s is asked again", async (_, reply) => {
    const bench = await wired(format);
    bench.server.reply(reply(bench.replies.bytes(said)), bench.replies.says("done"));
    const answer = bench.thread.ask("go");
    await waits(bench, 375);
    await bench.clock.advance(375);
    expect(await answer).toBe("done");
    expect(await historyOf(bench.thread)).toHaveLength(2);
  });
});

describe("a provider's own names for errors", () => {
  it("tell that no credit is left, which no wait mends", async () => {
    const body = {
      error: { message: "You exceeded your quota.", type: "insufficient_quota", code: "insufficient_quota" },
    };
    for (const format of [compatible, openaiChat, openaiResponses]) {
      const { failure } = await fails(format, { status: 429, chunks: [JSON.stringify(body)] });
      expect(failure).toMatchObject({ code: "MODEL_FAILED", message: expect.stringContaining("quota") });
    }
  });

  it.each([
    { error: { message: "too big", type: "exceed_context_size_error", code: 400 } }, // llama.cpp
    { object: "error", message: "This model's maximum context length is 4096 tokens.", type: "BadRequestError" }, // vLLM
    { error: "maximum context length exceeded" }, // a server that says no more than that
  ])("or their words tell that the request is too long: %j", async (body) => {
    const { failure } = await fails(compatible, { status: 400, chunks: [JSON.stringify(body)] });
    expect(failure?.code).toBe("CONTEXT_TOO_LONG");
  });

  it.each([
    [{ error: "no model is loaded" }, "no model is loaded"],
    [{ object: "error", message: "no such parameter" }, "no such parameter"],
    [{ detail: "not this way" }, "not this way"],
  ])("stand in the message where a server has a form of its own: %j", async (body, words) => {
    const { failure } = await fails(compatible, { status: 400, chunks: [JSON.stringify(body)] });
    expect(failure?.message).toContain(words);
  });

  it("in a stream that has begun tell whether asking again can help", async () => {
    const error = { error: { message: "bad grammar", type: "BadRequestError", code: 400 } };
    const { failure, server } = await fails(compatible, {
      headers: { "content-type": "text/event-stream" },
      chunks: [`data: ${JSON.stringify(error)}\n\n`],
    });
    expect(failure).toMatchObject({ code: "MODEL_FAILED", message: expect.stringContaining("bad grammar") });
    expect(server.requests).toHaveLength(1);
  });

  it("are the same for a length that is noticed after the answer has begun", async () => {
    for (const format of formats) {
      const { replies } = await wired(format);
      const { failure } = await fails(format, replies.errsAfter({ said: [{ text: "ha" }] }, 3, "length"));
      expect(failure?.code, format.name).toBe("CONTEXT_TOO_LONG");
    }
  });
});
