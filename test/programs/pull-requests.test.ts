import { describe, expect, it } from "vitest";
import { reviewer } from "../../docs/examples/pull-requests.ts";
import { silentLogger } from "../../src/index.ts";
import type { ScriptedReply } from "../../src/model/scripted/scripted-model.ts";
import { scriptedModel } from "../../src/model/scripted/scripted-model.ts";
import { sqliteStore } from "../../src/store/sqlite.ts";
import { fileOf, start } from "../docs/examples/process.ts";
import { lastTold } from "./told.ts";

interface Delivery {
  readonly id: string;
  readonly action: string;
  readonly number?: number;
  readonly text?: string;
}

/** The process that takes deliveries: what it answers, as one line. */
const hooksOn = async (database: string, watches: string) => {
  const hooks = start("pull-request-hooks", database, watches, "0");
  const { port } = JSON.parse((await hooks.line(/^listening on/)).replace("listening on ", ""));
  const post = async (body: unknown): Promise<string> => {
    const headers = { connection: "close" };
    const init = { method: "POST", body: JSON.stringify(body), headers };
    const response = await fetch(`http://127.0.0.1:${port}`, init);
    return `${response.status} ${await response.text()}`;
  };
  const deliver = ({ number = 7, text = "…", ...rest }: Delivery) =>
    post({ repository: "acme/shop", number, text, ...rest });
  return { hooks, post, deliver };
};

/** A reviewer that checks each commit it hears of, and comments on what the checks say. */
const reviews: ScriptedReply = ({ prompt }) => {
  const told = lastTold(prompt);
  const commits = [...told.matchAll(/commit (\w+)/g)].map(([, commit]) => commit);
  const watch = /opened/.test(told) ? [{ name: "watch_pull_request" }] : [];
  const checks = commits.map((commit) => ({ name: "run_checks", args: { commit } }));
  if (watch.length + checks.length > 0) return { calls: [...watch, ...checks] };
  const verdict = /\w+ is (?:green|red)/.exec(told)?.[0];
  return verdict ? { calls: [{ name: "comment", args: { text: `${verdict}.` } }] } : "Done.";
};

const world = () => {
  const file = fileOf();
  const [database, watches] = [file("reviews.db"), file("")];
  const comments = new Map<string, string>();
  const running = new Map<string, PromiseWithResolvers<string>>();
  const signals: AbortSignal[] = [];
  const agent = async (script: ScriptedReply = reviews) => {
    const store = sqliteStore(database);
    const model = scriptedModel(script, { strict: true });
    const forge = {
      watches,
      check: (commit: string, signal: AbortSignal) => {
        signals.push(signal);
        running.set(commit, Promise.withResolvers());
        return running.get(commit)?.promise ?? Promise.reject();
      },
      comment: async (pull: string, text: string, key: string) => void comments.set(key, `${pull}: ${text}`),
    };
    const system = await reviewer(forge, { model, store, logger: silentLogger });
    const stop = async () => {
      await system.stop();
      await store.close();
    };
    return { model, system, stop };
  };
  return { database, watches, running, signals, agent, comments: () => [...comments.values()] };
};

const eventually = <T>(look: () => T) => expect.poll(look, { timeout: 60_000, interval: 20 });

