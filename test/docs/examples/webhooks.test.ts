import { describe, expect, it } from "vitest";
import { fileOf, type Running, start } from "./process.ts";

const serve = async (files: readonly string[]) => {
  const source = start("webhook-source", ...files, "0");
  const port = /\d+/.exec(await source.line(/^listening on/))?.[0];
  const post = async (id: string, body: string, kind = "push") => {
    const headers = { "x-delivery": id, "x-event": kind, connection: "close" };
    const response = await fetch(`http://127.0.0.1:${port}/shop`, { method: "POST", body, headers });
    return [response.status, await response.text()] as const;
  };
  return { source, post };
};
const ended = async (process: Running) => {
  process.kill("SIGTERM");
  expect(await process.ended).toBe(0);
};

describe("a source of webhooks and an agent, each a process", { timeout: 120_000 }, () => {
  it("have each delivery handled once, in a child that reports, also when the agent was away", async () => {
    const file = fileOf();
    const files = [file("team.db"), file("subscribers.jsonl")];
    const [agent, { source, post }] = await Promise.all([
      start("webhook-agent", ...files, 'call watch_repository {"repository":"shop"}'),
      serve(files),
    ]);
    await agent.line(/^agent: \[subscribed\]/);
    expect(await post("d-1", "main is at 1a2b")).toEqual([202, '{"heard":1}']);
    expect(await post("d-1", "main is at 1a2b")).toEqual([202, '{"heard":0}']);
    expect(await agent.line(/^agent: .*1a2b/)).toBe("agent: watch_repository reports: main is at 1a2b.");
    expect(agent.lines.filter((line) => line.startsWith("child:"))).toEqual([
      "child: watch_repository reports: main is at 1a2b.",
      "child: [closed]",
    ]);
    await ended(agent);

    expect(await post("d-2", "main is at 3c4d")).toEqual([202, '{"heard":1}']);
    const next = start("webhook-agent", ...files);
    expect(await next.line(/^agent: .*3c4d/)).toBe("agent: watch_repository reports: main is at 3c4d.");
    await next.line(/^ready/);
    expect(await post("d-3", "shop is gone", "deleted")).toEqual([202, '{"heard":1}']);
    await next.line(/^agent: \[idle\]/);
    expect(await post("d-4", "main is at 5e6f")).toEqual([202, '{"heard":1}']);
    await next.line(/^agent: discarded, unknown-source/);
    await ended(next);
    await ended(source);
  });

  it("takes no delivery without an id", async () => {
    const file = fileOf();
    const { source } = await serve([file("team.db"), file("subscribers.jsonl")]);
    const port = /\d+/.exec(source.lines[0] ?? "")?.[0];
    const headers = { connection: "close" };
    expect((await fetch(`http://127.0.0.1:${port}/shop`, { method: "POST", body: "x", headers })).status).toBe(400);
    await ended(source);
  });
});
