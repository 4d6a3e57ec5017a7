import { once } from "node:events";
import type { AddressInfo } from "node:net";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { serverless } from "../../../docs/examples/serverless-http.ts";
import { consume, type Message, type Queue } from "../../../docs/examples/serverless-queue.ts";
import { memoryStore, silentLogger, textFor } from "../../../src/index.ts";
import { type Script, scriptedModel } from "../../../src/model/scripted/scripted-model.ts";
import { calls, look, systemWith } from "../../support/system/started.ts";
import { virtualClock } from "../../support/virtual-clock.ts";

const serve = async (script: Script) => {
  const back: (readonly [string, number])[] = [];
  const options = { model: scriptedModel(script), tools: [look], logger: silentLogger, clock: virtualClock(5_000) };
  const server = await serverless(options, (threadId, at) => void back.push([threadId, at]));
  await once(server.listen(0), "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const headers = { connection: "close" };
  const post = async (body: unknown) => {
    const response = await fetch(url, { method: "POST", body: JSON.stringify(body), headers });
    return [response.status, await response.text()] as const;
  };
  const get = async (id: string) => (await fetch(`${url}/${id}`, { headers })).json() as Promise<{ kind: string }[]>;
  const end = async () => {
    server.close();
    await once(server, "close");
  };
  return { post, get, back, end };
};

describe("the web server without a process that stays", () => {
  it("runs a slice for each post, and has brought back what goes on", async () => {
    const { post, get, back, end } = await serve([
      calls("look", { at: "it" }),
      calls("sleep", { seconds: 60 }),
      "done",
    ]);
    expect(await post([textFor("shop/1", "look at it", { id: "m1" })])).toEqual([
      200,
      '[{"threadId":"shop/1","outcome":"completed","state":"awaitingActiveCall","more":false}]',
    ]);
    expect(back).toEqual([["shop/1", 0]]);
    await post([{ threadId: "shop/1" }]);
    expect(back.at(-1)).toEqual(["shop/1", 65_000]);
    await post([textFor("shop/1", "never mind", { id: "m2" }), textFor("shop/1", "never mind", { id: "m2" })]);
    const kinds = (await get("shop/1")).map(({ kind }) => kind);
    expect(kinds).toEqual(["user", "turn", "result", "turn", "result", "user", "turn"]);
    await end();
  });

  it("says what is wrong with an envelope", async () => {
    const { post, end } = await serve([]);
    expect(await post([{ dedupId: "m1", input: { kind: "text", text: "whose?" } }])).toEqual([
      400,
      expect.stringContaining("no thread id"),
    ]);
    expect(await post([{ threadId: "shop/1" }])).toEqual([200, expect.stringContaining("no such thread")]);
    await end();
  });
});

/** Delivers in the order it is told, and what `twice` names a second time. */
const queueOf = (messages: readonly Message[], pick: (length: number) => number): Queue => {
  const waiting = [...messages];
  return {
    async receive() {
      const [message] = waiting.splice(pick(waiting.length), 1);
      return message ? [{ message, acknowledge: async () => {} }] : [];
    },
    async send(message, at = 0) {
      if (at === 0) waiting.push(message);
    },
  };
};

describe("the queue without a process that stays", () => {
  it("has each input in one history once, whatever comes twice and in whatever order across threads (R1, R2, R3)", async () => {
    await fc.assert(
      fc.asyncProperty(fc.infiniteStream(fc.nat()), fc.infiniteStream(fc.nat(2)), async (picks, copies) => {
        const store = memoryStore();
        const workers = await Promise.all(
          [1, 2].map(() =>
            systemWith({ model: scriptedModel(() => "ok"), store, resident: false, clock: virtualClock() }),
          ),
        );
        const texts = ["a", "b"].flatMap((id) => [1, 2].map((n) => textFor(id, `${id}${n}`, { id: `${id}${n}` })));
        const messages = texts.flatMap((text) =>
          Array.from({ length: 1 + copies.next().value }, () => text as Message),
        );
        for (const id of ["a", "b"]) await workers[0]?.open(id);
        const queue = queueOf(messages, (length) => (length === 0 ? 0 : picks.next().value % length));
        await Promise.all(workers.map((worker) => consume(worker, queue)));
        for (const worker of workers) await consume(worker, queue);
        for (const id of ["a", "b"]) {
          const entries = (await (await workers[0]?.thread(id))?.history()) ?? [];
          const said = entries.flatMap(({ entry }) => (entry.kind === "user" ? entry.text : []));
          expect(new Set(said).size).toBe(2);
          expect(said).toHaveLength(2);
        }
      }),
      { numRuns: 30 },
    );
  }, 60_000);
});
