import { spawn } from "node:child_process";
import { once } from "node:events";
import { createRequire } from "node:module";
import type { AddressInfo } from "node:net";
import { createInspector, type StatelyInspectionEvent } from "@statelyai/inspect";
import { afterEach, describe, expect, it } from "vitest";
import { scriptedModel } from "../../src/model/scripted/scripted-model.ts";
import { systemWith } from "../support/system/started.ts";

/** What is used of the package `ws`, in the version that Stately's inspector speaks through. */
interface Server {
  address(): AddressInfo;
  on(event: "listening", then: () => void): void;
  on(event: "connection", then: (socket: { on(event: "message", then: (data: Buffer) => void): void }) => void): void;
  close(): void;
  readonly clients: Iterable<{ terminate(): void }>;
}
const require = createRequire(import.meta.resolve("@statelyai/inspect"));
const { WebSocketServer } = require("ws") as {
  WebSocketServer: new (options: { readonly host: string; readonly port: number }) => Server;
};

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) {
    for (const client of server.clients) client.terminate();
    server.close();
  }
});

/** A server on loopback as Stately's page would have one, and what it is sent. */
const listening = async () => {
  const server = new WebSocketServer({ host: "127.0.0.1", port: 0 });
  servers.push(server);
  const received: StatelyInspectionEvent[] = [];
  server.on("connection", (socket) => socket.on("message", (data) => received.push(JSON.parse(data.toString()))));
  await new Promise<void>((resolve) => server.on("listening", resolve));
  return { url: `ws://127.0.0.1:${server.address().port}`, received };
};

const states = (events: readonly StatelyInspectionEvent[], sessionId: string | undefined) =>
  events.flatMap((event) =>
    event.type === "@xstate.snapshot" && event.sessionId === sessionId
      ? [(event.snapshot as { value?: unknown }).value]
      : [],
  );
const threadOf = (events: readonly StatelyInspectionEvent[]) =>
  events.find((event) => event.type === "@xstate.actor" && event.name === "thread");

describe("Stately's inspector", () => {
  it("is told over a socket, by the example, of a thread's chart, its states, and the actors it invokes", async () => {
    const { url, received } = await listening();
    const example = spawn(process.execPath, ["--conditions=wakeful-source", "docs/examples/stately.ts", url], {
      cwd: new URL("../../", import.meta.url),
      stdio: ["ignore", "inherit", "inherit"],
    });
    const ended = once(example, "exit");
    try {
      const rests = () => states(received, threadOf(received)?.sessionId).at(-1) === "idle";
      await expect.poll(rests, { timeout: 60_000, interval: 5 }).toBe(true);
    } finally {
      example.kill("SIGTERM");
    }
    expect(await ended).toEqual([0, null]);
    const actor = threadOf(received);
    const { definition } = actor as { definition: string };
    expect(Object.keys(JSON.parse(definition).states)).toContain("awaitingActiveCall");
    expect(states(received, actor?.sessionId)).toContainEqual({ running: { completing: "open" } });
    const names = received.flatMap((event) => (event.type === "@xstate.actor" ? [event.name] : []));
    expect(names).toEqual(expect.arrayContaining(["thread", "round", "commit"]));
  }, 90_000);

  it("can be attached to threads that run, and taken off again", async () => {
    const received: StatelyInspectionEvent[] = [];
    const inspector = createInspector({ send: (event) => void received.push(event) });
    const system = await systemWith({ model: scriptedModel(["one", "two", "three"]) });
    const thread = await system.open("a");
    await thread.ask("hi");
    const leave = system.inspect(inspector.inspect);
    await expect
      .poll(() => threadOf(received), { interval: 1, timeout: 20_000 })
      .toMatchObject({ snapshot: { value: "idle" } });
    await thread.ask("hi");
    const rests = () => states(received, threadOf(received)?.sessionId).at(-1);
    await expect.poll(rests, { timeout: 20_000, interval: 5 }).toBe("idle");
    leave();
  });
});
