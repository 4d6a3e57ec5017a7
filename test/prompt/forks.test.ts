import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { PlacedEntry } from "../../machines/history/entry.ts";
import { createPromptBuilder, type PromptBuilder, type PromptStyle } from "../../src/prompt/builder.ts";
import { anyStoredHistory, anyStyle } from "../support/history/histories.ts";

const builderOf = (style: PromptStyle, entries: readonly PlacedEntry[]): PromptBuilder => {
  const builder = createPromptBuilder(style);
  builder.append(entries);
  return builder;
};

describe("a builder that was forked", () => {
  it("has the prompt of its own history, whatever the one above takes on, before or after", () =>
    fc.assert(
      fc.property(
        anyStoredHistory,
        anyStyle,
        fc.array(fc.nat({ max: 40 }), { minLength: 1, maxLength: 4 }),
        fc.nat({ max: 40 }),
        fc.boolean(),
        ({ entries }, style, places, more, isFirst) => {
          const cuts = places.map((place) => place % (entries.length + 1)).sort((a, b) => a - b);
          // Each is forked from the one before it, and goes on with what it skips and the others do not.
          const builders = [createPromptBuilder(style)];
          let from = 0;
          for (const cut of cuts) {
            const above = builders.at(-1) as PromptBuilder;
            above.append(entries.slice(from, cut));
            builders.push(above.fork());
            from = cut;
          }
          const last = builders.at(-1) as PromptBuilder;
          const own = entries.slice(from, from + (more % (entries.length - from + 1)));
          if (isFirst) last.append(own);
          for (const above of builders.slice(0, -1)) above.append(entries.slice(from));
          if (!isFirst) last.append(own);
          const expected = builderOf(style, [...entries.slice(0, from), ...own]).prompt("Be brief.");
          expect(last.prompt("Be brief.")).toEqual(expected);
          expect(builders[0]?.prompt("")).toEqual(
            builderOf(style, [...entries.slice(0, cuts[0]), ...entries.slice(from)]).prompt(""),
          );
        },
      ),
      { numRuns: 500 },
    ));

  it("holds the same message objects as the one above", () => {
    const at = 1;
    const above = builderOf({ eventsAs: "call", supportsImages: true }, [
      { position: 0, entry: { kind: "user", at, text: "hello" } },
      { position: 1, entry: { kind: "turn", at, parts: [{ type: "text", text: "hi" }] } },
      { position: 2, entry: { kind: "user", at, text: "bye" } },
    ]);
    const [, ...messages] = above.prompt("x");
    const [, ...inherited] = above.fork().prompt("y");
    for (const [index, message] of messages.entries()) expect(inherited[index]).toBe(message);
  });
});
