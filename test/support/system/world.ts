import type fc from "fast-check";
import type { Subject } from "rxjs";
import type { InspectionEvent } from "xstate";
import { callsOf, type PlacedEntry } from "../../../machines/history/entry.ts";
import type { CallId } from "../../../machines/history/ids.ts";
import { dedupKeyOf, Envelope } from "../../../machines/thread/input.ts";
import { InputRefusedError, StoreError } from "../../../src/errors.ts";
import { silentLogger } from "../../../src/logger.ts";
import { type ScriptedModel, scriptedModel } from "../../../src/model/scripted/scripted-model.ts";
import { memoryStore } from "../../../src/store/memory/memory-store.ts";
import type { System, SystemOptions, Thread } from "../../../src/system/api.ts";
import { createSystem } from "../../../src/system/create.ts";
import { settle, type VirtualClock, virtualClock } from "../../../src/testing/virtual-clock.ts";
import type { Update } from "../../../src/thread/update.ts";
import type { ToolCall } from "../../../src/tool/call.ts";
import type { ProducerEvent } from "../../../src/tool/define.ts";
import { Journal, watchedStore } from "./journal.ts";
import type { Addressed, Sketch, Step } from "./story.ts";
import { toolsOfEveryForm } from "./tools.ts";

export const names = ["t0", "t1"] as const;

/** An envelope that was sent, and what its sender was told: null while nothing was said. */
export interface Sent {
  readonly envelope: Envelope;
  readonly key: string;
  answer: boolean | "refused" | "failed" | null;
}

/** A tool was called. `durable`, `started`: what the store knew of the call at that moment. */
export interface Begun {
  readonly name: string;
  readonly callId: CallId;
  readonly threadId: string;
  readonly durable: boolean;
  readonly started: boolean;
  /** In which process, from 0. */
  readonly life: number;
}

export interface WorldOptions {
  /** The model signs its calls, and refuses those it did not sign. */
  readonly signs?: boolean;
  readonly inspect?: (event: InspectionEvent) => void;
}

/** Small numbers, so that a short story meets every limit. */
const limits = { rounds: 3, equalCalls: 2, subscriptions: 2, tries: 3 };

const random = (): (() => number) => {
  let state = 1;
  return () => {
    state = (state * 48_271) % 2_147_483_647;
    return state / 2_147_483_647;
  };
};

/**
 * A whole running system with two threads and a record of everything that can be seen of it from outside. The scheduler
 * decides when operations of the store and works of tools begin and end; the clock stands until it is turned.
 */
export class World {
  readonly clock: VirtualClock = virtualClock(1_000);
  readonly journal = new Journal();
  readonly sent: Sent[] = [];
  readonly begun: Begun[] = [];
  /** Calls that were told to stop. */
  readonly stopped = new Set<CallId>();
  /** What who watched was told, and in which process. */
  readonly updates: { readonly life: number; readonly update: Update }[] = [];
  producers: readonly Subject<ProducerEvent>[] = [];
  /** What happened, for people. */
  readonly log: string[] = [];
  readonly faults: string[] = [];
  /** Those of the process that lives; empty while it comes up. */
  threads: readonly Thread[] = [];
  readonly model: ScriptedModel;
  readonly #memory = memoryStore();
  readonly #scheduler: fc.Scheduler;
  readonly #options: WorldOptions;
  readonly #random = random();
  #system: System | undefined;
  #failures = 0;
  #underway = 0;
  #envelopes = 0;
  #life = 0;

  private constructor(scheduler: fc.Scheduler, options: WorldOptions) {
    this.#scheduler = scheduler;
    this.#options = options;
    this.model = scriptedModel({ strict: options.signs ? { signatures: true } : true });
  }

  static async begin(scheduler: fc.Scheduler, options: WorldOptions = {}): Promise<World> {
    const world = new World(scheduler, options);
    world.#open();
    await world.goOn(() => world.threads.length === names.length);
    return world;
  }

