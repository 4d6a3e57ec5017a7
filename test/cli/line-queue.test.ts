import { describe, expect, it } from "vitest";
import { sendLines } from "../../src/cli/run/line-queue.ts";
import type { Line } from "../../src/cli/run/lines.ts";
import { InputRefusedError } from "../../src/errors.ts";
import { settle } from "../../src/testing/virtual-clock.ts";
import { fakeCall, fakeThread, sleeping, subscription } from "./fake-thread.ts";

const failure = { code: "MODEL_FAILED", message: "", at: 0 } as never;

/** Lets lines go to a thread that the test moves; `ended()` is the outcome, or undefined while lines are sent. */
const sending = (lines: readonly Line[], refuse?: (text: string) => Error | undefined) => {
  const fake = fakeThread(refuse);
  const stopping = new AbortController();
  const refused: string[] = [];
  let outcome: boolean | undefined;
  let error: unknown;
  sendLines({
    thread: fake.thread,
    family: async () => [fake.thread],
    lines: (async function* () {
      yield* lines;
    })(),
    onRefused: ({ number }, reason) => refused.push(`${number}: ${reason}`),
    signal: stopping.signal,
  }).then(
    (isWell) => {
      outcome = isWell;
    },
    (reason) => {
      error = reason;
    },
  );
  return {
    ...fake,
    refused,
    stop: () => stopping.abort(),
    async sent() {
      await settle();
      return fake.texts.length;
    },
    async outcome() {
      await settle();
      if (error) throw error;
      return outcome;
    },
  };
};
const linesOf = (...texts: string[]): Line[] => texts.map((text, index) => ({ number: index + 1, text }));

describe("the lines of an input", () => {
  it("are sent one by one, each once the work on the one before is done", async () => {
    const thread = sending(linesOf("a", "b", "c"));
    expect(await thread.sent()).toBe(1);
    thread.become("awaitingActiveCall", { calls: [fakeCall("build")] });
    expect(await thread.sent()).toBe(1);
    thread.become("running");
    thread.become("idle");
    expect(await thread.sent()).toBe(2);
    thread.become("idlePassive", { calls: [sleeping] });
    expect(await thread.sent()).toBe(2);
    thread.become("idle");
    expect(await thread.sent()).toBe(3);
    expect(thread.texts).toEqual(["a", "b", "c"]);
    expect(await thread.outcome()).toBeUndefined();
    thread.become("idle");
    expect(await thread.outcome()).toBe(true);
  });

  it("are not held up by a subscription, but the end of the input waits for it", async () => {
    const thread = sending(linesOf("count", "hello"));
    await thread.sent();
    thread.become("subscribed", { subscriptions: [subscription] });
    expect(await thread.sent()).toBe(2);
    thread.become("subscribed", { subscriptions: [subscription] });
    expect(await thread.outcome()).toBeUndefined();
    thread.become("running");
    thread.become("idle");
    expect(await thread.outcome()).toBe(true);
  });

  it("are left out when they are blank", async () => {
    const thread = sending(linesOf("", "  \t", "a"));
    expect(await thread.sent()).toBe(1);
    expect(thread.texts).toEqual(["a"]);
  });

  it("end at once when there are none", async () => expect(await sending([]).outcome()).toBe(true));

  it("go on after one that is refused, and the outcome says so", async () => {
    const thread = sending(linesOf("bad", "good"), (text) =>
      text === "bad" ? new InputRefusedError("t", "the inbox is full") : undefined,
    );
    expect(await thread.sent()).toBe(1);
    expect(thread.refused).toEqual(["1: the inbox is full"]);
    thread.become("idle");
    expect(await thread.outcome()).toBe(false);
  });

  it("are refused with their size when they are too long", async () => {
    const thread = sending([{ number: 1, tooLong: 10_485_760 }, ...linesOf("good")]);
    expect(await thread.sent()).toBe(1);
    expect(thread.refused[0]).toMatch(/^1: it is 10\.5 MB long, .*give the agent a tool/);
  });

  it("have a bad outcome when the work on any of them ended in a failure", async () => {
    const thread = sending(linesOf("a", "b"));
    await thread.sent();
    thread.become("idle", { lastFailure: failure });
    expect(await thread.sent()).toBe(2);
    thread.become("idle", { lastFailure: null });
    expect(await thread.outcome()).toBe(false);
  });

  it("stop when the run is stopped", async () => {
    const thread = sending(linesOf("a", "b"));
    await thread.sent();
    thread.stop();
    thread.become("idle");
    expect(await thread.sent()).toBe(1);
    expect(await thread.outcome()).toBeDefined();
  });

  it("end in the error of a system that is gone", async () => {
    const thread = sending(linesOf("a"), () => new Error("gone"));
    await expect(thread.outcome()).rejects.toThrow("gone");
  });
});
