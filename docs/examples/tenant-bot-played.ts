import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { sqliteStore } from "wakeful/sqlite";
import { scriptedModel } from "wakeful/testing";
import { tenantBot } from "./tenant-bot.ts";
import type { Message, Post } from "./tenant-posts.ts";

const folder = mkdtempSync(join(tmpdir(), "wakeful-"));
const database = join(folder, "bot.db");

// In place of a chat: it shows each message once, whatever the bot posts again.
const keys = new Set<string>();
const shown: (Message & { chat: string })[] = [];
let look = (): void => {};
const post: Post = async (chat, message, key) => {
  if (keys.has(key)) return;
  keys.add(key);
  shown.push({ chat, ...message });
  const buttons = message.buttons?.map(({ choice }) => `[${choice}]`) ?? [];
  console.log([`${chat}:`, message.text, ...buttons].join(" "));
  look();
};
/** Resolves when there is a message that matches. */
const message = (pattern: RegExp): Promise<void> =>
  new Promise((resolve) => {
    look = () => shown.some(({ text }) => pattern.test(text)) && resolve();
    look();
  });

// In place of a model: it refunds what it reads of, then says so.
const model = scriptedModel(({ prompt }) => {
  const last = prompt.at(-1);
  const order = /[A-Z]-\d/.exec(JSON.stringify(last?.content))?.[0];
  return last?.role === "user" ? { calls: [{ name: "refund", args: { order } }] } : `${order} is refunded.`;
});
const refund = async (order: string) => `${order}: done`;
const tenants = new Map([
  ["acme", { asksBefore: ["refund"], refund }],
  ["globex", { asksBefore: [], refund }],
]);
const start = async () => {
  const store = sqliteStore(database);
  const bot = await tenantBot({ tenants, post, cursorFile: join(folder, "cursor"), model, store });
  const stop = async () => {
    await bot.stop();
    await store.close();
  };
  return { hear: bot.hear, stop };
};

/** A process of its own hears of a button that was pressed. */
const press = (choice: string, by: string, id: string): void => {
  const [button] = shown.flatMap(({ buttons = [] }) => buttons.filter((each) => each.choice === choice));
  const program = fileURLToPath(import.meta.resolve("./tenant-button.ts"));
  const args = [program, database, "acme", button?.question ?? "", choice, by, id];
  console.log(`> ${by} presses ${choice}:`, execFileSync(process.execPath, args, { encoding: "utf8" }).trim());
};

const bot = await start();
console.log("> ben of globex: new?", await bot.hear("globex", "ben", "Refund G-7, please.", "m-1"));
await message(/G-7 is refunded/);
console.log("> ann of acme: new?", await bot.hear("acme", "ann", "Refund A-1, please.", "m-2"));
await message(/^refund/);
await bot.stop();

console.log("> the bot is away");
press("approve", "cat", "p-1");
press("approve", "cat", "p-1");

console.log("> the bot is back");
const next = await start();
await message(/A-1 is refunded/);
console.log("> ann of acme: new?", await next.hear("acme", "ann", "Refund A-1, please.", "m-2"));
press("deny", "dan", "p-2");
await message(/over/);
await next.stop();
rmSync(folder, { recursive: true });
