import { appendFileSync, existsSync, readFileSync, truncateSync } from "node:fs";
import { demoModel } from "wakeful";
import { sqliteStore } from "wakeful/sqlite";
import { createWhenFree } from "./when-free.ts";

const [database = ":memory:", answers = "answers.jsonl", ...questions] = process.argv.slice(2);

/**
 * Where to go on: behind the last answer in the file. A line that has no end was cut off by a crash. It is taken out, and
 * its answer is read from the feed again.
 */
const cursorIn = (file: string): number => {
  if (!existsSync(file)) return 0;
  const text = readFileSync(file, "utf8");
  const whole = text.slice(0, text.lastIndexOf("\n") + 1);
  if (whole !== text) truncateSync(file, Buffer.byteLength(whole));
  const last = whole.trimEnd().split("\n").at(-1);
  return last ? JSON.parse(last).feed : 0;
};

/** The answer and the cursor are one line, written in one step: neither can be there without the other. */
const post = (answer: { readonly feed: number; readonly thread: string; readonly text: string }): void => {
  appendFileSync(answers, `${JSON.stringify(answer)}\n`, { flush: true });
  console.log(`posted ${answer.text}`);
};

const store = sqliteStore(database);
// A short lease: whoever kills this program need not wait long for the next one.
const system = await createWhenFree({ model: demoModel(), store, limits: { lease: 1_000 } });
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => system.stop());

const ask = async () => {
  const thread = await system.open("shop/questions");
  for (const [index, question] of questions.entries()) {
    await thread.send(question, { id: `question-${index}` });
    await thread.atRest();
  }
  await system.stop();
};
const asking = ask();

for await (const fact of system.feed({ after: cursorIn(answers), where: { types: ["round.ended"] } }))
  if (fact.text !== "") post({ feed: fact.feed, thread: fact.threadId, text: fact.text });

await asking;
await store.close();
