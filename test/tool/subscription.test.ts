import { EventEmitter, on } from "node:events";
import fc from "fast-check";
import { interval, NEVER, Observable, of, range, Subject } from "rxjs";
import { describe, expect, it } from "vitest";
import type { Envelope } from "../../machines/thread/input.ts";
import { InputRefusedError, ToolError } from "../../src/errors.ts";
import type { Producer, ProducerEvent } from "../../src/tool/define.ts";
import { bufferLimit } from "../../src/tool/producer.ts";
import { settle } from "../support/virtual-clock.ts";
import { benchOfCalls, callOf, said, toolThat } from "./bench-of-calls.ts";

const event = (text: string, more: Partial<ProducerEvent> = {}): ProducerEvent => ({
  text,
  associative: true,
  ...more,
});
const listening = async (events: Producer["events"], bench = benchOfCalls()) => {
  const handed = callOf(toolThat({ subscribe: () => ({ started: "Watching.", events }) }));
  bench.handOver(handed);
  await settle();
  bench.registry.listen(handed.call.callId);
  await settle();
  return {
    bench,
    callId: handed.call.callId,
    texts: () => bench.events().map(({ text }) => text),
    ids: () => bench.sent.slice(1).map(({ dedupId }) => dedupId),
  };
};
const generated = async function* (...events: ProducerEvent[]) {
  yield* events;
};

describe("a subscribe tool", () => {
  it("settles its call with a result that confirms the subscription, and waits before it listens", async () => {
    const bench = benchOfCalls();
    let listened = false;
    const events = new Observable<ProducerEvent>(() => {
      listened = true;
    });
    const handed = callOf(toolThat({ subscribe: async () => ({ started: { content: "Watching." }, events }) }));
    bench.handOver(handed);
    await settle();
    expect(bench.sent).toMatchObject([
      { dedupId: "subscribe", input: { kind: "result", subscription: true, origin: "tool" } },
    ]);
    expect(listened).toBe(false);
    bench.registry.listen(handed.call.callId);
    await settle();
    expect(listened).toBe(true);
    expect(bench.registry.has(handed.call.callId)).toBe(true);
  });

  it.each([
    [
      "throws",
      () => {
        throw new Error("secret");
      },
      /reference/,
    ],
    [
      "refuses with { error }",
      () => ({ started: { error: "no such channel" }, events: NEVER }),
      /^Error: no such channel$/,
    ],
    ["returns nothing", () => undefined, /did not return \{ started, events \}/],
    ["returns no events", () => ({ started: "yes", events: [1] }), /did not return/],
    ["returns an error", () => new ToolError("closed today"), /^Error: closed today$/],
  ])("that %s opens no subscription", async (_, subscribe, expected) => {
    const bench = benchOfCalls();
    const handed = callOf(toolThat({ subscribe: subscribe as never }));
    bench.handOver(handed);
    await settle();
    expect(bench.results()).toMatchObject([{ error: true }]);
    expect(bench.results()[0]).not.toHaveProperty("subscription");
    expect(said(bench.results()[0])).toMatch(expected);
    expect(bench.registry.has(handed.call.callId)).toBe(false);
  });

  it("listens also when its confirmation was in the history before its sender heard of it", async () => {
    const bench = benchOfCalls();
    const handed = callOf(toolThat({ subscribe: () => ({ started: "yes", events: of(event("a", { final: true })) }) }));
    bench.handOver(handed);
    bench.registry.listen(handed.call.callId);
    await settle();
    expect(bench.sent.map(({ input }) => input.kind)).toEqual(["result", "event"]);
  });
});

