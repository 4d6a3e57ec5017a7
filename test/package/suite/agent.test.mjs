import assert from "node:assert/strict";
import test from "node:test";
import { createSystem, defineTool, silentLogger } from "wakeful";
import { scriptedModel, virtualClock } from "wakeful/testing";
import { z } from "zod";

test("the agent waits for the build, and tells about it", async () => {
  const clock = virtualClock();
  const build = defineTool({
    name: "build",
    description: "Build a branch.",
    inputSchema: z.object({ branch: z.string() }),
    run: ({ branch }) => new Promise((done) => clock.setTimeout(() => done(`${branch} is green`), 600_000)),
  });
  const model = scriptedModel([{ calls: [{ name: "build", args: { branch: "main" } }] }, "It is green."], {
    strict: true,
  });
  const system = await createSystem({ model, clock, tools: [build], logger: silentLogger });
  const thread = await system.open("test");
  const answer = thread.ask("Build main.");
  await clock.advance(0);
  assert.equal(thread.state, "awaitingActiveCall");
  await clock.advance(600_000);
  assert.equal(await answer, "It is green.");
  assert.match(JSON.stringify(model.requests[1]?.prompt), /main is green/);
  await system.stop();
});
