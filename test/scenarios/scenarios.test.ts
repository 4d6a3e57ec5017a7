import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { memoryStore } from "../../src/store/memory/memory-store.ts";
import { sqliteStore } from "../../src/store/sqlite.ts";
import { unmetNeedsOf } from "../../src/testing/scenarios/needs.ts";
import { playScenario } from "../../src/testing/scenarios/player.ts";
import { readScenarios } from "../../src/testing/scenarios/read.ts";
import { reportLines } from "../../src/testing/scenarios/report.ts";

const stores = { memory: memoryStore, sqlite: () => sqliteStore(":memory:") };

const folder = new URL("./", import.meta.url);
const files = readdirSync(folder)
  .filter((name) => name.endsWith(".json"))
  .sort();
const scenariosOf = (file: string) => readScenarios(readFileSync(new URL(file, folder), "utf8"), file);
const all = files.flatMap(scenariosOf);

/** What this version has to play; a scenario leaves this list for no reason. */
const required =
  `V001 V003 V004 V006 V008 V009 V011 V012 V014 V015 V016 V018 V020 V021 V023 V024 V025 V027 V028 V029 V031
  V032 V033 V034 V035 V037 V038 V040 V041 V042 V043 V044 V046 V047 V049 V050 V051 V052 V053 V054 V056 V057 V069 V070 V075
  V083 V087`.split(/\s+/);

for (const file of files)
  describe(`the scenarios of ${file}`, () => {
    for (const scenario of scenariosOf(file)) {
      const missing = unmetNeedsOf(scenario);
      const title = `${scenario.id} ${scenario.title}`;
      if (missing.length > 0) it.skip(`${title} (needs ${missing.join(", ")})`);
      else
        it.each(Object.entries(stores))(`${title}, with the %s store`, async (_, makeStore) => {
          const report = await playScenario(scenario, { makeStore });
          expect(reportLines(report).join("\n")).toBe(`ok ${title}`);
        });
    }
  });

describe("the scenarios of this folder", () => {
  it("have ids that no other scenario has", () => {
    const ids = all.map(({ id }) => id);
    expect(ids).toEqual([...new Set(ids)]);
  });

  it("are played, not skipped, where this version has to pass them", () => {
    const played = all.filter((scenario) => unmetNeedsOf(scenario).length === 0).map(({ id }) => id);
    expect(required.filter((id) => !played.includes(id))).toEqual([]);
  });
});