describe.each([
  ["an Observable", (...events: ProducerEvent[]) => of(...events)],
  ["an AsyncIterable", generated],
])("a producer that is %s", (_, source) => {
  it("is sent in order, with its own ids or counted ones, until its final event", async () => {
    const { texts, ids, bench, callId } = await listening(
      source(event("a"), event("b", { id: "e2" }), event("c"), event("d", { final: true }), event("e")),
    );
    expect(texts()).toEqual(["a", "b", "c", "d"]);
    expect(ids()).toEqual(["1.1", "id:e2", "1.3", "1.4"]);
    expect(bench.events().map(({ final, associative }) => final && associative)).toEqual([false, false, false, true]);
    expect(bench.registry.has(callId)).toBe(false);
  });

  it("ends with an event that says so when it completes without a final one", async () => {
    const { texts, bench, ids } = await listening(source(event("a")));
    expect(texts()).toEqual(["a", "The subscription has ended: its source has no more events."]);
    expect(bench.events().at(-1)).toMatchObject({ associative: true, final: true });
    expect(ids()).toEqual(["1.1", "1.end"]);
  });

  it.each([
    ["text", "hello"],
    ["nothing", null],
    ["an event without text", { associative: true }],
    ["an empty id", event("a", { id: "" })],
  ])("ends with an event that names the fault when it sends %s", async (__, wrong) => {
    const { texts, bench, callId } = await listening(source(event("a"), wrong as never, event("b")));
    expect(texts()).toEqual([
      "a",
      expect.stringMatching(/^The subscription has ended: its source sent an event that is n/),
    ]);
    expect(bench.events().at(-1)).toMatchObject({ associative: true, final: true });
    expect(bench.lines.map(({ level }) => level)).toEqual(["error"]);
    expect(bench.registry.has(callId)).toBe(false);
  });

  it("says of each event whether it is handled in a child, which it is unless said otherwise", async () => {
    const { bench } = await listening(
      source({ text: "a" }, event("b"), { text: "c", associative: false, final: true }),
    );
    expect(bench.events().map(({ associative }) => associative)).toEqual([false, true, false]);
  });

  it("has its text made safe and visible", async () => {
    const { texts } = await listening(source(event("a\0"), event(" "), event("z", { final: true })));
    expect(texts()).toEqual(["a\uFFFD", "(no output)", "z"]);
  });
});

describe("a producer that fails", () => {
  const failing = (error: unknown) => [
    new Observable<ProducerEvent>((subscriber) => {
      subscriber.next(event("a"));
      subscriber.error(error);
    }),
    (async function* () {
      yield event("a");
      throw error;
    })(),
  ];

  it("ends with an event that has a reference and leaks nothing", async () => {
    for (const source of failing(new Error("secret"))) {
      const { texts, bench } = await listening(source);
      expect(texts()).toEqual([
        "a",
        expect.stringMatching(
          /^The subscription has ended: its source failed\. Error: The tool failed \(reference \w{8}\)\.$/,
        ),
      ]);
      expect(bench.lines).toMatchObject([{ level: "error", fields: { message: "Error: secret" } }]);
    }
  });

  it("ends with what a ToolError says", async () => {
    for (const source of failing(new ToolError("channel closed")))
      expect((await listening(source)).texts()[1]).toContain("channel closed");
  });

  it("may fail before its first event", async () => {
    const broken = {
      [Symbol.asyncIterator]: () => {
        throw new Error("secret");
      },
    };
    const throwing = {
      subscribe: () => {
        throw new Error("secret");
      },
    };
    for (const source of [broken, throwing]) {
      const { texts } = await listening(source as never);
      expect(texts()).toEqual([expect.stringContaining("its source failed")]);
    }
  });
});

describe("a subscription that is aborted", () => {
  it("stops its producer, and sends nothing more", async () => {
    const subject = new Subject<ProducerEvent>();
    const { bench, callId, texts } = await listening(subject);
    subject.next(event("a"));
    await settle();
    bench.registry.abort(callId, "ended");
    expect(subject.observed).toBe(false);
    subject.next(event("b"));
    await settle();
    expect(texts()).toEqual(["a"]);
    expect(bench.registry.has(callId)).toBe(false);
  });

  it("closes the iterator, also while it waits for its next event", async () => {
    let returned = 0;
    const waiting = {
      [Symbol.asyncIterator]: () => ({
        next: () => new Promise<never>(() => {}),
        return: async () => {
          returned++;
          return { done: true as const, value: undefined };
        },
      }),
    };
    const { bench, callId, texts } = await listening(waiting);
    bench.registry.abort(callId, "ended");
    await settle();
    expect(returned).toBe(1);
    expect(texts()).toEqual([]);
  });

  it("runs the finally block of a generator whose final event came", async () => {
    let cleaned = false;
    const { texts } = await listening(
      (async function* () {
        try {
          yield event("z", { final: true });
          yield event("never");
        } finally {
          cleaned = true;
        }
      })(),
    );
    expect(texts()).toEqual(["z"]);
    expect(cleaned).toBe(true);
  });

  it("logs a teardown that fails and is not broken by it", async () => {
    const failing = () => {
      throw new Error("stuck");
    };
    const sources: Producer["events"][] = [
      new Observable<ProducerEvent>(() => failing),
      { subscribe: () => ({ unsubscribe: failing }) },
      { [Symbol.asyncIterator]: () => ({ next: () => new Promise<never>(() => {}), return: async () => failing() }) },
    ];
    for (const source of sources) {
      const { bench, callId } = await listening(source);
      bench.registry.abort(callId, "ended");
      await settle();
      expect(bench.lines).toMatchObject([{ level: "warn", message: "a producer failed while it was stopped" }]);
    }
  });

  it("never listens when it is aborted before it may", async () => {
    const bench = benchOfCalls();
    let listened = false;
    const handed = callOf(
      toolThat({
        subscribe: () => ({
          started: "yes",
          events: new Observable<ProducerEvent>(() => {
            listened = true;
          }),
        }),
      }),
    );
    bench.handOver(handed);
    await settle();
    bench.registry.abort(handed.call.callId, "interrupted");
    bench.registry.listen(handed.call.callId);
    await settle();
    expect(listened).toBe(false);
  });
});

