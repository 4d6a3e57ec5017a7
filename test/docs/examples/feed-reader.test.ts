import { appendFileSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { sqliteStore } from "../../../src/store/sqlite.ts";
import { fileOf, start } from "./process.ts";

const questions = ["one", "two", "three", "four", "five"].map((word) => `say ${word}`);

/** What the database has as answers, in order, each with its position. */
const answersIn = async (database: string) => {
  const store = sqliteStore(database);
  const facts = await store.feed({ after: 0, limit: 1_000 });
  await store.close();
  return facts.flatMap((fact) =>
    fact.type === "round.ended" && fact.text !== ""
      ? [{ feed: fact.feed, thread: fact.threadId, text: fact.text }]
      : [],
  );
};
const posted = (file: string) =>
  readFileSync(file, "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));

describe("the feed reader", { timeout: 120_000 }, () => {
  it("posts every answer exactly once, in order, wherever it is killed", async () => {
    const file = fileOf();
    const [database, answers] = [file("agents.db"), file("answers.jsonl")];
    const run = () => start("feed-reader", database, answers, ...questions);

    const first = run();
    await first.line(/^posted one/);
    first.kill("SIGKILL");
    expect(await first.ended).toBe("SIGKILL");

    // As if it had been killed in the middle of a line, within a character of several bytes.
    appendFileSync(answers, Buffer.concat([Buffer.from('{"feed":9,"text":"tw'), Buffer.from("ö").subarray(0, 1)]));
    const second = run();
    await second.line(/^posted three/);
    second.kill("SIGKILL");
    await second.ended;

    const third = run();
    expect(await third.ended).toBe(0);
    expect(posted(answers)).toEqual(await answersIn(database));
    expect(posted(answers).map(({ text }) => text)).toEqual(["one", "two", "three", "four", "five"]);
  });

  it("posts what its process did not come to, when an answer is there and its line is not", async () => {
    const file = fileOf();
    const [database, answers] = [file("agents.db"), file("answers.jsonl")];
    expect(await start("feed-reader", database, file("elsewhere.jsonl"), "say one").ended).toBe(0);
    const reader = start("feed-reader", database, answers);
    expect(await reader.ended).toBe(0);
    expect(reader.lines).toEqual(["posted one"]);
    expect(posted(answers)).toEqual(await answersIn(database));
  });
});