  get system(): System {
    if (!this.#system) throw new Error("the world has not begun");
    return this.#system;
  }

  /** Every call that a turn of the history has, the latest first; also those that were settled at once. */
  get everyCall(): readonly CallId[] {
    return [...this.journal.pages.values()]
      .flatMap(({ history }) => history.flatMap(({ entry }) => (entry.kind === "turn" ? callsOf(entry) : [])))
      .map(({ callId }) => callId)
      .reverse();
  }

  openRequestsOf(threadId: string) {
    return this.model.openRequests.filter(
      ({ prompt }) => prompt[0]?.role === "system" && prompt[0].content === threadId,
    );
  }

  async play(steps: readonly Step[]): Promise<void> {
    for (const step of steps) {
      this.log.push(JSON.stringify(step));
      await this.#play(step);
      await settle(3);
      for (let left = step.lets; left > 0 && this.#scheduler.count() > 0; left--) await this.#release();
    }
  }

  /** Lets everything end that can end without new input: answers the model, turns the clock where a slice waits for it. */
  async finish(): Promise<void> {
    this.log.push("everything comes to its end");
    this.#failures = 0;
    await this.goOn(() => this.threads.length === names.length);
    let rested = false;
    void Promise.all(this.threads.map((thread) => thread.atRest())).then(() => {
      rested = true;
    });
    await this.goOn(() => rested && this.threads.every(({ state }) => state !== "running") && !this.#isBusy());
  }

  /** Something is under way that `finish` waits for. */
  bring(sending: Promise<unknown>): void {
    this.#underway++;
    void sending.finally(() => this.#underway--);
  }

  /** Operations end, one after the other, until `done`, or until nothing more happens by itself. */
  async goOn(done: () => boolean): Promise<void> {
    for (let turns = 0; turns < 2_000; turns++) {
      await settle(3);
      if (this.#scheduler.count() > 0) await this.#release();
      else if (done()) return;
      else if (this.model.openRequests[0]) this.model.openRequests[0].answer("ok");
      else if (this.clock.due[0] !== undefined)
        await this.clock.advance(this.clock.due[0] - this.clock.now(), () => settle(3));
    }
    this.faults.push("R9: it does not come to rest");
  }

  async stop(): Promise<void> {
    let stopped = false;
    const stopping = this.system.stop().then(() => {
      stopped = true;
    });
    await this.goOn(() => stopped);
    await stopping;
  }

  #isBusy(): boolean {
    return this.#underway > 0 || this.model.openRequests.length > 0 || this.sent.some(({ answer }) => answer === null);
  }

  /** A process begins on the store; what is done by one that has ended never ends, nor do its clocks ring. */
  #open(): void {
    const life = this.#life;
    const lives = () => life === this.#life;
    const turn = async (label: string): Promise<void> => {
      await this.#scheduler.schedule(Promise.resolve(), label);
      if (!lives()) await new Promise(() => {});
    };
    const { clock } = this;
    const options: SystemOptions = {
      model: this.model,
      modelOptions: { eventsAs: this.#options.signs ? "text" : "call" },
      store: watchedStore(this.#memory, this.journal, turn, () => this.#failures-- > 0),
      clock: { ...clock, setTimeout: (ring, ms) => clock.setTimeout(() => lives() && ring(), ms) },
      logger: silentLogger,
      random: this.#random,
      // What is inspected is one life of each actor.
      limits: { ...limits, hibernateAfter: this.#options.inspect ? 1e12 : 400 },
      tools: toolsOfEveryForm({
        began: (name, call) => lives() && this.#began(name, call),
        turn,
        opened: (events) => {
          if (lives()) this.producers = [...this.producers, events];
        },
      }),
      ...(this.#options.inspect && { inspect: this.#options.inspect }),
    };
    const begin = async (): Promise<void> => {
      const system = await createSystem(options, {
        onRequest: (threadId, _, uncommitted) => lives() && this.onRequest(threadId, uncommitted),
        onAbort: (_, callId) => lives() && this.stopped.add(callId),
      });
      if (!lives()) return;
      this.#system = system;
      const threads: Thread[] = [];
      for (const name of names) {
        const thread = await system.open(name, { instructions: name });
        thread.updates$.subscribe((update) => lives() && this.updates.push({ life, update }));
        threads.push(thread);
      }
      if (lives()) this.threads = threads;
    };
    begin().catch((error: unknown) => this.faults.push(`a system does not begin: ${String(error)}`));
  }

  /** The process ends in the middle of everything, and another begins. */
  #crash(): void {
    this.#life++;
    this.#system = undefined;
    this.threads = [];
    this.producers = [];
    for (const parcel of this.sent) parcel.answer ??= "failed";
    for (const request of this.model.openRequests) request.stream([], "drop");
    this.#open();
  }

  /** Called right before a request goes out. */
  onRequest: (threadId: string, uncommitted: readonly PlacedEntry[]) => void = () => {};

  async #release(): Promise<void> {
    await this.#scheduler.waitNext(1);
    await settle(3);
  }

  #began(name: string, { id: callId, threadId }: ToolCall): void {
    const page = this.journal.page(threadId);
    const durable = page.calls.has(callId);
    this.begun.push({ name, callId, threadId, durable, started: page.started.has(callId), life: this.#life });
  }

  async #play(step: Step): Promise<void> {
    switch (step.do) {
      case "deliver":
        return this.#send(step.inputs.map((input) => this.#envelopeOf(input)));
      case "again": {
        const sent = this.sent[step.pick % this.sent.length];
        return sent && this.#send([sent.envelope]);
      }
      case "answer": {
        const open = this.model.openRequests;
        // A name that no provider takes is sent back as another, under which its signature is not valid.
        const chunks = step.chunks.filter(
          (chunk) => !(this.#options.signs && "tool_call" in chunk && !chunk.tool_call.name),
        );
        open[step.pick % open.length]?.stream(chunks, step.end);
        return;
      }
      case "emit":
        return this.#emit(step);
      case "pass":
        return this.clock.advance(step.ms, () => settle(3));
      case "fail":
        this.#failures = step.times;
        return;
      case "crash":
        return this.#crash();
    }
  }

  #emit({ pick, what }: Extract<Step, { do: "emit" }>): void {
    const events = this.producers[pick % this.producers.length];
    const text = `e${this.log.length}`;
    if (what === "complete") events?.complete();
    else if (what === "error") events?.error(new Error("secret of a producer"));
    else if (what === "nonsense") events?.next({ words: text } as never);
    else if (what === "repeat") events?.next({ text, associative: true, id: "same" });
    else events?.next({ text, associative: true, final: what === "final" });
  }

  #send(envelopes: readonly Envelope[]): void {
    const parcels = envelopes.map((envelope): Sent => ({ envelope, key: keyOf(envelope), answer: null }));
    this.sent.push(...parcels);
    const system = this.#system;
    if (!system) {
      for (const parcel of parcels) parcel.answer = "failed";
      return;
    }
    const answers = system.deliver(envelopes);
    answers.then(
      (fresh) => {
        for (const [index, parcel] of parcels.entries()) parcel.answer ??= fresh[index] ?? "failed";
      },
      (error: unknown) => {
        for (const parcel of parcels) parcel.answer ??= error instanceof InputRefusedError ? "refused" : "failed";
        if (!(error instanceof InputRefusedError || error instanceof StoreError))
          this.faults.push(`a sender was told ${String(error)}`);
      },
    );
  }

  #envelopeOf({ thread, id, sketch }: Addressed): Envelope {
    const name = `m${this.#envelopes++}`;
    return Envelope.parse({
      threadId: names[thread],
      dedupId: id === null ? name : `d${id}`,
      input: this.#inputOf(sketch, name),
    });
  }

  #inputOf(sketch: Sketch, name: string): unknown {
    switch (sketch.kind) {
      case "text":
        return { kind: "text", text: name, whileBusy: sketch.patient ? "wait" : "interrupt" };
      case "interrupt":
        return { kind: "interrupt" };
      case "result": {
        const { pick, subscription, error } = sketch;
        const more = { ...(subscription && { subscription: true }), ...(error && { error: true }) };
        return { kind: "result", callId: this.#callAt(pick), content: [{ type: "text", text: name }], ...more };
      }
      case "event":
        return { kind: "event", callId: this.#callAt(sketch.pick), text: name, associative: true, final: sketch.final };
      case "timer":
        return {
          kind: "timer",
          callId: this.#callAt(sketch.pick),
          purpose: sketch.deadline ? "deadline" : "wake",
          due: 0,
        };
      case "progress":
        return { kind: "progress", callId: this.#callAt(sketch.pick), text: name };
    }
  }

  /**
   * Even picks are calls and subscriptions that live, where there are any. The others are near misses too: calls long
   * settled, calls of the other thread, one that never was.
   */
  #callAt(pick: number): CallId {
    const live = this.threads.flatMap((thread) => {
      const { calls, subscriptions } = thread.view();
      return [...calls, ...subscriptions].map(({ callId }) => callId);
    });
    const known = pick % 2 === 0 && live.length > 0 ? live : [...this.everyCall, "t0#99.0" as CallId];
    return known[(pick >> 1) % known.length] ?? ("t0#99.0" as CallId);
  }
}

/** What R2 compares, across threads. */
const keyOf = (envelope: Envelope): string => `${envelope.threadId} ${dedupKeyOf(envelope)}`;
