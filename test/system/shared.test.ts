import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createSender, createSystem, LeaseHeldError, type System, silentLogger } from "../../src/index.ts";
import { type Script, scriptedModel } from "../../src/model/scripted/scripted-model.ts";
import { sqliteStore } from "../../src/store/sqlite.ts";
import { virtualClock } from "../support/virtual-clock.ts";

let folder = "";
const closing: (() => Promise<unknown>)[] = [];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "wakeful-shared-"));
});
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
  rmSync(folder, { recursive: true });
});

const store = () => {
  const opened = sqliteStore(join(folder, "a.db"), { synchronous: "normal" });
  closing.push(() => opened.close());
  return opened;
};

const start = async (script: Script, clock = virtualClock()): Promise<System> => {
  const system = await createSystem({ model: scriptedModel(script), store: store(), clock, logger: silentLogger });
  closing.push(() => system.stop());
  return system;
};

const text = (words: string) => ({ threadId: "t", dedupId: words, input: { kind: "text", text: words } });

describe("a store on disk", () => {
  it("is run by one system at a time; the second is told who has it, and may have it after (R8)", async () => {
    const first = await start(["one"]);
    await (await first.open("t")).ask("hi");
    await expect(start([])).rejects.toThrow(LeaseHeldError);
    await expect(start([])).rejects.toThrow(/run by process \d+/);
    await first.stop();
    const next = await start(["two"]);
    const thread = await next.open("t");
    expect(await thread.history()).toHaveLength(2);
    expect(await thread.ask("again")).toBe("two");
  });

  it("is taken over when its lease ran out, and the old one says nothing more (R8)", async () => {
    const clock = virtualClock();
    const first = await start(["one"], clock);
    const thread = await first.open("t");
    await thread.ask("hi");
    const later = virtualClock(60_000);
    const next = await start(["two"], later);
    await clock.advance(6_000);
    await expect(thread.send("more")).rejects.toThrow(/stopped/);
    expect(await (await next.open("t")).ask("again")).toBe("two");
  });

  it("takes inputs from other processes, which the running system notices (R1)", async () => {
    const clock = virtualClock();
    const system = await start(["one", "two"], clock);
    const thread = await system.open("t");
    await thread.ask("hi");
    const elsewhere = createSender(store());
    expect(await elsewhere.send(text("from outside"))).toBe(true);
    await clock.advance(250);
    expect((await thread.history()).map(({ entry }) => entry.kind)).toEqual(["user", "turn", "user", "turn"]);
    expect(await elsewhere.send(text("from outside"))).toBe(false);
    await elsewhere.stop();
  });

  it("reads what another process sent before what was accepted behind it, without waiting for the next look (R3)", async () => {
    const system = await start(["hello", "read"]);
    const thread = await system.open("t");
    await thread.ask("hi");
    const elsewhere = createSender(store());
    await elsewhere.send(text("first"));
    await thread.ask("second");
    const read = (await thread.history()).flatMap(({ entry }) => (entry.kind === "user" ? [entry.text] : []));
    expect(read).toEqual(["hi", "first", "second"]);
    await elsewhere.stop();
  });

  it("keeps what was accepted while no system ran, and the next takes it up", async () => {
    const first = await start(["one"]);
    await (await first.open("t")).ask("hi");
    await first.stop();
    await createSender(store()).send(text("meanwhile"));
    const next = await start(["two"]);
    const thread = await next.open("t");
    await thread.atRest();
    expect((await thread.history()).at(-1)?.entry).toMatchObject({ kind: "turn", parts: [{ text: "two" }] });
  });
});
