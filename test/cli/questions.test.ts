import { describe, expect, it } from "vitest";
import { z } from "zod";
import { chat } from "../../src/cli/chat/chat.ts";
import { realParts } from "../../src/cli/run/parts.ts";
import { meantBy, offered } from "../../src/cli/run/questions.ts";
import { run } from "../../src/cli/run/run.ts";
import { type Script, scriptedModel } from "../../src/model/scripted/scripted-model.ts";
import { createSystem } from "../../src/system/create.ts";
import { defineTool } from "../../src/tool/define.ts";
import { settle, virtualClock } from "../support/virtual-clock.ts";
import { fakeScreen } from "./chat/fake-screen.ts";
import { fakeIo } from "./fake-io.ts";

const approval = { kind: "approval" as const, choices: ["approve", "always approve", "deny"] };
const question = { kind: "ask" as const, choices: ["test", "live", "Lisbon"] };

describe("what somebody means who types a line while a question is open", () => {
  it.each([
    ["approve", 0],
    ["APPROVE", 0],
    ["ap", 0],
    ["y", 0],
    ["yes", 0],
    ["al", 1],
    ["2", 1],
    ["no", 2],
    ["n", 2],
    ["3", 2],
  ])("%s is an answer", (line, index) => expect(meantBy(line, approval)).toEqual({ index }));

  it("may have a reason behind a colon", () =>
    expect(meantBy(" deny : not on a Friday: ever ", approval)).toEqual({ index: 2, reason: "not on a Friday: ever" }));

  it.each(["", "  ", "a", "0", "4", "why?", "approve it all", "yes please", ": because"])(
    "%j is none: it is a text like any other",
    (line) => expect(meantBy(line, approval)).toBeUndefined(),
  );

  it("takes no yes for a question that does not offer it, and no start of two choices", () => {
    expect(meantBy("yes", question)).toBeUndefined();
    expect(meantBy("li", question)).toBeUndefined();
    expect(meantBy("liv", question)).toEqual({ index: 1 });
  });

  it("is told what there is, in numbers from 1", () =>
    expect(offered({ ...approval, default: 2 })).toBe("1 approve · 2 always approve · 3 deny (default)"));
});

const removed: string[] = [];
const remove = defineTool({
  name: "remove",
  description: "Removes.",
  inputSchema: z.object({ path: z.string() }),
  needsApproval: true,
  display: ({ path }) => `Remove ${path}`,
  run: ({ path }) => {
    removed.push(path);
    return `removed ${path}`;
  },
});
const asking = defineTool({
  name: "deploy",
  description: "Deploys.",
  inputSchema: z.object({}),
  run: async (_, call) => (await call.ask({ prompt: "Where to?", choices: ["test", "live"], default: "live" })).choice,
});
const calling = (name: string, args = {}) => ({ calls: [{ name, args }] });
const partsWith = (script: Script, clock = virtualClock(1_000)) => ({
  ...realParts,
  clock,
  createSystem: (options: Parameters<typeof createSystem>[0]) =>
    createSystem({ ...options, tools: [...(options.tools ?? []), remove, asking], clock }),
  chooseModel: async () => ({ model: scriptedModel(script), isDemo: false }),
});

describe("a chat that is asked", () => {
  it("asks in place: a denial with its reason, then an approval", async () => {
    removed.length = 0;
    const world = fakeScreen({ columns: 80, env: { NO_COLOR: "1" } });
    const script = [calling("remove", { path: "/a" }), calling("remove", { path: "/a" }), "Done."];
    const code = chat({ tools: [], json: false }, world.io, partsWith(script));
    const type = async (keys: string) => {
      world.stdin.write(keys);
      await settle(40);
    };
    while (!world.screen.text.endsWith(">")) await settle();
    await type("clean up\r");
    expect(world.screen.text).toContain("? Remove /a\n  1 approve · 2 always approve · 3 deny (default)");
    await type("no: not on a Friday\r");
    expect(removed).toEqual([]);
    await type("y\r");
    expect(removed).toEqual(["/a"]);
    expect(world.screen.text).toContain("not on a Friday");
    expect(world.screen.text).toContain("Done.");
    expect(world.screen.text).not.toContain("interrupted");
    await type("\u0004");
    expect(await code).toBe(0);
  });

  it("takes any other text as one that interrupts, and does what waits for approval not", async () => {
    removed.length = 0;
    const world = fakeScreen({ columns: 80, env: { NO_COLOR: "1" } });
    const code = chat(
      { tools: [], json: false },
      world.io,
      partsWith([calling("remove", { path: "/b" }), "As you like."]),
    );
    while (!world.screen.text.endsWith(">")) await settle();
    for (const keys of ["clean up\r", "leave it\r"]) {
      world.stdin.write(keys);
      await settle(40);
    }
    expect(removed).toEqual([]);
    expect(world.screen.text).toContain("As you like.");
    world.stdin.write("\u0004");
    expect(await code).toBe(0);
  });
});

describe("a run that is asked", () => {
  const running = async (more: object, script: Script) => {
    removed.length = 0;
    const world = fakeIo();
    const code = await run({ tools: [], json: false, words: ["go"], ...more }, world.io, partsWith(script));
    return { code, ...world.written };
  };

  it("denies, and says how to approve", async () => {
    const { code, out, err } = await running({}, [calling("remove", { path: "/a" }), "Not done."]);
    expect([code, removed]).toEqual([0, []]);
    expect(out).toContain("(deny, by the program: nobody could be asked)");
    expect(err).toContain("wakeful: Remove /a: deny (nobody can be asked here; --yes approves)");
  });

  it("approves with --yes", async () => {
    const { code, err } = await running({ yes: true }, [calling("remove", { path: "/a" }), "Done."]);
    expect([code, removed]).toEqual([0, ["/a"]]);
    expect(err).toContain("Remove /a: approve (--yes)");
  });

  it("takes the default of other questions, with --yes too", async () => {
    for (const yes of [true, false])
      expect((await running({ yes }, [calling("deploy"), "Done."])).out).toContain("⇒ live");
  });
});
