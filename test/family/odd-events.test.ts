import { Observable, Subject } from "rxjs";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { defineTool, eventFor, memoryStore, type Producer, type ProducerEvent, resultFor } from "../../src/index.ts";
import { sqliteStore } from "../../src/store/sqlite.ts";
import { bufferLimit } from "../../src/tool/producer.ts";
import { call, calls, childrenOf, discardsOf, eventsOf, plant, quiet, statesOf } from "./tree.ts";

const stores = { memory: () => memoryStore(), sqlite: () => sqliteStore(":memory:") };
const watching = (events: Producer["events"]) =>
  defineTool({
    name: "watch",
    description: "Watches.",
    inputSchema: z.object({}),
    subscribe: () => ({ started: "watching", events }),
  });
const byHand = (addresses: string[]) =>
  defineTool({
    name: "watch",
    description: "Watches.",
    inputSchema: z.object({}),
    dispatch: (_, { address }) => void addresses.push(address),
  });
const subscribes = ({ id, nth }: { id: string | undefined; nth: number }) =>
  !id && nth === 1 ? calls(call("watch")) : "ok";

describe.each(Object.entries(stores))("events at odd moments, on %s", (_, makeStore) => {
  it("are judged when the first result is there that they overtook, and end at the final one", async () => {
    const addresses: string[] = [];
    const tree = await plant(subscribes, { store: makeStore(), tools: [byHand(addresses)] });
    await tree.root.send("go");
    await quiet();
    const [address = ""] = addresses;
    await tree.system.deliver(eventFor(address, { id: "early", text: "early", associative: true }));
    expect(tree.root.view().deferred).toHaveLength(1);
    await tree.system.deliver(resultFor(address, "watching", { subscription: true }));
    await tree.system.deliver(eventFor(address, { id: "last", text: "last", associative: true, final: true }));
    await tree.system.deliver(eventFor(address, { id: "after", text: "after", associative: true }));
    await quiet();
    expect(await eventsOf(tree)).toEqual(["early", "last"]);
    expect(await discardsOf(tree)).toEqual([
      expect.stringMatching(/^event of root: (subscription-ended|unknown-source)$/),
    ]);
    expect(tree.root.view().subscriptions).toEqual([]);
  });

  it("for another thread's subscription change nothing there", async () => {
    const addresses: string[] = [];
    const tree = await plant(subscribes, { store: makeStore(), tools: [byHand(addresses)] });
    await tree.root.send("go");
    await quiet();
    await tree.system.deliver(resultFor(addresses[0] ?? "", "watching", { subscription: true }));
    const other = await tree.system.open("other");
    const { threadId: _, ...event } = eventFor(addresses[0] ?? "", { text: "tick", associative: true });
    await tree.system.deliver({ ...event, threadId: other.id });
    await quiet();
    expect(await discardsOf(tree)).toEqual(["event of other: unknown-source"]);
    expect(await eventsOf(tree)).toEqual([]);
  });

  it("that are delivered again open no second child (R2)", async () => {
    const addresses: string[] = [];
    const tree = await plant(subscribes, { store: makeStore(), tools: [byHand(addresses)] });
    await tree.root.send("go");
    await quiet();
    await tree.system.deliver(resultFor(addresses[0] ?? "", "watching", { subscription: true }));
    const tick = eventFor(addresses[0] ?? "", { id: "e1", text: "tick" });
    expect(await tree.system.deliver(tick)).toBe(true);
    expect(await tree.system.deliver(tick)).toBe(false);
    await quiet();
    expect(await childrenOf(tree)).toHaveLength(1);
  });

  it("of a source that fails while it is stopped do no harm, with children at work for its events", async () => {
    const source = new Subject<ProducerEvent>();
    const events = new Observable<ProducerEvent>((reader) => {
      const inner = source.subscribe(reader);
      return () => {
        inner.unsubscribe();
        throw new Error("secret of a teardown");
      };
    });
    const tree = await plant(
      ({ id, nth, last }, request) => {
        if (id) return last.includes("tick") ? calls(call("sleep_until_event_or_input")) : "ok";
        if (nth === 1) return calls(call("watch"));
        const [callId] = /call-\d+-\d+/.exec(JSON.stringify(request.prompt)) ?? [];
        return last.includes("enough") ? calls(call("cancel_subscription", { tool_call_id: callId ?? "" })) : "ok";
      },
      { store: makeStore(), tools: [watching(events)] },
    );
    await tree.root.send("go");
    await quiet();
    for (const text of ["tick 1", "tick 2"]) source.next({ text });
    await quiet();
    expect(await childrenOf(tree)).toHaveLength(2);
    await tree.root.send("enough");
    await quiet();
    expect(source.observed).toBe(false);
    expect(tree.root.view().subscriptions).toEqual([]);
    expect(Object.values(await statesOf(tree)).filter((state) => state === "idlePassive")).toHaveLength(2);
    expect(JSON.stringify(await tree.store.history("root" as never))).not.toContain("secret");
  });

  it("of a source that says nothing, ever, leave the thread subscribed and others unharmed", async () => {
    const tree = await plant(subscribes, { store: makeStore(), tools: [watching(new Observable<never>())] });
    await tree.root.send("go");
    await quiet();
    expect(tree.root.state).toBe("subscribed");
    expect(await (await tree.system.open("other")).ask("hello")).toBe("ok");
  });
});

it("a million events in a tick fill a bounded buffer, and the thread is told that its subscription has ended", async () => {
  const events = new Observable<ProducerEvent>((reader) => {
    for (let index = 0; index < 1_000_000 && !reader.closed; index++)
      reader.next({ text: `tick ${index}`, associative: true });
  });
  const tree = await plant(subscribes, { tools: [watching(events)] });
  await tree.root.send("go");
  await quiet(400);
  const heard = await eventsOf(tree);
  expect(heard.length).toBeLessThanOrEqual(bufferLimit + 1);
  expect(heard.slice(0, 3)).toEqual(["tick 0", "tick 1", "tick 2"]);
  expect(heard.at(-1)).toContain("faster than events can be stored");
  expect(tree.root.view().subscriptions).toEqual([]);
  expect(tree.root.state).toBe("idle");
});
