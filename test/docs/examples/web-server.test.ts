import { describe, expect, it } from "vitest";
import { fileOf, type Running, start } from "./process.ts";

const serve = async (database: string): Promise<Running & { readonly url: string }> => {
  const server = start("web-server", database, "0");
  const port = /\d+/.exec(await server.line(/^listening on/))?.[0];
  return { ...server, url: `http://127.0.0.1:${port}/threads` };
};

/** The updates that a server sends, until it ends them. */
async function* updatesOf(response: Response) {
  const decoder = new TextDecoder();
  let text = "";
  for await (const piece of response.body ?? []) {
    text += decoder.decode(piece, { stream: true });
    const events = text.split("\n\n");
    text = events.pop() ?? "";
    for (const event of events) yield JSON.parse(event.replace("data: ", ""));
  }
}

describe("the web server", { timeout: 120_000 }, () => {
  it("accepts a text once, shows what follows, and stops when it is told to", async () => {
    const server = await serve(fileOf()("web.db"));
    const post = () =>
      fetch(`${server.url}/shop/42`, { method: "POST", body: "say hello", headers: { "idempotency-key": "k1" } });
    const updates = updatesOf(await fetch(`${server.url}/shop/42`));
    const accepted = await post();
    expect([accepted.status, await accepted.json()]).toEqual([202, { new: true }]);
    expect(await (await post()).json()).toEqual({ new: false });
    const said: string[] = [];
    for await (const update of updates) {
      if (update.type === "round.ended") said.push(update.text);
      if (update.type === "slice.ended") break;
    }
    expect(said).toEqual(["hello"]);

    server.kill("SIGTERM");
    expect(await server.ended).toBe(0);
  });

  it("ends the updates of who still watches when it stops", async () => {
    const server = await serve(fileOf()("web.db"));
    const updates = updatesOf(await fetch(`${server.url}/shop/42`));
    const first = updates.next();
    server.kill("SIGTERM");
    expect((await first).done).toBe(true);
    expect(await server.ended).toBe(0);
  });

  it("says what is wrong with a request", async () => {
    const server = await serve(fileOf()("web.db"));
    const blank = await fetch(`${server.url}/shop/42`, { method: "POST", body: " " });
    expect([blank.status, await blank.text()]).toEqual([400, expect.stringContaining("shop/42")]);
    const odd = await fetch(`${server.url}/a%20b`, { method: "POST", body: "hello" });
    expect([odd.status, await odd.text()]).toEqual([400, expect.stringContaining("no thread id")]);
    server.kill("SIGTERM");
    expect(await server.ended).toBe(0);
  });
});
