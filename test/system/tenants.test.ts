import type { LanguageModelV4 } from "@ai-sdk/provider";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { createSystem, defineTool, silentLogger, type ToolCall } from "../../src/index.ts";
import { scriptedModel } from "../../src/model/scripted/scripted-model.ts";
import { settle, virtualClock } from "../../src/testing/virtual-clock.ts";

const tenants = 50;
/** Digits of one length, so that no mark is a part of another. */
const markOf = (tenant: number): string => `secret-${String(tenant).padStart(3, "0")}`;

/** Passes some turns of the event loop, as many as the next of the numbers says. */
const dawdling = (turns: readonly number[]) => {
  let next = 0;
  return async () => {
    for (let left = turns[next++ % turns.length] ?? 0; left > 0; left--)
      await (left % 2 === 0 ? Promise.resolve() : new Promise((resolve) => setImmediate(resolve)));
  };
};

describe("fifty tenants at once", () => {
  it("never see each other's tools, context, signals, models or questions", { timeout: 120_000 }, () =>
    fc.assert(
      fc.asyncProperty(fc.array(fc.nat({ max: 5 }), { minLength: 5, maxLength: 40 }), async (turns) => {
        const dawdle = dawdling(turns);
        const wrong: string[] = [];
        const calls: (ToolCall & { readonly of: number })[] = [];
        const sees = (tenant: number, what: string, seen: unknown): void => {
          const text = JSON.stringify(seen);
          for (const mark of text.match(/secret-\d{3}/g) ?? [])
            if (mark !== markOf(tenant)) wrong.push(`${what} of ${tenant} has ${mark}`);
        };
        const modelOf = (tenant: number): LanguageModelV4 => {
          const model = scriptedModel(({ ordinal, prompt, tools }) => {
            sees(tenant, "a request", [prompt, tools]);
            if (!JSON.stringify(prompt).includes(markOf(tenant))) wrong.push(`a request of ${tenant} has no mark`);
            return ordinal % 2 === 1
              ? {
                  calls: [
                    { name: "look", args: {} },
                    { name: "wait", args: {} },
                  ],
                }
              : markOf(tenant);
          });
          return {
            ...model,
            doStream: async (options) => {
              await dawdle();
              return model.doStream(options);
            },
          };
        };
        const toolOf = (tenant: number, name: string) =>
          defineTool({
            name,
            description: `${name} of ${markOf(tenant)}.`,
            inputSchema: z.object({}),
            run: async (_, call) => {
              calls.push({ ...call, of: tenant });
              sees(tenant, "a call", [call.metadata, call.threadStack, call.message, call.userId]);
              if (call.metadata.tenant !== tenant) wrong.push(`a tool of ${tenant} works for ${call.metadata.tenant}`);
              (call.metadata as { spoilt?: string }).spoilt = markOf(tenant);
              await dawdle();
              if (name === "wait" && tenant % 10 === 0) await new Promise(() => {});
              return `${name} ${markOf(tenant)}`;
            },
          });
        const models = Array.from({ length: tenants }, (_, tenant) => modelOf(tenant));
        const system = await createSystem({
          model: scriptedModel(() => "nobody's"),
          clock: virtualClock(),
          logger: silentLogger,
          builtins: false,
          threadConfig: async ({ metadata }) => {
            const tenant = Number(metadata.tenant);
            sees(tenant, "a request for configuration", metadata);
            await dawdle();
            const model = models[tenant];
            return {
              tools: [toolOf(tenant, "look"), toolOf(tenant, "wait")],
              instructions: `You belong to ${markOf(tenant)}.`,
              ...(model && { model }),
              approval: tenant % 7 === 3 ? { look: "deny" } : {},
            };
          },
        });
        const threads = await Promise.all(
          Array.from({ length: tenants }, (_, tenant) =>
            system.open(`thread-${tenant}`, { metadata: { tenant, user_id: `of ${markOf(tenant)}` } }),
          ),
        );
        await Promise.all(threads.map((thread, tenant) => thread.send(`for ${markOf(tenant)}`)));
        for (let turn = 0; turn < 40; turn++) await settle();
        // Every tenth has a call that nobody answers: interrupting it tells that one call to stop, and no other.
        for (const [tenant, thread] of threads.entries())
          if (tenant % 10 === 0) await thread.send(`enough of ${markOf(tenant)}`);
        for (let turn = 0; turn < 40; turn++) await settle();
        for (const [tenant, thread] of threads.entries()) {
          sees(tenant, "a history", await thread.history());
          expect(thread.state).toBe("idle");
          const looks = calls.filter(({ of }) => of === tenant).length;
          if (tenant % 7 === 3) expect(looks).toBeLessThan(calls.filter(({ of }) => of === tenant + 1).length + 5);
        }
        for (const { of: tenant, signal, threadId } of calls) {
          if (threadId !== `thread-${tenant}`) wrong.push(`a tool of ${tenant} works in ${threadId}`);
          if (signal.aborted && tenant % 10 !== 0) wrong.push(`a call of ${tenant} was told to stop`);
        }
        expect(wrong).toEqual([]);
        await system.stop();
      }),
      { numRuns: 8 },
    ),
  );
});