describe("an iterator that is open before its first event is asked for", () => {
  /** The listeners of `events.on` are there at once. */
  const opened = (said: unknown = "yes", send?: Parameters<typeof benchOfCalls>[0]) => {
    const bench = benchOfCalls(send);
    const emitter = new EventEmitter();
    const starting = Promise.withResolvers<void>();
    const handed = callOf(
      toolThat({
        subscribe: async () => {
          const events = on(emitter, "event") as unknown as AsyncIterable<ProducerEvent>;
          await starting.promise;
          return { started: said as string, events };
        },
      }),
    );
    bench.handOver(handed);
    return { bench, handed, starting, listeners: () => emitter.listenerCount("event") };
  };

  it("is closed when its call is stopped while it starts", async () => {
    const { bench, handed, starting, listeners } = opened();
    expect(listeners()).toBe(1);
    bench.registry.abort(handed.call.callId, "interrupted");
    starting.resolve();
    await settle();
    expect(listeners()).toBe(0);
    expect(bench.sent).toEqual([]);
  });

  it("is closed when its call is stopped while its confirmation is made, which may never end", async () => {
    const { bench, handed, starting, listeners } = opened(new Promise<never>(() => {}));
    starting.resolve();
    await settle();
    bench.registry.abort(handed.call.callId, "interrupted");
    await settle();
    expect(listeners()).toBe(0);
  });

  it("is closed when its call is stopped before its confirmation is in the history, or in the same breath", async () => {
    for (const isHeard of [false, true]) {
      const { bench, handed, starting, listeners } = opened();
      starting.resolve();
      await settle();
      expect(bench.results()).toHaveLength(1);
      if (isHeard) bench.registry.listen(handed.call.callId);
      bench.registry.abort(handed.call.callId, "closed");
      await settle();
      expect(listeners()).toBe(0);
    }
  });

  it.each([
    ["refuses with { error }", { error: "no such channel" }, undefined],
    [
      "has a confirmation that is not accepted",
      "yes",
      ({ input }: Envelope) => {
        if (input.kind === "result" && input.subscription) throw new InputRefusedError("t1", "it is too large");
      },
    ],
  ])("is closed when its tool %s", async (_, said, send) => {
    const { starting, listeners } = opened(said, send);
    starting.resolve();
    await settle();
    expect(listeners()).toBe(0);
  });

  it("is closed when somebody else's result settles the call before its own confirmation", async () => {
    const { bench, handed, starting, listeners } = opened();
    starting.resolve();
    await settle();
    bench.registry.forget(handed.call.callId);
    await settle();
    expect(listeners()).toBe(0);
    expect(bench.registry.has(handed.call.callId)).toBe(false);
  });
});

