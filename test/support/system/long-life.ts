import fc from "fast-check";
import { z } from "zod";
import { faultsOf } from "../../../machines/history/faults.ts";
import type { ThreadId } from "../../../machines/history/ids.ts";
import { summaryRequest } from "../../../machines/history/wording.ts";
import {
  createSystem,
  defineTool,
  eventFor,
  memoryStore,
  resultFor,
  type System,
  silentLogger,
} from "../../../src/index.ts";
import type { ScriptedAnswer } from "../../../src/model/scripted/answer.ts";
import { scriptedModel } from "../../../src/model/scripted/scripted-model.ts";
import { viewOf } from "../../../src/thread/view.ts";

/** What the model does in a turn, and whether its window is full after it. */
interface Turn {
  readonly does: keyof typeof callsOf;
  readonly full: boolean;
}

interface Step {
  readonly act: "text" | "result" | "event" | "compact" | "restart";
  /** Which of the latest calls it is about. */
  readonly pick: number;
  /** Whether everything comes to rest before the next. */
  readonly rests: boolean;
}

/** A life: what the model does, what it says when it is asked for summaries (both over and over), and what is sent. */
export interface LongStory {
  readonly turns: readonly Turn[];
  readonly summaries: readonly (keyof typeof summaryOf)[];
  readonly steps: readonly Step[];
}

const callsOf = {
  talk: [],
  build: ["build"],
  "build twice": ["build", "build"],
  watch: ["watch"],
  "watch and sleep": ["watch", "sleep"],
  add: ["add"],
  spawn: ["spawn_thread"],
} as const;

const argsOf: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  sleep: { seconds: 1_000_000 },
  spawn_thread: { instructions: "look around", child_of: ["root"] },
};

/** So that a summary is shorter than what it stands for. */
const padding = "and so on ".repeat(12);

const summaryOf = {
  good: (upTo: number): ScriptedAnswer => `SUM up to ${upTo};`,
  empty: (): ScriptedAnswer => " \n",
  "a call": (): ScriptedAnswer => ({ calls: [{ id: "c0", name: "build" }] }),
  "too long": (): ScriptedAnswer => padding.repeat(1_000),
  refused: (): ScriptedAnswer => ({ error: "fatal" }),
} as const;

const oneOf = <Name extends string>(...names: Name[]): fc.Arbitrary<Name> => fc.constantFrom(...names);

export const longStory: fc.Arbitrary<LongStory> = fc.record({
  turns: fc.array(
    fc.record({
      does: oneOf("talk", "talk", "build", "build twice", "watch", "watch and sleep", "add", "spawn"),
      full: fc.boolean(),
    }),
    { minLength: 1, maxLength: 16 },
  ),
  summaries: fc.array(oneOf("good", "good", "good", "good", "empty", "a call", "too long", "refused"), {
    minLength: 1,
    maxLength: 6,
  }),
  steps: fc.array(
    fc.record({
      act: oneOf("text", "text", "result", "result", "event", "compact", "compact", "restart"),
      pick: fc.nat({ max: 5 }),
      rests: fc.boolean(),
    }),
    { minLength: 3, maxLength: 25 },
  ),
});

const turnOfTheLoop = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/**
 * A root and its children, told a story with a model whose window is soon full. Texts carry numbers and summaries say up to
 * which number they go, so a request shows whether anything is missing, or there twice.
 */
export class LongLife {
  readonly faults: string[] = [];
  /** What came of each summary that was asked for by hand. */
  readonly outcomes: Promise<string>[] = [];
  summaries = 0;
  readonly #store = memoryStore();
  /** Addresses of calls, the latest last. */
  readonly #addresses: string[] = [];
  readonly #callIds = new Map<string, string>();
  /** Results and events by their text, with the call they are for. */
  readonly #sent = new Map<string, string>();
  readonly #story: LongStory;
  #system: System | undefined;
  #texts = 0;
  #turns = 0;
  #asked = 0;

  constructor(story: LongStory) {
    this.#story = story;
  }

  async live(): Promise<this> {
    await this.#start();
    await this.#send();
    for (const step of this.#story.steps) await this.#play(step);
    await this.#rest();
    await this.#root().then((root) => root.interrupt());
    await this.#send();
    await this.#rest();
    await Promise.all(this.outcomes);
    await this.#examine();
    await this.#system?.stop();
    return this;
  }

  async #start(): Promise<void> {
    await this.#system?.stop();
    const answersLater = (name: string) =>
      defineTool({
        name,
        description: "Answers later.",
        inputSchema: z.object({}),
        dispatch: (_, call) => {
          if (!this.#callIds.has(call.address)) this.#addresses.push(call.address);
          this.#callIds.set(call.address, call.id);
        },
      });
    const add = defineTool({ name: "add", description: "Adds.", inputSchema: z.object({}), inline: () => "added" });
    this.#system = await createSystem({
      model: scriptedModel(({ prompt }) => this.#answer(JSON.stringify(prompt)), { strict: true, keep: 0 }),
      modelOptions: { contextWindow: 100, eventsAs: "call" },
      store: this.#store,
      tools: [answersLater("build"), answersLater("watch"), add],
      logger: silentLogger,
      limits: { equalCalls: 1_000, rounds: 10 },
    });
  }

