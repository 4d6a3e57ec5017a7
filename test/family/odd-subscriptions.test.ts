import { EventEmitter, on } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Subject } from "rxjs";
import { describe, expect, it, onTestFinished } from "vitest";
import { z } from "zod";
import {
  createSender,
  defineTool,
  eventFor,
  memoryStore,
  type Producer,
  type ProducerEvent,
  resultFor,
} from "../../src/index.ts";
import { sqliteStore } from "../../src/store/sqlite.ts";
import { call, calls, childrenOf, discardsOf, eventsOf, plant, quiet, resultsOf, spawn, statesOf } from "./tree.ts";

const stores = { memory: () => memoryStore(), sqlite: () => sqliteStore(":memory:") };
const inputSchema = z.object({});
const never = new Promise<never>(() => {});
const watchOf = (subscribe: () => Producer | Promise<Producer>) =>
  defineTool({ name: "watch", description: "Watches.", inputSchema, subscribe });
/** The id by which a model knows the first call that opened a subscription. */
const cancel = (text: string) =>
  call("cancel_subscription", { tool_call_id: /call-\d+-\d+/.exec(text)?.[0] ?? "no such call" });
const origins = (results: readonly string[]) => results.map((text) => text.split(":")[0]);

describe.each(Object.entries(stores))("a subscription that is cancelled, on %s", (_, makeStore) => {
  it("by another thread goes on: only its owner may", async () => {
    const source = new Subject<ProducerEvent>();
    const tree = await plant(
      ({ id, nth, text }) => {
        if (id) return nth === 1 ? calls(cancel(text)) : "I may not";
        return nth === 1 ? calls(call("watch")) : nth === 2 ? calls(spawn("cancel it")) : "ok";
      },
      { store: makeStore(), tools: [watchOf(() => ({ started: "watching", events: source }))] },
    );
    await tree.root.send("go");
    await tree.root.atRest({ tree: true });
    const [child = ""] = await childrenOf(tree);
    expect(origins(await resultsOf(tree, child)).at(-1)).toBe("validation");
    expect([source.observed, tree.root.state]).toEqual([true, "subscribed"]);
  });

  it("twice is cancelled once; the second time there is nothing of that id, in the same turn and later", async () => {
    let stopped = 0;
    const source = new Subject<ProducerEvent>();
    const events = {
      subscribe: (reader: Parameters<typeof source.subscribe>[0]) => {
        const inner = source.subscribe(reader);
        return {
          unsubscribe() {
            stopped++;
            inner.unsubscribe();
          },
        };
      },
    } as Producer["events"];
    const tree = await plant(
      ({ nth, text }) => {
        if (nth === 1) return calls(call("watch"));
        if (nth === 3) return calls(cancel(text), cancel(text));
        return nth === 4 ? calls(cancel(text)) : "ok";
      },
      { store: makeStore(), tools: [watchOf(() => ({ started: "watching", events }))] },
    );
    await tree.root.send("go");
    await tree.root.atRest();
    await tree.root.send("enough");
    await tree.root.atRest();
    expect(origins(await resultsOf(tree, "root"))).toEqual(["tool", "sync", "validation", "validation"]);
    expect([stopped, source.observed, tree.root.state]).toEqual([1, false, "idle"]);
  });

  it("while its producer starts was interrupted by the text that asks for it, and is closed once it has started", async () => {
    const emitter = new EventEmitter();
    const starting = Promise.withResolvers<void>();
    const watch = watchOf(async () => {
      const events = on(emitter, "event") as unknown as AsyncIterable<ProducerEvent>;
      await starting.promise;
      return { started: "watching", events };
    });
    const tree = await plant(
      ({ nth, text }) => (nth === 1 ? calls(call("watch")) : nth === 2 ? calls(cancel(text)) : "ok"),
      { store: makeStore(), tools: [watch] },
    );
    await tree.root.send("go");
    await quiet();
    expect([tree.root.state, emitter.listenerCount("event")]).toEqual(["awaitingActiveCall", 1]);
    await tree.root.send("stop that");
    await tree.root.atRest();
    starting.resolve();
    await quiet();
    expect(origins(await resultsOf(tree, "root"))).toEqual(["interrupted", "validation"]);
    expect([tree.root.state, emitter.listenerCount("event")]).toEqual(["idle", 0]);
  });

  it("leaves the children that handle its events, and discards the events that wait for their places", async () => {
    const source = new Subject<ProducerEvent>();
    const works: (() => void)[] = [];
    const work = defineTool({
      name: "work",
      description: "Works.",
      inputSchema,
      run: () => new Promise<string>((resolve) => works.push(() => resolve("done"))),
    });
    const tree = await plant(
      ({ id, nth, text, last }) => {
        if (id && last.includes("tick")) return calls(call("work"));
        if (id) return last.includes("done") ? calls(call("report_to_parent", { report: "handled" })) : "ok";
        return nth === 1 ? calls(call("watch")) : last.includes("enough") ? calls(cancel(text)) : "ok";
      },
      {
        store: makeStore(),
        tools: [watchOf(() => ({ started: "watching", events: source })), work],
        limits: { eventChildrenAtOnce: 2 },
      },
    );
    await tree.root.send("go");
    await quiet();
    for (let nth = 1; nth <= 5; nth++) source.next({ text: `tick ${nth}` });
    await quiet();
    expect(works).toHaveLength(2);
    await tree.root.send("enough");
    await tree.root.atRest();
    for (const end of works) end();
    await tree.root.atRest({ tree: true });
    expect(await eventsOf(tree)).toEqual(["handled", "handled"]);
    expect(await discardsOf(tree)).toEqual(Array(3).fill("event of root: unknown-source"));
    expect(await childrenOf(tree)).toHaveLength(2);
    expect((await tree.store.threads({ withWork: true })).length).toBe(0);
  });
});

