import { describe, expect, it } from "vitest";
import { createSystem, memoryStore, type Store, StoreCorruptError, silentLogger } from "../../src/index.ts";
import { type Script, scriptedModel } from "../../src/model/scripted/scripted-model.ts";
import { settle, virtualClock } from "../../src/testing/virtual-clock.ts";

/** A store that says of the next commits, so many times, that another writer was faster: their thread's actor is lost. */
const losing = (store: Store = memoryStore()) => {
  let times = 0;
  let broken = false;
  const lossy: Store = {
    ...store,
    async load(threadId) {
      if (broken) throw new StoreCorruptError("memory", { what: "the record", threadId }, "it cannot be read");
      return store.load(threadId);
    },
    async commit(commit, at) {
      if (times === 0) return store.commit(commit, at);
      times--;
      return { status: "stale", version: commit.expectedVersion };
    },
  };
  const lose = (count = 1) => {
    times = count;
  };
  const breakDown = () => {
    broken = true;
  };
  return { store: lossy, lose, breakDown };
};

const start = async (script: Script) => {
  const { store, lose, breakDown } = losing();
  const clock = virtualClock();
  const system = await createSystem({
    model: scriptedModel(script, { strict: true }),
    store,
    clock,
    logger: silentLogger,
  });
  return { system, clock, lose, breakDown, thread: await system.open("t") };
};

describe("the face of a thread whose actor was lost", () => {
  it("comes to rest with the one that is loaded anew", async () => {
    const { system, clock, lose, thread } = await start(["never kept", "hello"]);
    lose();
    await thread.send("hi");
    const resting = thread.atRest();
    await settle();
    expect(thread.state).toBe("running");
    await clock.advance(1_000);
    expect(await resting).toBe("idle");
    expect(thread.state).toBe("idle");
    await system.stop();
  });

  it("closes with the one that is loaded anew, for who asked before and for who asks afterwards", async () => {
    const { system, clock, lose, thread } = await start([]);
    lose();
    await thread.close();
    const states: string[] = [];
    const resting = thread.atRest({ tree: true });
    thread.state$.subscribe((state) => states.push(state));
    await settle();
    await clock.advance(1_000);
    expect(await resting).toBe("closed");
    expect(thread.state).toBe("closed");
    expect(await thread.atRest()).toBe("closed");
    expect(states.at(-1)).toBe("closed");
    await system.stop();
  });

  it("is not at rest before that one is there, whatever the lost one rested in", async () => {
    const { system, clock, lose, thread } = await start(["hello"]);
    lose();
    // Beside a slice: discarded, and the actor that says so rests.
    await system.deliver({
      threadId: "t",
      dedupId: "1",
      input: { kind: "result", callId: "t#0.0", content: [{ type: "text", text: "of nothing" }] },
    });
    await settle();
    let rested: string | undefined;
    const resting = thread.atRest().then((state) => {
      rested = state;
    });
    await settle();
    expect(rested).toBeUndefined();
    await clock.advance(1_000);
    await resting;
    expect(rested).toBe("idle");
    await system.stop();
  });

  it("does not wait for one that can never be loaded", async () => {
    const { system, clock, lose, breakDown, thread } = await start(["never kept"]);
    lose();
    await thread.send("hi");
    const refused = expect(thread.atRest()).rejects.toMatchObject({ code: "STORE_CORRUPT" });
    await settle();
    breakDown();
    await clock.advance(1_000);
    await refused;
    await system.stop();
  });

  it("says that the system has stopped when that comes first", async () => {
    const { system, lose, thread } = await start(["never kept"]);
    lose();
    await thread.send("hi");
    await settle();
    const resting = thread.atRest();
    const refused = expect(resting).rejects.toMatchObject({ code: "SYSTEM_STOPPED" });
    await system.stop();
    await refused;
  });
});