  async #root() {
    if (!this.#system) throw new Error("The system has not started.");
    return this.#system.open("root");
  }

  async #rest(): Promise<void> {
    await (await this.#root()).atRest({ tree: true });
  }

  async #send(): Promise<void> {
    await (await this.#root()).send(`text-${this.#texts++}; ${padding}`);
  }

  async #play({ act, pick, rests }: Step): Promise<void> {
    const address = this.#addresses.at(-1 - (pick % (this.#addresses.length || 1)));
    if (act === "restart") return this.#start();
    if (act === "text") await this.#send();
    else if (act === "compact") {
      const root = await this.#root();
      this.outcomes.push(root.compact().catch((error: Error) => error.name));
    } else if (address !== undefined) {
      const text = `${act}-${this.#sent.size};`;
      this.#sent.set(text, this.#callIds.get(address) ?? "");
      const event = eventFor(address, { id: text, text, associative: pick % 3 === 0 });
      await this.#system?.deliver(
        act === "event" ? event : resultFor(address, text, { id: text, subscription: pick % 2 === 0 }),
      );
    }
    if (rests) await this.#rest();
  }

  /** A request must have the texts that its summary does not cover, all and in order. */
  async #answer(prompt: string): Promise<ScriptedAnswer> {
    const summaries = [...prompt.matchAll(/SUM up to (-?\d+);/g)].map(([, upTo]) => Number(upTo));
    const texts = [...prompt.matchAll(/text-(\d+);/g)].map(([, number]) => Number(number));
    const [upTo = -1] = summaries;
    if (summaries.length > 1) this.faults.push(`a request has the summaries up to ${summaries.join(" and ")}`);
    if (texts.some((number, index) => number !== upTo + 1 + index))
      this.faults.push(`behind a summary up to ${upTo} a request has the texts ${texts.join()}`);
    // What else is sent has a chance to come in between.
    for (let turns = 0; turns < 3; turns++) await turnOfTheLoop();
    if (prompt.includes(summaryRequest.slice(0, 40))) return this.#summary(texts.at(-1) ?? upTo);
    return this.#turn();
  }

  #summary(upTo: number): ScriptedAnswer {
    const { summaries } = this.#story;
    const kind = summaries[this.#asked++ % summaries.length] ?? "good";
    if (kind === "good") this.summaries += 1;
    return summaryOf[kind](upTo);
  }

  #turn(): ScriptedAnswer {
    const { turns } = this.#story;
    const { does, full } = turns[this.#turns++ % turns.length] ?? { does: "talk", full: false };
    // Like providers that count their ids from the beginning in each turn.
    const calls = callsOf[does].map((name, index) => ({
      tool_call: { id: `c${index}`, name, ...(argsOf[name] && { args: argsOf[name] }) },
    }));
    return {
      chunks: [{ text: `turn ${this.#turns} ${padding}` }, ...calls],
      end: "final",
      usage: { total_tokens: full ? 100 : 10 },
    };
  }

  /** R5 of all histories and views, and each result and event is with its call, once, or was discarded. */
  async #examine(): Promise<void> {
    const found = new Map<string, string[]>([...this.#sent.keys()].map((text) => [text, []]));
    for (const { threadId } of (await this.#system?.threads()) ?? []) {
      const loaded = await this.#store.load(threadId as ThreadId);
      if (!loaded) continue;
      const { lastFailure } = loaded.record;
      if (lastFailure && lastFailure.code !== "ROUND_LIMIT") this.faults.push(`${threadId}: ${lastFailure.message}`);
      const history = await this.#store.history(loaded.threadId);
      const view = await viewOf(this.#store, loaded.threadId, loaded.opening);
      this.faults.push(
        ...faultsOf(
          view,
          loaded.calls.map(({ callId }) => callId),
        ),
      );
      for (const { entry } of history) {
        if (entry.kind === "event") found.get(entry.text)?.push(entry.source.callId);
        const [part] = entry.kind === "result" ? entry.content : [];
        if (entry.kind === "result" && part?.type === "text") found.get(part.text)?.push(entry.callId);
      }
      for (const { dedupId } of loaded.inbox) found.get(dedupId)?.push("waiting");
    }
    for (const { dedupId, reason } of await this.#discarded()) found.get(dedupId)?.push(`discarded: ${reason}`);
    for (const [text, places] of found)
      if (places.length !== 1 || (places[0] !== this.#sent.get(text) && !/waiting|discarded/.test(places[0] ?? "")))
        this.faults.push(`R1 R2: ${text} of ${this.#sent.get(text)} is in ${places.join(" and ") || "no place"}`);
  }

  async #discarded() {
    const items = await this.#store.feed({ after: 0, limit: 100_000 });
    return items.flatMap((item) => (item.type === "input.discarded" ? [item] : []));
  }
}
