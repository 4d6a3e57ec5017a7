import { Subject } from "rxjs";
import { describe, expect, it } from "vitest";
import { type AnyActor, createActor, createMachine, type InspectionEvent } from "xstate";
import { z } from "zod";
import { createSystem, defineTool, type Inspector, silentLogger } from "../../src/index.ts";
import { scriptedModel } from "../../src/model/scripted/scripted-model.ts";
import { settle } from "../../src/testing/virtual-clock.ts";
import { createInspection } from "../../src/thread/inspection.ts";
import { byHand, calls, systemWith } from "../support/system/started.ts";
import { recordingLogger } from "../tool/bench-of-calls.ts";

const recorded = () => {
  const events: InspectionEvent[] = [];
  return { events, inspect: (event: InspectionEvent) => void events.push(event) };
};
const types = (events: readonly InspectionEvent[]) => [...new Set(events.map(({ type }) => type))].sort();
const roots = (events: readonly InspectionEvent[]) => [...new Set(events.map(({ rootId }) => rootId))];

describe("an observer of a system", () => {
  it("sees every thread's actors from their making, and what they are told", async () => {
    const { events, inspect } = recorded();
    const system = await systemWith({ model: scriptedModel(["one", "two"]), inspect });
    await (await system.open("a")).ask("hello");
    await (await system.open("b")).ask("hello");
    await system.stop();
    expect(types(events)).toEqual([
      "@xstate.action",
      "@xstate.actor",
      "@xstate.event",
      "@xstate.microstep",
      "@xstate.snapshot",
    ]);
    expect(roots(events)).toHaveLength(2);
    for (const rootId of roots(events)) {
      const [first] = events.filter((event) => event.rootId === rootId);
      expect(first).toMatchObject({ type: "@xstate.actor" });
      expect(first?.actorRef.sessionId).toBe(rootId);
    }
  });

  it("is told later, never while a thread works", async () => {
    const { events, inspect } = recorded();
    const system = await systemWith({ model: scriptedModel(["one"]), inspect });
    await system.open("a");
    expect(events).toEqual([]);
    await expect.poll(() => events.length, { interval: 1, timeout: 20_000 }).toBeGreaterThan(0);
  });

  it("can come later: it learns of the actors that there are, and is told what follows", async () => {
    const { events, inspect } = recorded();
    const { tool, addresses } = byHand();
    const model = scriptedModel([calls("build"), "built"]);
    const system = await systemWith({ model, tools: [tool] });
    const thread = await system.open("a");
    await thread.send("build it");
    await expect.poll(() => addresses.length, { interval: 1, timeout: 20_000 }).toBe(1);
    await expect.poll(() => thread.state, { interval: 1, timeout: 20_000 }).toBe("awaitingActiveCall");
    system.inspect(inspect);
    await expect.poll(() => events.length, { interval: 1, timeout: 20_000 }).toBe(1);
    expect(events[0]?.actorRef.getSnapshot().value).toBe("awaitingActiveCall");
    await thread.send("never mind");
    await thread.atRest();
    await expect.poll(() => types(events), { interval: 1, timeout: 20_000 }).toContain("@xstate.snapshot");
  });

  it("learns of the children that a thread has at that moment", async () => {
    const { events, inspect } = recorded();
    const model = scriptedModel();
    const system = await systemWith({ model });
    const thread = await system.open("a");
    await thread.send("hello");
    await model.next();
    system.inspect(inspect);
    await expect.poll(() => events.length, { interval: 1, timeout: 20_000 }).toBeGreaterThan(1);
    expect(types(events)).toEqual(["@xstate.actor"]);
    expect(events.map(({ actorRef }) => (actorRef as AnyActor).id)).toContain("round");
    expect(roots(events)).toHaveLength(1);
  });

  it("hears nothing more once it has left, and a second leaving does nothing", async () => {
    const { events, inspect } = recorded();
    const other = recorded();
    const system = await systemWith({ model: scriptedModel(["one", "two"]) });
    const thread = await system.open("a");
    const leave = system.inspect(inspect);
    system.inspect(other.inspect);
    await thread.ask("hello");
    await expect.poll(() => events.length, { interval: 1, timeout: 20_000 }).toBeGreaterThan(10);
    leave();
    leave();
    const seen = events.length;
    const before = other.events.length;
    await thread.ask("again");
    await expect.poll(() => other.events.length, { interval: 1, timeout: 20_000 }).toBeGreaterThan(before + 10);
    expect(events).toHaveLength(seen);
  });

  it("is told what waits before a system has stopped, and nothing after it", async () => {
    const { events, inspect } = recorded();
    const system = await systemWith({ model: scriptedModel(["one"]), inspect });
    await (await system.open("a")).ask("hello");
    await system.stop();
    const seen = events.length;
    expect(seen).toBeGreaterThan(10);
    const late = recorded();
    system.inspect(late.inspect)();
    await settle();
    expect(events).toHaveLength(seen);
    expect(late.events).toEqual([]);
  });

  it("can be an RxJS subject, and need not have a next", async () => {
    const { events, inspect } = recorded();
    const subject = new Subject<InspectionEvent>();
    subject.subscribe(inspect);
    const system = await systemWith({ model: scriptedModel(["one"]), inspect: subject });
    system.inspect({});
    await (await system.open("a")).ask("hello");
    await system.stop();
    expect(events.length).toBeGreaterThan(10);
  });
});