describe("a source that does not play along", () => {
  it("and always has another event at once leaves other threads unharmed, and stops when its thread closes", async () => {
    let made = 0;
    let isClosed = false;
    const events = (async function* (): AsyncGenerator<ProducerEvent> {
      try {
        for (;;) yield { text: `tick ${++made}`, associative: true };
      } finally {
        isClosed = true;
      }
    })();
    const tree = await plant(
      ({ last }) => {
        if (last.includes("watch it")) return calls(call("watch"));
        // The model thinks for longer than the source needs to fill the inbox.
        return last.includes("tick") ? never : "ok";
      },
      { tools: [watchOf(() => ({ started: "watching", events }))], limits: { inbox: 20 } },
    );
    await tree.root.send("watch it");
    await quiet();
    expect(made).toBeGreaterThan(20);
    expect(made).toBeLessThan(30);
    expect(await (await tree.system.open("other")).ask("hello")).toBe("ok");
    await tree.root.close();
    await tree.clock.advance(60_000);
    expect([tree.root.state, isClosed]).toEqual(["closed", true]);
    const before = made;
    await quiet();
    expect(made).toBe(before);
  });

  it.each([
    ["hangs when it is closed", () => never],
    [
      "throws when it is closed",
      () => {
        throw new Error("secret");
      },
    ],
  ])("and %s holds up neither the end of its thread nor that of the system", async (_, end) => {
    const events = {
      [Symbol.asyncIterator]: () => ({ next: () => never, return: end }),
    };
    const tree = await plant(({ last }) => (last.includes("watch it") ? calls(call("watch")) : "ok"), {
      tools: [watchOf(() => ({ started: "watching", events }))],
    });
    const other = await tree.system.open("other");
    for (const thread of [tree.root, other]) await thread.send("watch it");
    await quiet();
    await tree.root.close();
    expect(await tree.root.atRest()).toBe("closed");
    await tree.system.stop();
    expect(other.state).toBe("subscribed");
  });
});

it("events by hand come from another process, each once, whoever repeats them (R2)", async () => {
  const folder = mkdtempSync(join(tmpdir(), "wakeful-family-"));
  const elsewhere = sqliteStore(join(folder, "a.db"), { synchronous: "normal" });
  const here = sqliteStore(join(folder, "a.db"), { synchronous: "normal" });
  onTestFinished(async () => {
    await Promise.all([elsewhere.close(), here.close()]);
    rmSync(folder, { recursive: true });
  });
  let address = "";
  const watch = defineTool({
    name: "watch",
    description: "Watches.",
    inputSchema,
    dispatch: (__, toolCall) => {
      ({ address } = toolCall);
    },
  });
  const tree = await plant(({ id, nth }) => (!id && nth === 1 ? calls(call("watch")) : "ok"), {
    store: here,
    tools: [watch],
  });
  await tree.root.send("go");
  await quiet();
  const sender = createSender(elsewhere);
  const told = async (envelope: Parameters<typeof sender.send>[0]) => {
    const isNew = await sender.send(envelope);
    await tree.clock.advance(1_000);
    return isNew;
  };
  // It overtakes the first result.
  expect(await told(eventFor(address, { id: "e0", text: "early", associative: true }))).toBe(true);
  expect(await told(resultFor(address, "watching", { subscription: true }))).toBe(true);
  expect(await told(eventFor(address, { id: "e1", text: "tick" }))).toBe(true);
  expect(await told(eventFor(address, { id: "e1", text: "tick" }))).toBe(false);
  expect(await tree.system.deliver(eventFor(address, { id: "e1", text: "tick" }))).toBe(false);
  expect(await told(eventFor(address, { id: "e2", text: "last", associative: true, final: true }))).toBe(true);
  expect(await told(eventFor(address, { id: "e3", text: "after" }))).toBe(true);
  expect(await eventsOf(tree)).toEqual(["early", "last"]);
  const [child = "", ...more] = await childrenOf(tree);
  expect(more).toEqual([]);
  expect(await eventsOf(tree, child)).toEqual(["tick"]);
  expect(await discardsOf(tree)).toEqual(["event of root: unknown-source"]);
  expect(await statesOf(tree)).toEqual({ root: "idle", [child]: "idle" });
  await tree.system.stop();
});
