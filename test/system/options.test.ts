import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createSystem, demoModel, OptionError, type SystemOptions, silentLogger } from "../../src/index.ts";
import { sqliteStore } from "../../src/store/sqlite.ts";

/** What a program without types may write, or one that was written for the AI SDK. */
const claimed = (options: object): SystemOptions =>
  ({ model: demoModel(), logger: silentLogger, ...options }) as unknown as SystemOptions;
const raw = { name: "add", description: "Adds.", inputSchema: { type: "object" }, execute: () => 1 };

describe("the options of a system", () => {
  let folder = "";
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "wakeful-options-"));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  it.each([
    ["no model", { model: undefined }, /^Option model: is missing/],
    ["the name of a model", { model: "openai/gpt-5" }, /^Option model: is the text "openai\/gpt-5"; give what/],
    ["what is no model", { model: {} }, /^Option model: has no doStream/],
    ["a model of an older specification", { model: { ...demoModel(), specificationVersion: "v2" } }, /is of spec.* v2/],
    ["tools as an object", { tools: { add: raw } }, /^Option tools: is no list; .*fromAiTool/],
    ["a tool that nobody made", { tools: [raw] }, /^Option tools\[0\]: is no tool; .*fromAiTool/],
    ["a name in place of a tool", { toolbox: ["add"] }, /^Option toolbox\[0\]: is no tool/],
  ])("are refused with what would work: %s", async (_, options, said) => {
    const refusal = createSystem(claimed(options));
    await expect(refusal).rejects.toThrow(OptionError);
    await expect(refusal).rejects.toThrow(said);
  });

  it("are checked where a model or a tool comes later, too", async () => {
    const system = await createSystem(claimed({}));
    expect(() => system.useModel("gpt-5" as never)).toThrow(OptionError);
    await expect(system.open("t", { tools: [raw as never] })).rejects.toThrow(/^Option tools\[0\]: is no tool/);
    await system.stop();
  });

  it("take no lease when they are refused: the next system runs the file at once (R8)", async () => {
    const store = sqliteStore(join(folder, "a.db"), { synchronous: "normal" });
    await expect(createSystem(claimed({ store, approval: { add: "perhaps" } }))).rejects.toThrow(OptionError);
    await (await createSystem(claimed({ store }))).stop();
    await store.close();
  });
});
