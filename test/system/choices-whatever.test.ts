import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { createSystem, defineTool, memoryStore, silentLogger } from "../../src/index.ts";
import { scriptedModel } from "../../src/model/scripted/scripted-model.ts";
import { settle, virtualClock } from "../../src/testing/virtual-clock.ts";

type Step = { readonly do: "answer"; readonly pick: number; readonly index: number } | { readonly do: "restart" };

const steps: fc.Arbitrary<readonly Step[]> = fc.array(
  fc.oneof(
    {
      weight: 5,
      arbitrary: fc.record({ do: fc.constant("answer" as const), pick: fc.nat({ max: 9 }), index: fc.nat({ max: 3 }) }),
    },
    { weight: 1, arbitrary: fc.constant({ do: "restart" as const }) },
  ),
  { maxLength: 14 },
);

const choices = ["a", "b", "c"];

describe("questions of tools, whatever happens", () => {
  it("have each answer reach its asker once, the first of each, over restarts and in any order", () =>
    fc.assert(
      fc.asyncProperty(steps, fc.integer({ min: 1, max: 4 }), async (story, questions) => {
        const store = memoryStore();
        const ends: string[] = [];
        const tool = defineTool({
          name: "work",
          description: "Works.",
          inputSchema: z.object({ which: z.string() }),
          onRestart: "again",
          run: async ({ which }, { ask }) => {
            const keys = Array.from({ length: questions }, (_, index) => `${which}${index}`);
            const answers = await Promise.all(
              keys.map(async (key) => `${key}=${(await ask({ key, prompt: key, choices, default: "a" })).choice}`),
            );
            ends.push(...answers);
            return answers.join();
          },
        });
        const begin = async () => {
          const model = scriptedModel(({ ordinal, prompt }) =>
            ordinal === 1 && prompt.length < 3
              ? { calls: ["x", "y"].map((which) => ({ name: "work", args: { which } })) }
              : "done",
          );
          const clock = virtualClock();
          const system = await createSystem({
            model,
            store,
            clock,
            tools: [tool],
            logger: silentLogger,
            builtins: false,
          });
          const thread = await system.open("t");
          await settle();
          return { system, thread };
        };
        let { system, thread } = await begin();
        await thread.send("go");
        await settle();
        const ids = (await thread.choices()).map(({ choiceId }) => choiceId).sort();
        expect(ids).toHaveLength(2 * questions);
        const first = new Map<string, number>();
        const answer = async (id: string, index: number) => {
          const told = await thread.answer(id, index).then(
            () => "taken",
            ({ code }) => code,
          );
          await settle();
          const expected = first.has(id) || index > 2 ? ["CHOICE_CLOSED", "NO_SUCH_CHOICE"] : ["taken"];
          expect(expected).toContain(told);
          if (told === "taken") first.set(id, index);
        };
        for (const step of story)
          if (step.do === "restart") {
            await system.stop();
            ({ system, thread } = await begin());
          } else await answer(ids[step.pick % ids.length] ?? "", step.index);
        for (const id of ids) if (!first.has(id)) await answer(id, 1);
        await thread.atRest();
        const results = (await thread.history()).flatMap(({ entry }) =>
          entry.kind === "result" && entry.content[0]?.type === "text" ? entry.content[0].text.split(",") : [],
        );
        const keyOf = (id: string) => id.slice(id.indexOf("?") + 1);
        const expected = ids.map((id) => `${keyOf(id)}=${choices[first.get(id) ?? 9]}`).sort();
        expect(results.sort()).toEqual(expected);
        expect(ends.sort()).toEqual(expected);
        await system.stop();
      }),
      { numRuns: 40 },
    ));
});
