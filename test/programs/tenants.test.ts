import { readFileSync, writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { type Tenant, tenantBot } from "../../docs/examples/tenant-bot.ts";
import type { Message, Post } from "../../docs/examples/tenant-posts.ts";
import { silentLogger } from "../../src/index.ts";
import { type ScriptedReply, scriptedModel } from "../../src/model/scripted/scripted-model.ts";
import { sqliteStore } from "../../src/store/sqlite.ts";
import { fileOf, start } from "../docs/examples/process.ts";

/** Refunds what a user names, and passes on what the tool says. */
const refunds: ScriptedReply = ({ prompt }) => {
  const last = prompt.at(-1);
  const said = JSON.stringify(last?.content);
  if (last?.role !== "user") return /NOT executed/.test(said) ? "I may not." : (/\w-\d: \w+/.exec(said)?.[0] ?? said);
  return { calls: [{ name: "refund", args: { order: /[A-Z]-\d/.exec(said)?.[0] } }] };
};

interface Shown extends Message {
  readonly chat: string;
  readonly key: string;
}

const world = () => {
  const file = fileOf();
  const [database, cursorFile] = [file("bot.db"), file("cursor")];
  /** All posts, in order, those under a known key too. */
  const posts: Shown[] = [];
  const post: Post = async (chat, message, key) => void posts.push({ chat, key, ...message });
  const refunded = new Map<string, string>();
  const tenant = (name: string, asksBefore: readonly string[]): [string, Tenant] => [
    name,
    {
      asksBefore,
      async refund(order, key) {
        if (refunded.has(key)) throw new Error(`${key} comes twice`);
        refunded.set(key, `${name} ${order}`);
        if (order === "X-0") throw new Error("the bank is away");
        return `${order}: done`;
      },
    },
  ];
  const tenants = new Map([tenant("acme", ["refund"]), tenant("globex", [])]);
  const bot = async (script: ScriptedReply = refunds) => {
    const store = sqliteStore(database);
    const model = scriptedModel(script, { strict: true });
    const made = await tenantBot({ tenants, post, cursorFile, model, store, logger: silentLogger });
    const stop = async () => {
      await made.stop();
      await store.close();
    };
    return { ...made, model, stop };
  };
  /** What the process of the buttons prints. */
  const press = async (tenant: string, question: string, choice: string, by: string, id: string) => {
    const button = start("tenant-button", database, tenant, question, choice, by, id);
    await button.ended;
    return button.lines.join();
  };
  /** What people see: each key once. */
  const shown = () =>
    posts
      .filter(({ key }, index) => posts.findIndex((other) => other.key === key) === index)
      .map(({ chat, text }) => `${chat}: ${text}`);
  const asked = () => posts.flatMap(({ buttons = [] }) => buttons.slice(0, 1).map(({ question }) => question));
  return { posts, refunded: () => [...refunded.values()], bot, press, shown, asked, cursorFile };
};

const eventually = <T>(look: () => T) => expect.poll(look, { timeout: 60_000, interval: 20 });

describe("a bot for many tenants, whose buttons come back through another process", { timeout: 120_000 }, () => {
  it("refunds once after an approval that came while it was away, and posts each thing once", async () => {
    const { bot, press, shown, asked, refunded } = world();
    const first = await bot();
    expect(await first.hear("acme", "ann", "Refund A-1.", "m-1")).toBe(true);
    expect(await first.hear("acme", "ann", "Refund A-1.", "m-1")).toBe(false);
    await eventually(asked).toHaveLength(1);
    await first.stop();
    const [question = ""] = asked();
    expect(refunded()).toEqual([]);
    expect(await press("acme", question, "approve", "cat", "p-1")).toBe("heard");
    expect(await press("acme", question, "approve", "cat", "p-1")).toBe("was heard before");

    const second = await bot();
    await eventually(shown).toContain("acme/ann: A-1: done");
    expect(await second.hear("acme", "ann", "Refund A-1.", "m-1")).toBe(false);
    expect(await press("acme", question, "deny", "dan", "p-2")).toBe("heard");
    await eventually(shown).toEqual([
      'acme/ann: refund({"order":"A-1"})',
      "acme/ann: cat said: approve",
      "acme/ann: A-1: done",
      "acme/ann: That question is over.",
    ]);
    await second.stop();
    expect(refunded()).toEqual(["acme A-1"]);
  });

  it("executes nothing that was denied, also when the press came while it ran", async () => {
    const { bot, press, shown, asked, refunded } = world();
    const running = await bot();
    await running.hear("acme", "ann", "Refund A-1.", "m-1");
    await eventually(asked).toHaveLength(1);
    expect(await press("acme", asked()[0] ?? "", "deny", "cat", "p-1")).toBe("heard");
    await eventually(shown).toContain("acme/ann: I may not.");
    await running.stop();
    expect(refunded()).toEqual([]);
  });

  it("keeps tenants apart: their policies, their tools, what their models read, and their buttons", async () => {
    const { bot, press, shown, asked, refunded } = world();
    const running = await bot();
    const chats = ["acme/ann", "globex/ben", "acme/eve", "globex/ann"];
    await Promise.all(
      chats.map((chat, index) => {
        const [tenant = "", who = ""] = chat.split("/");
        return running.hear(tenant, who, `Refund ${tenant === "acme" ? "A" : "G"}-${index}.`, "m-1");
      }),
    );
    await eventually(() => [shown().length, asked().length]).toEqual([4, 2]);
    expect(refunded().toSorted()).toEqual(["globex G-1", "globex G-3"]);
    expect(await press("globex", asked()[0] ?? "", "approve", "mallory", "p-1")).toBe("refused");
    await expect(running.hear("initech", "ann", "Refund A-1.", "m-1")).rejects.toThrow("initech is no tenant");
    for (const { prompt } of running.model.requests) {
      const read = JSON.stringify(prompt);
      const [own, other] = read.includes("You serve acme.") ? [/A-[02]/g, /G-\d|globex/] : [/G-[13]/g, /A-\d|acme/];
      expect(read).not.toMatch(other);
      expect(new Set(read.match(own)).size).toBe(1);
    }
    await running.stop();
    expect(refunded()).toHaveLength(2);
  });

  it("posts again under the same keys what it had posted and not noted", async () => {
    const { bot, posts, shown, cursorFile } = world();
    const first = await bot();
    await first.hear("globex", "ben", "Refund G-1.", "m-1");
    await eventually(shown).toEqual(["globex/ben: G-1: done"]);
    await first.stop();
    const noted = Number(readFileSync(cursorFile, "utf8"));
    expect(noted).toBeGreaterThan(0);
    writeFileSync(cursorFile, String(Number(posts[0]?.key) - 1));

    const second = await bot();
    await second.hear("globex", "ben", "Refund G-2.", "m-2");
    await eventually(shown).toEqual(["globex/ben: G-1: done", "globex/ben: G-2: done"]);
    await second.stop();
    expect(posts.map(({ text }) => text)).toEqual(["G-1: done", "G-1: done", "G-2: done"]);
    expect(Number(readFileSync(cursorFile, "utf8"))).toBeGreaterThan(noted);
  });

  it("tells people when it cannot answer, and not when a tool failed that it goes on after", async () => {
    const { bot, shown } = world();
    const running = await bot((request) => {
      const said = JSON.stringify(request.prompt.at(-1)?.content);
      return /Hello/.test(said) ? { error: "fatal" } : /failed/.test(said) ? "The bank is away." : refunds(request);
    });
    await running.hear("globex", "ben", "Refund X-0.", "m-1");
    await eventually(shown).toEqual(["globex/ben: The bank is away."]);
    await running.hear("globex", "ben", "Hello?", "m-2");
    await eventually(shown).toEqual([
      "globex/ben: The bank is away.",
      "globex/ben: I cannot answer now. Write again later.",
    ]);
    await running.stop();
  });
});
