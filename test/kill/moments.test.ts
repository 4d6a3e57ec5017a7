import { mkdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, it } from "vitest";
import { freshFile, removeFiles } from "./files.ts";
import { besiege } from "./load/siege.ts";
import { summaryOf, wrongIn } from "./load/summary.ts";
import { tallyOf } from "./load/tally.ts";

afterAll(removeFiles);

/** As few as still meet a runner in every part of its work; `npm run test:kill` does three hundred. */
const kills = 10;

describe("a runner, a reader and a sender that are killed at random moments under load", () => {
  it("lose nothing that was acknowledged, double nothing, and miss no answer (R1, R2, R5, R7, R9)", {
    timeout: 240_000,
  }, async () => {
    const seed = Date.now();
    const folder = freshFile("load");
    mkdirSync(folder);
    const script = fileURLToPath(new URL("processes/load.ts", import.meta.url));
    const killed = await besiege({ folder, script, kills, seed });
    const tally = await tallyOf(folder);
    expect(wrongIn(tally), `seed ${seed}: ${summaryOf(killed, tally)}`).toEqual([]);
    expect(killed).toEqual({ runner: kills, reader: kills, sender: 2 });
    expect(tally.processed).toBeGreaterThan(kills);
    expect(tally.met.turns).toBeGreaterThan(kills);
    expect(tally.met["calls begun"]).toBeGreaterThan(0);
  });
});
