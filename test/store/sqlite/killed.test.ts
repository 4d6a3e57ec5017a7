import { once } from "node:events";
import { afterEach, describe, expect, it } from "vitest";
import { sqliteStore } from "../../../src/store/sqlite/sqlite-store.ts";
import type { Store } from "../../../src/store/store.ts";
import { alpha, callOf, deliver, roomy, statusesOf, waitingIn } from "../../../src/testing/store/material.ts";
import { emptyStore, quick } from "./files.ts";
import { inProcess } from "./processes/start.ts";

let store: Store | undefined;
afterEach(() => store?.close());

/** The store on what such a process leaves. */
const killedAt = async (where: string): Promise<Store> => {
  const file = await emptyStore();
  expect(await once(inProcess("killed.ts", file, where), "exit")).toEqual([null, "SIGKILL"]);
  store = sqliteStore(file, quick);
  return store;
};

describe("a process killed", () => {
  it("at `created` leaves the thread", async () =>
    expect(await (await killedAt("created")).load(alpha)).toMatchObject({ version: 0, inbox: [] }));

  it("at `accepting` leaves nothing of the inputs: their keys are unseen (R2)", async () => {
    const store = await killedAt("accepting");
    expect(await store.load(alpha)).toMatchObject({ inbox: [] });
    expect(await store.feed({ after: 0, limit: 10 })).toEqual([]);
    expect(statusesOf(await store.accept([deliver(alpha, "a")], roomy))).toEqual(["accepted"]);
  });

  it("at `accepted` leaves the inputs (R1)", async () =>
    expect(await waitingIn(await killedAt("accepted"), alpha)).toEqual(["a", "b"]));

  it("at `committing` leaves nothing of the commit: its inputs still wait (R7)", async () => {
    const store = await killedAt("committing");
    expect(await store.load(alpha)).toMatchObject({
      version: 0,
      calls: [],
      inbox: [{ dedupId: "a" }, { dedupId: "b" }],
    });
    expect(await store.history(alpha)).toEqual([]);
    expect(await store.timers({ after: 0, until: 100 })).toEqual([]);
  });

  it("at `committed` leaves the commit as a whole", async () => {
    const store = await killedAt("committed");
    const call = { callId: callOf(alpha, 1).callId, status: "committed" };
    expect(await store.load(alpha)).toMatchObject({ version: 1, calls: [call], inbox: [{ dedupId: "b" }] });
    expect(await store.history(alpha)).toHaveLength(2);
    expect(await store.timers({ after: 0, until: 100 })).toHaveLength(1);
  });

  it("at `acknowledged` leaves the mark", async () =>
    expect(await (await killedAt("acknowledged")).load(alpha)).toMatchObject({ calls: [{ status: "acknowledged" }] }));
});
