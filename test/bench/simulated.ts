import { createSystem, silentLogger } from "wakeful";
import { scriptedModel } from "../../src/model/scripted/scripted-model.ts";
import { memoryStore } from "../../src/store/memory/memory-store.ts";
import type { Act } from "../../src/testing/simulation/act.ts";
import { Coverage } from "../../src/testing/simulation/coverage.ts";
import { playStory } from "../../src/testing/simulation/play.ts";
import { limits, rootNames } from "../../src/testing/simulation/processes.ts";
import { inMemory } from "../../src/testing/simulation/stores.ts";
import { storyOf } from "../../src/testing/simulation/tell.ts";
import { simulatedTools } from "../../src/testing/simulation/tools.ts";
import { virtualClock } from "../../src/testing/virtual-clock.ts";
import { interleaved, median, print, threadTime } from "./measure.ts";

const stories = 60;
const playOf = (seed: number) => playStory(storyOf(seed, { crashes: false, shared: false }), inMemory, new Coverage());
const breathe = () => new Promise<void>((resolve) => setImmediate(resolve));

/** The same things done to a system that nobody watches and nothing holds up. Returns how many inputs it accepted. */
const doneTo = async (acts: readonly Act[]): Promise<number> => {
  const store = memoryStore();
  const clock = virtualClock(1_000);
  const model = scriptedModel({ strict: true });
  const askers = new WeakMap<object, string>();
  const options = { model, store, clock, limits, logger: silentLogger };
  const tools = simulatedTools({
    began: () => {},
    turn: breathe,
    opened: () => {},
    asks: (call, question) => call.ask(question),
    now: clock.now,
  });
  let ids = 0;
  let accepted = 0;
  const begin = async () => {
    const hooks = {
      freshId: () => `n${ids++}`,
      onRequest: (threadId: string, prompt: object) => void askers.set(prompt, threadId),
    };
    const system = await createSystem({ ...options, tools }, hooks);
    for (const name of rootNames) await system.open(name, { instructions: name });
    return system;
  };
  const stop = async () => {
    const stopped = system.stop();
    await clock.advance(10_000, breathe);
    await stopped;
  };
  let system = await begin();
  for (const act of acts) {
    if (act.act === "send")
      system.deliver(act.envelopes).then(
        (fresh) => {
          accepted += fresh.filter(Boolean).length;
        },
        () => {},
      );
    else if (act.act === "pass") await clock.advance(act.ms, breathe);
    else if (act.act === "restart") {
      await stop();
      system = await begin();
    } else if (act.act === "answer") {
      const request = model.openRequests.find(({ prompt }) => askers.get(prompt) === act.threadId);
      request?.stream(act.chunks, act.end);
    }
    await breathe();
  }
  await stop();
  return accepted;
};

/** A story with its scheduler, its record and its rules, against the same things done to a system without them. */
export const simulatedStory = async (): Promise<boolean> => {
  const acts: (readonly Act[])[] = [];
  for (let seed = 1; seed <= stories; seed++) acts.push((await playOf(seed)).acts);
  const accepted = { without: 0, simulated: 0 };
  const timed = async (work: () => Promise<number>): Promise<number> => {
    const began = threadTime();
    await work();
    return (threadTime() - began) / stories;
  };
  const of = await interleaved(
    {
      without: () =>
        timed(async () => {
          accepted.without = 0;
          for (const story of acts) accepted.without += await doneTo(story);
          return accepted.without;
        }),
      simulated: () =>
        timed(async () => {
          accepted.simulated = 0;
          for (let seed = 1; seed <= stories; seed++) accepted.simulated += (await playOf(seed)).accepted;
          return accepted.simulated;
        }),
    },
    9,
  );
  return print({
    bench: "a simulated story against the same steps without the simulator",
    ratio: median(of.simulated) / median(of.without),
    atMost: 3,
    of,
    unit: "µs of thread time a story",
    each: { stories, "inputs accepted": accepted.simulated, "without the simulator": accepted.without },
  });
};
