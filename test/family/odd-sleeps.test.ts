import { describe, expect, it } from "vitest";
import { memoryStore } from "../../src/index.ts";
import { sqliteStore } from "../../src/store/sqlite.ts";
import { call, calls, plant, quiet, resultsOf } from "./tree.ts";

const stores = { memory: () => memoryStore(), sqlite: () => sqliteStore(":memory:") };
const until = (date: string, time = "00:00", timezone = "UTC") => calls(call("sleep_until", { date, time, timezone }));
const day = 86_400_000;

describe.each(Object.entries(stores))("a thread that sleeps until a time, on %s", (_, makeStore) => {
  it("goes on at once when the time has passed", async () => {
    const tree = await plant(({ nth }) => (nth === 1 ? until("0001-01-01") : "awake"), { store: makeStore() });
    await tree.root.send("go");
    await quiet();
    expect(tree.root.state).toBe("idle");
    expect(await resultsOf(tree, "root")).toEqual([expect.stringMatching(/^timer: .*0001-01-01T00:00:00\+00:00/)]);
  });

  it.each([
    ["a day that no calendar has", until("2026-02-30")],
    ["a time that no clock shows", until("2026-02-03", "24:00")],
    ["a zone that nobody knows", until("2026-02-03", "09:00", "Mars/Olympus")],
    ["nothing", calls(call("sleep_until"))],
  ])("is told what is wrong with %s, and does not sleep", async (__, wrong) => {
    const tree = await plant(({ nth }) => (nth === 1 ? wrong : "I see"), { store: makeStore() });
    expect(await tree.root.ask("go")).toBe("I see");
    expect(await resultsOf(tree, "root")).toEqual([expect.stringMatching(/^validation: .*not valid/)]);
    expect(await tree.store.nextTimer(Number.NEGATIVE_INFINITY)).toBeUndefined();
  });
});

it("a thread sleeps longer than a timer can hold, and does not wake before", async () => {
  const tree = await plant(({ nth }) => (nth === 1 ? until("1970-01-27", "00:00:01") : "awake"));
  await tree.root.send("go");
  await tree.root.atRest();
  await tree.clock.advance(26 * day, () => quiet(1));
  expect(tree.root.state).toBe("idlePassive");
  await tree.clock.advance(1_000, () => quiet(1));
  expect(await tree.root.atRest()).toBe("idle");
});
