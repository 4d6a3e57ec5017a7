import { expect, it } from "vitest";
import { z } from "zod";
import { defineTool } from "../../src/index.ts";
import { call, calls, childrenOf, plant, resultsOf, spawn } from "./tree.ts";

it("a tool that is given to `launch` reaches every thread below, those for events too, and no other root", async () => {
  const secret = defineTool({
    name: "secret",
    description: "Is given to one thread.",
    inputSchema: z.object({}),
    inline: (__, { threadStack }) => `of ${threadStack.length}`,
  });
  const watch = defineTool({
    name: "watch",
    description: "Watches.",
    inputSchema: z.object({}),
    subscribe: () => ({
      started: "watching",
      events: (async function* () {
        yield { text: "tick", final: true };
      })(),
    }),
  });
  const tree = await plant(({ id, stack, nth, last }) => {
    if (last.includes("tick")) return calls(call("secret"));
    if (stack.length === 3) return nth === 1 ? calls(call("secret")) : "ok";
    if (id) return nth === 1 ? calls(call("secret"), spawn("use it too", stack)) : "ok";
    if (last.includes("other")) return calls(call("secret"));
    return nth === 1 ? calls(call("watch")) : last.includes("go on") ? calls(spawn("use it", [first])) : "ok";
  });
  const launched = await tree.system.launch({ tools: [secret, watch] });
  const first: string = launched.id;
  await launched.send("go");
  await launched.atRest({ tree: true });
  await launched.send("go on");
  await launched.atRest({ tree: true });
  const heard: string[] = [];
  for (const { threadId } of await tree.system.threads())
    heard.push(...(await resultsOf(tree, threadId)).filter((text) => /sync: of|unknown_tool/.test(text)));
  expect(heard.sort()).toEqual(["sync: of 2", "sync: of 2", "sync: of 3"]);
  await tree.root.send("other");
  await tree.root.atRest();
  expect(await resultsOf(tree, "root")).toEqual([expect.stringMatching(/^unknown_tool/)]);
  expect(await childrenOf(tree)).toEqual([]);
});
