import { APICallError } from "@ai-sdk/provider";
import { describe, expect, it } from "vitest";
import { createActor } from "xstate";
import { roundMachine } from "../../../machines/round/machine.ts";
import { requestSlots } from "../../../src/model/stream/slots.ts";
import { createStream } from "../../../src/model/stream/stream.ts";
import { settle, virtualClock } from "../../support/virtual-clock.ts";
import { modelOf } from "./listening.ts";
import { finish, judge, type Part, text } from "./reading.ts";

/** What one request meets: the parts of its stream, at the end of which it closes or hangs; or an error. */
type Met = { readonly parts: readonly Part[]; readonly hangs?: true } | { readonly error: unknown };

const streamOf = ({ parts, hangs }: Extract<Met, { parts: unknown }>) =>
  new ReadableStream<Part>({
    start(controller) {
      for (const part of parts) controller.enqueue(part);
      if (!hangs) controller.close();
    },
  });

/** A round against a model, beside a clock that somebody turns. The last of `met` is what all further requests meet. */
const run = async (...met: readonly Met[]) => {
  const clock = virtualClock(0);
  const asked: number[] = [];
  const waits: number[] = [];
  const prompts: unknown[] = [];
  const slots = requestSlots(1);
  const prompt = [{ role: "user" as const, content: [{ type: "text" as const, text: "go" }] }];
  const model = modelOf(async (options) => {
    const next = met[Math.min(asked.length, met.length - 1)] as Met;
    asked.push(clock.now());
    prompts.push(options.prompt);
    if ("error" in next) throw next.error;
    return { stream: streamOf(next) };
  });
  const machine = roundMachine.provide({
    actors: {
      stream: createStream({
        clock,
        random: () => 0.5,
        slots,
        request: () => ({ model, options: { prompt }, judge, keepUnsignedReasoning: false, publish: () => {} }),
      }),
    },
    actions: { announceRetry: ({ context }) => void waits.push(context.wait) },
  });
  const limits = { tries: 11, silence: 60_000, slowRetry: 60_000 };
  const actor = createActor(machine, { clock, input: { threadId: "t1", request: null, limits } }).start();
  await settle();
  return { actor, clock, asked, waits, prompts };
};

const dropped: Met = { parts: text("I'll take") };
const answered: Met = { parts: [...text("done"), finish()] };
const busy = (headers: Record<string, string>): Met => ({
  error: new APICallError({
    message: "busy",
    url: "u",
    requestBodyValues: {},
    statusCode: 429,
    responseHeaders: headers,
  }),
});

describe("a round against a model", () => {
  it("asks the same again after a drop, and keeps nothing of the first try", async () => {
    const { actor, clock, prompts } = await run(dropped, answered);
    await clock.advance(1_000);
    expect(prompts).toHaveLength(2);
    expect(prompts[1]).toEqual(prompts[0]);
    expect(actor.getSnapshot().output).toMatchObject({ outcome: "finished", blocks: [{ text: "done" }] });
  });

  it("gives up after 11 requests", async () => {
    const { actor, clock, asked, waits } = await run(dropped);
    await clock.advance(600_000);
    expect(asked).toHaveLength(11);
    expect(waits).toEqual([375, 750, 1_500, 3_000, 6_000, 12_000, 24_000, 24_000, 24_000, 24_000]);
    expect(actor.getSnapshot().output).toMatchObject({
      outcome: "failed",
      blocks: [{ text: "I'll take" }],
      failure: { code: "MODEL_UNAVAILABLE" },
    });
    expect(clock.due).toEqual([]);
  });

  it("discards a try that has been silent for a minute", async () => {
    const { actor, clock, asked } = await run({ parts: text("hm"), hangs: true }, answered);
    await clock.advance(59_999);
    expect(asked).toEqual([0]);
    await clock.advance(2_000);
    expect(asked).toEqual([0, 60_375]);
    expect(actor.getSnapshot().output).toMatchObject({ outcome: "finished", blocks: [{ text: "done" }] });
  });

  it.each<[Record<string, string>, number]>([
    [{ "retry-after-ms": "1500" }, 1_500],
    [{ "Retry-After": "7" }, 7_000],
    [{ "retry-after": "Thu, 01 Jan 1970 00:00:20 GMT" }, 20_000],
    [{ "retry-after": "abc" }, 375],
  ])("waits as the provider asks by %j", async (headers, wait) => {
    const { actor, clock, asked } = await run(busy(headers), answered);
    await clock.advance(wait - 1);
    expect(asked).toEqual([0]);
    await clock.advance(1);
    expect(asked).toEqual([0, wait]);
    expect(actor.getSnapshot().output?.outcome).toBe("finished");
  });

  it("does not sit out a day", async () => {
    const { actor, asked } = await run(busy({ "retry-after": "86400" }));
    expect(asked).toEqual([0]);
    expect(actor.getSnapshot().output?.failure).toEqual({
      code: "MODEL_UNAVAILABLE",
      message:
        "The request to the model failed (HTTP 429): busy. It is asked again at 1970-01-02T00:00:00.000Z, or when you write.",
    });
  });

  it("is cut with what was visible, and holds nothing afterwards", async () => {
    const { actor, clock } = await run({ parts: [...text("hi"), ...text("and ha", "h").slice(0, 2)], hangs: true });
    actor.send({ type: "round.cut", at: 5 });
    await settle();
    expect(actor.getSnapshot().output).toMatchObject({ outcome: "cut", blocks: [{ text: "hi" }, { text: "and ha" }] });
    expect(clock.due).toEqual([]);
  });

  it("is cut at once while it waits to ask again", async () => {
    const { actor, clock, asked } = await run(dropped);
    actor.send({ type: "round.cut", at: 5 });
    await clock.advance(600_000);
    expect(asked).toHaveLength(1);
    expect(actor.getSnapshot().output).toMatchObject({ outcome: "cut", blocks: [], at: 5 });
  });
});
