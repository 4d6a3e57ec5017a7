import { createSystem } from "wakeful";
import { scriptedModel } from "wakeful/testing";

const heard = Promise.withResolvers<void>();
const instructions = "Test the parser, and report.";
const spawn = (child_of: string[]) => ({ calls: [{ name: "spawn_thread", args: { instructions, child_of } }] });

// Stands for a model: the parent's answers in order, and what a child says when it has read who it is.
const ofParent = [spawn([]), spawn(["acme/split"]), "The parser is being tested.", "All done: 318 tests passed."];
const model = scriptedModel(({ prompt }) => {
  const childId = /Your thread id is (\S+)\./.exec(JSON.stringify(prompt))?.[1];
  if (childId !== undefined)
    return { calls: [{ name: "close_thread", args: { thread_id: childId, report_to_parent: "318 tests passed." } }] };
  if (ofParent.length === 1) heard.resolve();
  return ofParent.shift();
});

const system = await createSystem({ model });
const parent = await system.open("acme/split");
await parent.send("Test everything.");
await heard.promise;
await parent.atRest();

const threads = await system.threads();
const parentFirst = threads.toSorted((a, b) => Number(a.parent !== null) - Number(b.parent !== null));
for (const { threadId, state } of parentFirst) {
  const thread = await system.thread(threadId);
  const history = (await thread?.history()) ?? [];
  const texts = history.flatMap(({ entry }) => {
    if (entry.kind === "result") return entry.content.map((item) => `${entry.origin}: ${"text" in item && item.text}`);
    return entry.kind === "event" ? [`event: ${entry.text}`] : [];
  });
  // A child has an id that the runtime made.
  const name = (text: string) => text.replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}\.\d+/g, "CHILD");
  console.log(`${name([`${threadId} (${state})`, ...texts].join("\n\n"))}\n`);
}

await system.stop();
