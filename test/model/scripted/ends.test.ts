import { APICallError } from "@ai-sdk/provider";
import { describe, expect, it } from "vitest";
import { scriptedModel } from "../../../src/model/scripted/scripted-model.ts";
import { ending, hello, partsFrom, textOf, typesOf } from "./reading.ts";

describe("the end of a scripted stream", () => {
  it.each([
    ["final", "stop"],
    ["truncated", "length"],
    ["filtered", "content-filter"],
  ] as const)("marks %s as %s", async (end, reason) =>
    expect(ending(await partsFrom(scriptedModel([{ chunks: [{ text: "a" }], end }])))).toBe(reason),
  );

  it("has any end mark it is asked for", async () =>
    expect(ending(await partsFrom(scriptedModel([{ chunks: [], end: { finish: "interrupted" } }])))).toBe(
      "interrupted",
    ));

  it("has no end mark when it drops", async () =>
    expect(typesOf(await partsFrom(scriptedModel([{ chunks: [{ text: "a" }], end: "drop" }])))).toEqual([
      "stream-start",
      "response-metadata",
      "text-start",
      "text-delta",
    ]));

  it("refuses the request itself when it errs before anything was streamed", async () => {
    const model = scriptedModel([{ error: "transient", retryAfter: 3, retryAfterMs: 2500 }, { error: "fatal" }]);
    const transient = await partsFrom(model).catch((error) => error);
    expect(APICallError.isInstance(transient)).toBe(true);
    expect(transient).toMatchObject({
      isRetryable: true,
      statusCode: 503,
      responseHeaders: { "retry-after": "3", "retry-after-ms": "2500" },
    });
    await expect(partsFrom(model)).rejects.toMatchObject({ isRetryable: false, statusCode: 400 });
  });

  it("tells an error later as a part, or breaks the stream", async () => {
    const model = scriptedModel([
      { chunks: [{ text: "a" }], end: { error: "transient", status: 529 } },
      { chunks: [{ text: "a" }], end: { error: "transient", at: "stream" } },
    ]);
    expect((await partsFrom(model)).at(-1)).toMatchObject({ type: "error", error: { statusCode: 529 } });
    const { stream } = await model.doStream(hello);
    const seen: string[] = [];
    const reading = async () => {
      for await (const { type } of stream) seen.push(type);
    };
    await expect(reading()).rejects.toMatchObject({ isRetryable: true });
    expect(seen).toContain("text-delta");
  });
});

describe("an aborted request", () => {
  it("rejects when the signal is aborted before, or while nobody has answered", async () => {
    const model = scriptedModel();
    const aborted = model.doStream({ ...hello, abortSignal: AbortSignal.abort() });
    await expect(aborted).rejects.toMatchObject({ name: "AbortError" });
    const controller = new AbortController();
    const asked = model.doStream({ ...hello, abortSignal: controller.signal });
    const request = await model.next();
    controller.abort();
    await expect(asked).rejects.toMatchObject({ name: "AbortError" });
    expect(model.requests.map((each) => each.aborted)).toEqual([true, true]);
    expect(request.open).toBe(false);
  });

  it("breaks the stream with an AbortError and is deaf to what is fed later", async () => {
    const model = scriptedModel();
    const controller = new AbortController();
    const asked = model.doStream({ ...hello, abortSignal: controller.signal });
    const request = await model.next();
    expect(request.stream([{ text: "a" }], "open")).toBe(true);
    const reader = (await asked).stream.getReader();
    await reader.read();
    const rest = reader.read().then(() => reader.read());
    controller.abort();
    await expect(rest.then(() => reader.read())).rejects.toMatchObject({ name: "AbortError" });
    expect(request.aborted).toBe(true);
    expect(request.stream([{ text: "b" }])).toBe(false);
  });

  it("loses what was not read yet of an answer that was complete", async () => {
    const controller = new AbortController();
    const model = scriptedModel(["a b c"]);
    const { stream } = await model.doStream({ ...hello, abortSignal: controller.signal });
    controller.abort("enough");
    await expect(stream.getReader().read()).rejects.toMatchObject({ name: "AbortError", message: "enough" });
    expect(model.requests[0]?.aborted).toBe(true);
  });

  it("is none when the answer was read to its end first", async () => {
    const controller = new AbortController();
    const model = scriptedModel(["a"]);
    await partsFrom(model, { ...hello, abortSignal: controller.signal });
    controller.abort();
    expect(model.requests[0]?.aborted).toBe(false);
  });

  it("counts as aborted when the reader cancels", async () => {
    const model = scriptedModel();
    const asked = model.doStream(hello);
    const request = await model.next();
    request.stream([{ text: "a" }], "open");
    await (await asked).stream.cancel();
    expect([request.aborted, request.open, model.openRequests]).toEqual([true, false, []]);
  });
});

describe("a request answered by hand", () => {
  it("waits, is handed out once, and goes on after it was left open", async () => {
    const model = scriptedModel();
    const next = model.next();
    const first = partsFrom(model);
    const second = partsFrom(model);
    const [one, two] = [await next, await model.next()];
    expect([one.ordinal, two.ordinal]).toEqual([1, 2]);
    expect(model.openRequests).toEqual([one, two]);
    two.answer({ text: "two" });
    one.stream([{ text: "processing..." }], "open");
    one.stream([{ text: " done" }]);
    expect(textOf(await first)).toBe("processing... done");
    expect(textOf(await second)).toBe("two");
    expect(model.openRequests).toEqual([]);
  });

  it("is left to a hand when a reply says nothing", async () => {
    const model = scriptedModel(({ ordinal }) => (ordinal === 1 ? "scripted" : undefined));
    expect(textOf(await partsFrom(model))).toBe("scripted");
    const asked = partsFrom(model);
    (await model.next()).finish();
    expect(ending(await asked)).toBe("stop");
  });

  it("refuses to be answered twice, and names the way out", async () => {
    const model = scriptedModel(["a"]);
    await partsFrom(model);
    expect(() => model.requests[0]?.answer("b")).toThrow("await model.next()");
  });

  it("is not handed out any more once it was aborted", async () => {
    const model = scriptedModel();
    const controller = new AbortController();
    const gone = model.doStream({ ...hello, abortSignal: controller.signal });
    controller.abort();
    await expect(gone).rejects.toThrow();
    const asked = partsFrom(model);
    const request = await model.next();
    expect(request.ordinal).toBe(2);
    request.answer("here");
    expect(textOf(await asked)).toBe("here");
  });
});