describe("a thread that is observed", () => {
  const throwing: [string, Inspector][] = [
    [
      "throws",
      () => {
        throw new Error("no");
      },
    ],
    [
      "rejects",
      (async () => {
        throw new Error("no");
      }) as Inspector,
    ],
    [
      "throws what cannot be read",
      () => {
        throw Object.create(null);
      },
    ],
    [
      "has a next that cannot be read",
      Object.defineProperty({}, "next", {
        get() {
          throw new Error("no");
        },
      }) as Inspector,
    ],
  ];
  it.each(throwing)("is not broken by an observer that %s; the others go on", async (_, inspect) => {
    const { logger, lines } = recordingLogger();
    const { events, inspect: other } = recorded();
    const system = await createSystem({ model: scriptedModel(["one", "two"]), logger, inspect });
    system.inspect(other);
    const thread = await system.open("a");
    expect(await thread.ask("hello")).toBe("one");
    expect(await thread.ask("hello")).toBe("two");
    await system.stop();
    expect(lines.filter(({ message }) => message.includes("inspection observer failed"))).toHaveLength(1);
    expect(events.length).toBeGreaterThan(10);
  });

  it("does not wait for an observer that takes for ever", async () => {
    const { logger, lines } = recordingLogger();
    const { events, inspect } = recorded();
    let told = 0;
    const slow = () => {
      told += 1;
      const until = performance.now() + 100;
      while (performance.now() < until);
    };
    const system = await createSystem({ model: scriptedModel(["one"]), logger, inspect: slow });
    system.inspect(inspect);
    const thread = await system.open("a");
    expect(await thread.ask("hello")).toBe("one");
    await system.stop();
    const atTheEnd = told;
    // Stopping gives it a second; what it has not been told by then is left out, and that is said.
    expect(atTheEnd).toBeLessThan(events.length);
    expect(lines).toEqual([
      { level: "warn", fields: { leftOut: expect.any(Number) }, message: expect.stringContaining("does not keep up") },
    ]);
    await settle();
    expect(told).toBe(atTheEnd);
  });

  it("tells what passes through it: texts, calls, results; no instructions, no metadata, no model, no history", async () => {
    const told: string[] = [];
    const tool = defineTool({
      name: "look",
      description: "the description",
      inputSchema: z.object({ at: z.string() }),
      inline: () => "the result",
    });
    const plain = (_: string, value: unknown): unknown =>
      // Actors and charts are the living things; what is asked here is what the data of an event says.
      typeof value === "object" && value !== null && ("sessionId" in value || "logic" in value || "config" in value)
        ? undefined
        : value;
    const model = Object.assign(scriptedModel([calls("look", { at: "the arguments" }), "the answer", "another"]), {
      apiKey: "the key",
    });
    const system = await systemWith({
      model,
      tools: [tool],
      instructions: "the instructions",
      inspect: ({ actorRef: _, ...event }) => told.push(JSON.stringify(event, plain)),
    });
    const thread = await system.open("a", { instructions: "more instructions", metadata: { token: "the metadata" } });
    await thread.ask("the text");
    await thread.ask("something else");
    await system.stop();
    const all = told.join("\n");
    for (const part of ["the text", "the arguments", "the result", "the answer"]) expect(all).toContain(part);
    for (const part of ["instructions", "the metadata", "the description", "the key"]) expect(all).not.toContain(part);
    expect(told.at(-1)).not.toContain("the result");
  });
});

describe("a system that nobody observes", () => {
  const actors = () => {
    const machine = createMachine({ id: "m", initial: "a", states: { a: { on: { go: "b" } }, b: {} } });
    const root = createActor(machine);
    let attached = 0;
    const { inspect } = root.system;
    root.system.inspect = (observer) => {
      attached += 1;
      const subscription = inspect(observer);
      return {
        unsubscribe() {
          attached -= 1;
          subscription.unsubscribe();
        },
      };
    };
    return { root, attached: () => attached };
  };

  it("attaches nothing to any actor, and detaches when the last observer leaves", () => {
    const [early, late] = [actors(), actors()];
    const inspection = createInspection({ logger: silentLogger, roots: () => [early.root, late.root] });
    inspection.adopt(early.root);
    expect(early.attached()).toBe(0);
    const leaveFirst = inspection.observe(() => {});
    const leaveSecond = inspection.observe(() => {});
    inspection.adopt(late.root);
    expect([early.attached(), late.attached()]).toEqual([1, 1]);
    leaveFirst();
    expect([early.attached(), late.attached()]).toEqual([1, 1]);
    leaveSecond();
    expect([early.attached(), late.attached()]).toEqual([0, 0]);
    inspection.observe(() => {});
    expect([early.attached(), late.attached()]).toEqual([1, 1]);
  });

  it("detaches too when its last observer fails", async () => {
    const { root, attached } = actors();
    const inspection = createInspection({ logger: silentLogger, roots: () => [root] });
    inspection.observe(() => {
      throw new Error("no");
    });
    await expect.poll(attached, { interval: 1, timeout: 20_000 }).toBe(0);
  });
});

it("an observer that does not keep up misses events, and the logger is told how many, once", async () => {
  const { logger, lines } = recordingLogger();
  const root = createActor(createMachine({ on: { tick: { actions: () => {} } } })).start();
  const inspection = createInspection({ logger, roots: () => [root] });
  let heard = 0;
  inspection.observe(() => {
    heard += 1;
  });
  for (let tick = 0; tick < 8_000; tick++) root.send({ type: "tick" });
  await expect.poll(() => heard, { interval: 1, timeout: 20_000 }).toBe(10_000);
  await inspection.close();
  expect(lines).toEqual([
    { level: "warn", fields: { leftOut: expect.any(Number) }, message: expect.stringContaining("does not keep up") },
  ]);
});
