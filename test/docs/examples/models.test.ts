import { afterEach, describe, expect, it, vi } from "vitest";
import { forAll, paidFor } from "../../../docs/examples/budgets.ts";
import { claudeThatThinks } from "../../../docs/examples/claude-that-thinks.ts";
import { localModel } from "../../../docs/examples/local-model.ts";
import { outlastsAnEvening, outlastsEverything } from "../../../docs/examples/outages.ts";
import { switchModel } from "../../../docs/examples/switch-model.ts";
import { watchTheModel } from "../../../docs/examples/watch-the-model.ts";
import { memoryStore } from "../../../src/index.ts";
import { scriptedModel } from "../../../src/model/scripted/scripted-model.ts";
import type { System } from "../../../src/system/api.ts";
import { virtualClock } from "../../../src/testing/virtual-clock.ts";
import { systemWith } from "../../support/system/started.ts";
import { anthropic } from "../../support/wire/anthropic.ts";
import { compatible } from "../../support/wire/openai-chat.ts";
import { openaiResponses } from "../../support/wire/openai-responses.ts";
import { repliesOf } from "../../support/wire/server.ts";
import { serverOf } from "../../support/wire/wired.ts";

const systems: System[] = [];
afterEach(async () => {
  vi.unstubAllGlobals();
  vi.unstubAllEnvs();
  await Promise.all(systems.splice(0).map((system) => system.stop()));
});

const asked = async (system: System): Promise<string> => {
  systems.push(system);
  const thread = await system.open("t");
  return thread.ask("go");
};

/** The providers on loopback, in the place of those that the packages would ask; nothing else is reached. */
const providers = async () => {
  const [claude, gpt] = [await serverOf(anthropic), await serverOf(openaiResponses)];
  const reached = { "https://api.anthropic.com": claude.url, "https://api.openai.com": gpt.url };
  const real = globalThis.fetch;
  vi.stubGlobal("fetch", (address: string, init: RequestInit) => {
    const { origin } = new URL(address);
    const there = reached[origin as keyof typeof reached];
    if (there === undefined) throw new Error(`${origin} is asked by no example`);
    return real(address.replace(origin, there), init);
  });
  vi.stubEnv("ANTHROPIC_API_KEY", "sk-right");
  vi.stubEnv("OPENAI_API_KEY", "sk-right");
  return { claude, gpt };
};

describe("the examples of models", () => {
  it("reach Claude and GPT with what stands in the environment, and go on with another model", async () => {
    const { claude, gpt } = await providers();
    claude.reply(repliesOf(anthropic).answer({ said: [{ thinking: "hm", signature: "s" }, { text: "thought" }] }));
    expect(await asked(await claudeThatThinks())).toBe("thought");
    expect(claude.last.body).toMatchObject({ thinking: { type: "enabled", budget_tokens: 8_000 }, stream: true });

    gpt.reply(repliesOf(openaiResponses).says("a draft"));
    claude.reply(repliesOf(anthropic).says("short"));
    expect(await switchModel()).toEqual(["a draft", "short"]);
    expect(JSON.stringify(claude.last.body.messages)).toContain("a draft");
    expect(claude.last.body.max_tokens).toBe(4_000);
  });

  it("reach a server of their own", async () => {
    const server = await serverOf(compatible);
    server.reply(repliesOf(compatible).says("hello"));
    expect(await asked(await localModel(`${server.url}/v1`))).toBe("hello");
    expect(server.last.body).toMatchObject({ model: "qwen3:8b", stream_options: { include_usage: true } });
  });

  it("tell what goes wrong and what it cost", async () => {
    const clock = virtualClock(0);
    const model = scriptedModel([{ error: "transient", status: 429, retryAfter: 7 }, "done", { error: "fatal" }]);
    const system = await systemWith({ model, clock });
    const thread = await system.open("t");
    const lines: string[] = [];
    watchTheModel(thread, (line) => lines.push(line));
    const answer = thread.ask("go");
    await clock.advance(7_000);
    await answer;
    await thread.ask("again").catch(() => {});
    expect(lines).toEqual([
      expect.stringMatching(/^try 2 in 7000 ms, because: /),
      expect.stringMatching(/: \d+ tokens in, \d+ out$/),
      expect.stringMatching(/^MODEL_FAILED: /),
    ]);
  });

  it("outlast an outage, each as its list or its function says", async () => {
    const evening = await outlastsAnEvening(scriptedModel([{ error: "fatal", status: 402 }]), memoryStore());
    await expect(asked(evening)).rejects.toThrow(/It is asked again at/);
    const view = (await evening.thread("t"))?.view();
    expect((view?.retry?.due ?? 0) - (view?.lastFailure?.at ?? 0)).toBe(60_000);

    const everything = await outlastsEverything(scriptedModel([{ error: "fatal", status: 401 }]), memoryStore());
    await expect(asked(everything)).rejects.toThrow();
    expect((await everything.thread("t"))?.view().retry).toBeNull();
  });

  it("keep to a budget, of all trees or of each", async () => {
    const usage = { input_tokens: 1_500_000, output_tokens: 500_000 };
    const claude = scriptedModel(() => ({ text: "Much.", usage }), { modelId: "claude-sonnet-4-5" });
    const all = await forAll(claude);
    expect(await asked(all)).toBe("Much.");
    const thread = await all.open("t");
    expect((await thread.usage()).cost).toBeCloseTo(12, 6);
    expect(thread.view()).toMatchObject({ halted: true, lastFailure: { code: "BUDGET_REACHED" } });

    const each = await paidFor(claude, { "claude-sonnet-4-5": { input: 3, output: 15 } }, async () => 0);
    await expect(asked(each)).rejects.toThrow(/BUDGET_REACHED/);
  });
});
