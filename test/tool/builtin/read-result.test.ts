import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { defineTool, type Store } from "../../../src/index.ts";
import { scriptedModel } from "../../../src/model/scripted/scripted-model.ts";
import { memoryStore } from "../../../src/store/memory/memory-store.ts";
import { wholeCodePoints } from "../../../src/tool/code-points.ts";
import { systemWith } from "../../support/system/started.ts";

const long = Array.from({ length: 10_000 }, (_, index) => `line ${index} \u{1F600}`).join("\n");
const dump = defineTool({
  name: "dump",
  description: "Dumps.",
  inputSchema: z.object({ what: z.string().default("") }),
  inline: ({ what }) => (what === "short" ? "short" : long),
});
const call = (name: string, args = {}, id = "d1") => ({ calls: [{ id, name, args }] });

const play = async (replies: readonly unknown[], store: Store = memoryStore()) => {
  const model = scriptedModel([...replies, "done"] as never, { strict: true });
  const system = await systemWith({ model, store, tools: [dump] });
  const thread = await system.open("t");
  await thread.send("go");
  await thread.atRest();
  const results = (await thread.history()).flatMap(({ entry }) =>
    entry.kind === "result" && entry.content[0]?.type === "text" ? [entry.content[0].text] : [],
  );
  return { model, results, system, thread };
};

describe("read_result", () => {
  it("is named where a long result was cut, and reads what was left out", async () => {
    const read = { tool_call_id: "d1", from: 40_000, length: 100 };
    const { model, results } = await play([call("dump"), call("read_result", read, "r1")]);
    const shown = JSON.stringify(model.requests[1]?.prompt.at(-1));
    expect(shown).toMatch(/characters left out; read_result with the id of this call reads them/);
    expect(shown.length).toBeLessThan(80_000);
    expect(results[1]).toBe(
      `[characters 40,000 to 40,100 of ${long.length.toLocaleString("en-US")}; go on from 40100]\n${long.slice(40_000, 40_100)}`,
    );
  });

  it("reads the whole, piece by piece, with nothing twice and nothing left out", async () => {
    const reads: unknown[] = [];
    for (let from = 0; from < long.length; from += 30_000)
      reads.push(call("read_result", { tool_call_id: "d1", from }, `r${from}`));
    const { results } = await play([call("dump"), ...reads]);
    // A piece that would end inside of a code point takes it whole, and the next leaves it out.
    expect(
      results
        .slice(1)
        .map((text) => text.slice(text.indexOf("\n") + 1))
        .join(""),
    ).toBe(long);
    expect(results.at(-1)).toContain(", the end]");
  });

  it("says what is wrong with an id, a place, or a call that has no result", async () => {
    const { results } = await play([
      call("dump", { what: "short" }),
      call("read_result", { tool_call_id: "d9" }, "r1"),
      call("read_result", { tool_call_id: "d1", from: 5 }, "r2"),
      call("read_result", { tool_call_id: "r3" }, "r3"),
    ]);
    expect(results[1]).toContain('no call "d9"');
    expect(results[2]).toContain("The result has 5 characters");
    expect(results[3]).toContain("has no result yet");
  });

  it("means the earliest call where a provider repeats an id, and a later one by the id that its prompt shows", async () => {
    const { results } = await play([
      call("dump", { what: "short" }, "same"),
      call("dump", {}, "same"),
      call("read_result", { tool_call_id: "same" }, "r1"),
      call("read_result", { tool_call_id: "call_2_0", length: 7 }, "r2"),
    ]);
    expect(results[2]).toContain("\nshort");
    expect(results[3]).toContain("\nline 0 ");
  });

  it("reads in a child what its parent was given", async () => {
    const spawn = call("spawn_thread", { instructions: "read it", child_of: ["t"] }, "s1");
    const store = memoryStore();
    const model = scriptedModel(
      ({ ordinal, prompt }) => {
        if (ordinal === 1) return call("dump");
        if (ordinal === 2) return spawn;
        const last = JSON.stringify(prompt.at(-1));
        return last.includes("read it") ? call("read_result", { tool_call_id: "d1", length: 6 }, "r1") : "done";
      },
      { strict: true },
    );
    const system = await systemWith({ model, store, tools: [dump] });
    const thread = await system.open("t");
    await thread.send("go");
    await thread.atRest({ tree: true });
    const child = await system.thread(thread.view().children[0]?.threadId ?? "");
    expect(JSON.stringify(await child?.history())).toContain("line 0");
  });
});

describe("a part of a text", () => {
  it("splits no code point, and parts that follow each other make the whole", () =>
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 60 }), fc.integer({ min: 1, max: 7 }), (text, length) => {
        let whole = "";
        for (let from = 0; from < text.length; from += length) {
          const part = wholeCodePoints(text, from, from + length);
          expect(part.text.isWellFormed()).toBe(true);
          whole += part.text;
        }
        expect(whole).toBe(text);
      }),
    ));
});