describe("a reviewer of pull requests, told by another process", { timeout: 120_000 }, () => {
  it("has a thread for each pull request, which hears of its own and of no other", async () => {
    const { database, watches, running, agent, comments } = world();
    const [{ deliver }, { system, stop }] = await Promise.all([hooksOn(database, watches), agent()]);
    expect(await deliver({ id: "d-1", action: "opened", number: 7, text: "opened with commit a7" })).toContain("202");
    expect(await deliver({ id: "d-2", action: "opened", number: 8, text: "opened with commit a8" })).toContain("202");
    await eventually(() => [...running.keys()].toSorted()).toEqual(["a7", "a8"]);
    running.get("a8")?.resolve("a8 is red");
    await eventually(comments).toEqual(["acme/shop/pull/8: a8 is red."]);
    running.get("a7")?.resolve("a7 is green");
    await eventually(comments).toEqual(["acme/shop/pull/8: a8 is red.", "acme/shop/pull/7: a7 is green."]);
    const threads = await system.threads();
    expect(threads.map(({ threadId, parent }) => [threadId, parent])).toEqual([
      ["acme/shop/pull/7", null],
      ["acme/shop/pull/8", null],
    ]);
    const history = JSON.stringify(await (await system.thread("acme/shop/pull/7"))?.history());
    expect(history).toContain("a7 is green");
    expect(history).not.toContain("a8");
    await stop();
  });

  it("does not interrupt checks for a push, and looks at it when they have ended, once for two deliveries (R2, R4)", async () => {
    const { database, watches, running, signals, agent, comments } = world();
    const [{ deliver }, { system, model, stop }] = await Promise.all([hooksOn(database, watches), agent()]);
    await deliver({ id: "d-1", action: "opened", text: "opened with commit a" });
    await eventually(() => running.has("a")).toBe(true);
    const push = { id: "d-2", action: "force-pushed", text: "force-pushed to commit b" };
    await eventually(() => deliver(push)).toBe('202 {"new":true}');
    expect(await deliver(push)).toBe('202 {"new":false}');
    const thread = await system.thread("acme/shop/pull/7");
    await eventually(() => thread?.view().deferred.length).toBe(1);
    expect(model.requestCount).toBe(1);
    expect(signals.map(({ aborted }) => aborted)).toEqual([false]);

    running.get("a")?.resolve("a is green");
    await eventually(() => running.has("b")).toBe(true);
    const entries = (await thread?.history())?.map(({ entry }) => entry.kind);
    expect(entries).toEqual(["user", "turn", "result", "result", "event", "turn"]);
    expect(model.requestCount).toBe(2);
    expect(signals.map(({ aborted }) => aborted)).toEqual([false, false]);
    running.get("b")?.resolve("b is red");
    await eventually(comments).toEqual(["acme/shop/pull/7: b is red."]);
    await stop();
  });

  it("keeps what is delivered while the agent is away, and asks for what nobody would hear to be delivered again (R1)", async () => {
    const { database, watches, running, agent, comments } = world();
    const { hooks, deliver } = await hooksOn(database, watches);
    expect(await deliver({ id: "d-1", action: "opened", text: "opened with commit a" })).toBe('202 {"new":true}');
    const push = { id: "d-2", action: "pushed", text: "pushed commit b" };
    expect(await deliver(push)).toMatch(/^503 Nobody listens yet/);
    expect(await deliver({ id: "d-1", action: "opened", text: "opened with commit a" })).toBe('202 {"new":false}');

    const first = await agent();
    await eventually(() => deliver(push)).toBe('202 {"new":true}');
    await first.stop();
    // The process that takes deliveries dies as well; its source delivers once more what it had no answer to.
    hooks.kill("SIGKILL");
    await hooks.ended;
    const { deliver: deliverAgain } = await hooksOn(database, watches);
    expect(await deliverAgain(push)).toBe('202 {"new":false}');

    running.clear();
    const second = await agent();
    await eventually(() => running.has("a")).toBe(true);
    running.get("a")?.resolve("a is green");
    await eventually(() => running.has("b")).toBe(true);
    running.get("b")?.resolve("b is green");
    await eventually(comments).toEqual(["acme/shop/pull/7: b is green."]);
    await second.stop();
  });

  it("hears the end last; what comes behind it is discarded with a reason, and a second end is dropped", async () => {
    const { database, watches, running, agent } = world();
    const [{ deliver, post }, { system, stop }] = await Promise.all([hooksOn(database, watches), agent()]);
    await deliver({ id: "d-1", action: "opened", text: "opened with commit a" });
    await eventually(() => running.has("a")).toBe(true);
    running.get("a")?.resolve("a is green");
    const thread = await system.thread("acme/shop/pull/7");
    await eventually(() => thread?.state).toBe("subscribed");
    expect(await deliver({ id: "d-2", action: "closed", text: "merged" })).toBe('202 {"new":true}');
    expect(await deliver({ id: "d-3", action: "pushed", text: "pushed commit b" })).toBe('202 {"new":true}');
    expect(await deliver({ id: "d-2", action: "closed", text: "merged" })).toBe('202 {"new":false}');
    for await (const fact of system.feed({ where: { types: ["input.discarded"] } })) {
      expect(fact).toMatchObject({
        dedupId: "d-3",
        reason: expect.stringMatching(/unknown-source|subscription-ended/),
      });
      break;
    }
    await eventually(() => thread?.state).toBe("idle");
    expect([...running.keys()]).toEqual(["a"]);
    expect(await post({ id: "d-4", action: "exploded" })).toMatch(/^400 /);
    await stop();
  });
});