describe("a producer that is faster than the store", () => {
  it("ends with an event that says so, after the events that fitted, when it is an Observable", async () => {
    const gate = Promise.withResolvers<void>();
    const bench = benchOfCalls(({ input }) => (input.kind === "event" ? gate.promise : undefined));
    const flood = new Observable<ProducerEvent>((subscriber) =>
      range(0, 1_000_000).subscribe({ next: (n) => subscriber.next(event(`${n}`)) }),
    );
    const { texts } = await listening(flood, bench);
    expect(texts()).toEqual([]);
    gate.resolve();
    await settle(40);
    expect(texts()).toHaveLength(bufferLimit + 1);
    expect(texts().at(bufferLimit - 1)).toBe(`${bufferLimit - 1}`);
    expect(texts().at(-1)).toContain(`more than ${bufferLimit} waited`);
    expect(bench.events().at(-1)?.final).toBe(true);
  });

  it("is not asked for more when it is an AsyncIterable", async () => {
    let asked = 0;
    const gate = Promise.withResolvers<void>();
    const bench = benchOfCalls(({ input }) => (input.kind === "event" ? gate.promise : undefined));
    await listening(
      (async function* () {
        for (;;) yield event(`${asked++}`);
      })(),
      bench,
    );
    expect(asked).toBe(1);
  });

  it("lets others run, however many events it has ready", async () => {
    let asked = 0;
    const { bench, callId } = await listening(
      (async function* () {
        for (;;) yield event(`${asked++}`);
      })(),
    );
    const before = asked;
    await settle();
    expect(asked).toBeGreaterThan(before);
    bench.registry.abort(callId, "ended");
    await settle();
    const stopped = asked;
    await settle();
    expect(asked).toBe(stopped);
  });

  it("loses no event and changes no order whenever the store answers (R1, R3)", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.scheduler(),
        fc.array(
          fc.string({ minLength: 1 }).filter((text) => text.trim() !== "" && !text.includes("\0")),
          { maxLength: 12 },
        ),
        fc.boolean(),
        async (scheduler, said, isObservable) => {
          const bench = benchOfCalls(() => scheduler.schedule(Promise.resolve()));
          const events = said.map((text) => event(text));
          const handed = callOf(
            toolThat({
              subscribe: () => ({ started: "yes", events: isObservable ? of(...events) : generated(...events) }),
            }),
          );
          bench.handOver(handed);
          bench.registry.listen(handed.call.callId);
          while (bench.registry.has(handed.call.callId)) {
            await settle(1);
            await scheduler.waitIdle();
          }
          expect(
            bench
              .events()
              .map(({ text }) => text)
              .slice(0, -1),
          ).toEqual(said);
        },
      ),
      { numRuns: 30 },
    );
  });

  it("may be any kind of observable", async () => {
    const unsubscribed: string[] = [];
    const plain = {
      subscribe: (observer: { next?: (value: ProducerEvent) => void }) => {
        observer.next?.(event("a"));
        return { unsubscribe: () => unsubscribed.push("plain") };
      },
    };
    const returning = {
      subscribe: (observer: { next?: (value: ProducerEvent) => void }) => {
        observer.next?.(event("a"));
        return () => unsubscribed.push("returning");
      },
    };
    const interop = { [Symbol.observable ?? "@@observable"]: () => of(event("a", { final: true })) };
    for (const source of [plain, returning, interop]) {
      const { bench, callId, texts } = await listening(source as never);
      expect(texts()).toEqual(["a"]);
      bench.registry.abort(callId, "ended");
    }
    expect(unsubscribed).toEqual(["plain", "returning"]);
  });

  it("goes on past an event that is refused", async () => {
    const bench = benchOfCalls(({ input }) => {
      if (input.kind === "event" && input.text === "huge") throw new InputRefusedError("t1", "it is too large");
    });
    const { texts } = await listening(generated(event("a"), event("huge"), event("z", { final: true })), bench);
    expect(texts()).toEqual(["a", "z"]);
    expect(bench.lines).toMatchObject([{ level: "error", fields: { error: expect.stringContaining("too large") } }]);
  });

  it("R9: ends its subscription also when its last event is refused", async () => {
    const bench = benchOfCalls(({ input }) => {
      if (input.kind === "event" && input.text === "huge") throw new InputRefusedError("t1", "it is too large");
    });
    const { texts } = await listening(generated(event("huge", { final: true })), bench);
    expect(texts()).toEqual(["The subscription has ended: its last event was not accepted: it is too large"]);
    expect(bench.events()[0]?.final).toBe(true);
  });

  it("stops with the system", async () => {
    const { bench, callId } = await listening(interval(1_000_000).pipe() as never);
    bench.registry.stop();
    expect(bench.registry.has(callId)).toBe(false);
  });
});
