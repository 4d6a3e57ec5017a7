import type fc from "fast-check";
import type { Subject } from "rxjs";
import type { InspectionEvent } from "xstate";
import { callsOf, type PlacedEntry } from "../../../machines/history/entry.ts";
import type { CallId } from "../../../machines/history/ids.ts";
import { dedupKeyOf, Envelope } from "../../../machines/thread/input.ts";
import { InputRefusedError, StoreError } from "../../../src/errors.ts";
import { type ScriptedModel, scriptedModel } from "../../../src/model/scripted/scripted-model.ts";
import { memoryStore } from "../../../src/store/memory/memory-store.ts";
import type { System, Thread } from "../../../src/system/api.ts";
import { settle, type VirtualClock, virtualClock } from "../../../src/testing/virtual-clock.ts";
import type { Update } from "../../../src/thread/update.ts";
import type { ToolCall } from "../../../src/tool/call.ts";
import type { ProducerEvent } from "../../../src/tool/define.ts";
import { Journal } from "./journal.ts";
import { Operations } from "./operations.ts";
import { inputOf } from "./post.ts";
import { startProcess } from "./process.ts";
import type { Addressed, Step } from "./story.ts";

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
const limits = { rounds: 3, equalCalls: 2, subscriptions: 2, restarts: 1e9, tries: 3 };

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
  readonly #operations: Operations;
  readonly #options: WorldOptions;
  readonly #random = random();
  #system: System | undefined;
  #failures = 0;
  #underway = 0;
  #envelopes = 0;
  #life = 0;

  private constructor(scheduler: fc.Scheduler, options: WorldOptions) {
    this.#options = options;
    this.model = scriptedModel({ strict: options.signs ? { signatures: true } : true });
    this.#operations = new Operations(scheduler, this.clock, this.model);
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
      await this.#operations.release(step.lets);
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

  async goOn(done: () => boolean): Promise<void> {
    if (!(await this.#operations.goOn(done))) this.faults.push("R9: it does not come to rest");
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

  #open(): void {
    const life = this.#life;
    const lives = () => life === this.#life;
    const { signs, inspect } = this.#options;
    startProcess(
      {
        store: this.#memory,
        notes: this.journal,
        clock: this.clock,
        turn: this.#operations.turnsOf(lives),
        fails: () => this.#failures-- > 0,
        lives,
        watch: {
          began: (name, call) => this.#began(name, call),
          opened: (events) => {
            this.producers = [...this.producers, events];
          },
        },
        options: {
          model: this.model,
          modelOptions: { eventsAs: signs ? "text" : "call" },
          random: this.#random,
          // What is inspected is one life of each actor.
          limits: { ...limits, hibernateAfter: inspect ? 1e12 : 400 },
          ...(inspect && { inspect }),
        },
        hooks: {
          onRequest: (threadId, _, uncommitted) => lives() && this.onRequest(threadId, uncommitted),
          onAbort: (_, callId) => lives() && this.stopped.add(callId),
        },
        roots: names.map((id) => ({ id, options: { instructions: id } })),
      },
      (system) => {
        this.#system = system;
      },
      (thread) => {
        thread.updates$.subscribe((update) => lives() && this.updates.push({ life, update }));
      },
    ).then(
      (threads) => {
        if (lives()) this.threads = threads;
      },
      (error: unknown) => this.faults.push(`a system does not begin: ${String(error)}`),
    );
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
        return this.#operations.pass(step.ms);
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
      input: inputOf(this, sketch, name),
    });
  }
}

/** What R2 compares, across threads. */
const keyOf = (envelope: Envelope): string => `${envelope.threadId} ${dedupKeyOf(envelope)}`;
