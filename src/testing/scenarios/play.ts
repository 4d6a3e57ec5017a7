import type { PlacedEntry } from "../../../machines/history/entry.ts";
import type { ThreadId } from "../../../machines/history/ids.ts";
import type { JsonObject } from "../../../machines/history/json.ts";
import type { NewThread } from "../../../machines/thread/family.ts";
import type { Envelope } from "../../../machines/thread/input.ts";
import { InputRefusedError, SystemStoppedError } from "../../errors.ts";
import type { Logger } from "../../logger.ts";
import type { Store } from "../../store/store.ts";
import type { System, SystemOptions, Thread } from "../../system/api.ts";
import type { createSystem } from "../../system/create.ts";
import type { SystemHooks } from "../../thread/environment.ts";
import { viewOf } from "../../thread/view.ts";
import type { Tool } from "../../tool/define.ts";
import { type VirtualClock, virtualClock } from "../virtual-clock.ts";
import { Asking, type ModelChoice } from "./asking.ts";
import { type CallBook, callBook } from "./calls.ts";
import { Children } from "./children.ts";
import { closedThreads } from "./closed-threads.ts";
import { PlayStopped } from "./difference.ts";
import { createActivity, type Incarnation, incarnate } from "./incarnation.ts";
import { Observed } from "./observed.ts";
import type { Scenario } from "./schema.ts";
import { seededRandom } from "./seeded-random.ts";
import { Settling } from "./settling.ts";
import { scenarioTools } from "./tools.ts";

export interface PlayOptions {
  readonly store: Store;
  readonly create: typeof createSystem;
  /** ms since the epoch at which the virtual clock begins. */
  readonly now: number;
}

/**
 * A scenario on its way: a system under the scenario's model and tools, on a clock that only the player turns, with all
 * that was seen of it. A restart replaces the system and keeps the store, the clock and what was seen.
 */
export class Play {
  readonly scenario: Scenario;
  readonly clock: VirtualClock;
  readonly seen = new Observed();
  readonly children = new Children();
  readonly #activity = createActivity();
  readonly #settling: Settling;
  readonly #store: Store;
  readonly #create: typeof createSystem;
  readonly #tools: readonly Tool[];
  readonly #random = seededRandom();
  /** Threads that exist: the player made them, or the runtime did. */
  readonly #watched = new Map<string, Thread>();
  readonly #acknowledgements = new Map<string, () => void>();
  readonly #asking: Asking;
  #choice: ModelChoice;
  #budget: number | undefined;
  #life: Incarnation | undefined;
  #lives = 0;
  #system: System | undefined;
  /** Something that went wrong beside the steps; the next settling tells it. */
  #fault: PlayStopped | undefined;

  constructor(scenario: Scenario, { store, create, now }: PlayOptions) {
    this.scenario = scenario;
    this.#budget = scenario.budget;
    this.clock = virtualClock(now);
    this.#settling = new Settling(this.clock, this.#activity);
    this.#store = store;
    this.#create = create;
    this.#choice = { modelId: "scripted", supportsImages: scenario.model.supports_images };
    this.#asking = new Asking({
      view: (thread) => this.view(thread),
      asked: (request) => {
        this.#activity.beat();
        this.seen.request(request);
      },
      stopped: (why) => {
        this.#activity.beat();
        this.#fault ??= why;
      },
    });
    this.#tools = scenarioTools(scenario.tools, {
      clock: this.clock,
      dispatched: (call) => {
        this.#activity.beat();
        this.seen.dispatched.push({ ...call, life: this.#lives });
      },
      deliver: (envelope) =>
        void this.deliver([envelope]).catch((error) => {
          this.#fault ??= new PlayStopped("what a tool delivers is not accepted", { seen: String(error) });
        }),
      acknowledgement: ({ callId }) =>
        new Promise((resolve) => {
          this.#acknowledgements.set(callId, resolve);
        }),
    });
  }

  /** Starts a system on the store, and watches the threads it takes up before they can do anything. */
  async start(): Promise<void> {
    const life = incarnate(this.#store, this.clock, this.#activity, (threads) => this.#opened(threads));
    this.#life = life;
    this.#lives++;
    const system = await this.#create(
      {
        ...this.#modelOptions(),
        store: life.store,
        clock: life.clock,
        logger: this.#logger(),
        random: this.#random,
        tools: this.#tools,
        builtins: this.scenario.builtins,
        resident: this.scenario.mode === "resident",
        ...this.#bounds(),
        // A scenario restarts as often as it says, and no thread is set aside for that.
        limits: { restarts: Number.MAX_SAFE_INTEGER },
      },
      this.#hooks(),
    );
    this.#system = system;
    const known = new Set([...this.#watched.keys(), ...this.children.ids]);
    this.#watched.clear();
    for (const id of known) {
      const thread = await system.thread(id);
      if (thread) this.#watch(thread);
    }
    life.open();
  }

  /** The process dies where it stands. What it had open is gone; nothing of it does anything any more. */
  crash(): void {
    this.#life?.crash();
    this.seen.forgetOpen();
    this.#acknowledgements.clear();
  }

  async stop(): Promise<void> {
    let stopped = false;
    const stopping = this.#running.stop().then(() => {
      stopped = true;
    });
    // What holds up the end is given up after a time, which has to pass.
    for (let goesOn = true; !stopped && goesOn; ) {
      await this.#settling.quiet();
      if (!stopped) goesOn = await this.#settling.next();
    }
    if (!stopped) throw new PlayStopped("the system does not stop");
    await stopping;
    this.crash();
  }

  /** Launches the thread, or finds it. */
  async open(id: string, metadata?: JsonObject): Promise<void> {
    if (this.#watched.has(id)) return;
    const thread = await this.#running.open(id, metadata === undefined ? {} : { metadata });
    this.#watch(thread);
  }

  /** All are accepted before a thread looks at the first. What is refused at the door is noted, and is no failure. */
  async deliver(envelopes: readonly Envelope[]): Promise<void> {
    const end = this.#activity.begin();
    try {
      if (envelopes.length === 1) await this.#running.deliver(envelopes[0]);
      else await this.#running.deliver(envelopes);
    } catch (error) {
      if (!(error instanceof InputRefusedError)) throw error;
      this.seen.notes.push(`refused: ${error.message}`);
    } finally {
      end();
    }
  }

  /** For the slices that begin from now on. */
  setBudget(tokens: number): void {
    if (this.#budget === undefined) throw new PlayStopped("a budget is set in a scenario that begins without one");
    this.#budget = tokens;
  }

  /** Delivers a batch and has one slice of each thread in it run, with those that are brought back; waits for none. */
  step(envelopes: readonly Envelope[], threads: readonly string[]): void {
    const life = this.#lives;
    this.#running.slices([...envelopes, ...threads.map((threadId) => ({ threadId }))]).then(
      (stepped) => {
        this.#activity.beat();
        if (life !== this.#lives) return;
        for (const { threadId, outcome, error } of stepped.threads) {
          // What has completed is told by the end of its slice.
          if (outcome !== "completed") this.seen.outcomes.push([threadId, outcome]);
          if (error) this.seen.notes.push(`stepped: ${error.message}`);
        }
      },
      (error) => {
        if (life === this.#lives) this.#fault ??= new PlayStopped("a batch cannot be run", { seen: String(error) });
      },
    );
  }

  switchModel(choice: ModelChoice): void {
    this.#choice = choice;
    const { model, modelOptions } = this.#modelOptions();
    this.#running.useModel(model, modelOptions);
  }

  /** A viewer attaches; what it is shown is kept under a name. */
  async attach(thread: string, as: string): Promise<void> {
    const snapshot = await (await this.#running.thread(this.children.idOf(thread)))?.snapshot();
    if (!snapshot) throw new PlayStopped(`there is no thread ${thread} to attach to`);
    this.seen.snapshots.set(as, snapshot);
  }

  /** False when no call of that id waits to be acknowledged. */
  acknowledge(callId: string): boolean {
    const resolve = this.#acknowledgements.get(callId);
    this.#acknowledgements.delete(callId);
    resolve?.();
    return resolve !== undefined;
  }

  /** Lets the runtime go on until nothing can progress without the model, a tool, a timer or a person. */
  async settle(): Promise<void> {
    await this.#settling.rest(this.seen.retries);
    if (this.#fault) throw this.#fault;
  }

  /** Turns the clock; the runtime settles at each instant at which something is due. */
  advance(ms: number): Promise<void> {
    return this.#settling.advance(ms);
  }

  async thread(id: string): Promise<Thread | undefined> {
    return this.#running.thread(id);
  }

  /** What the store keeps of a thread: of a child its own part. */
  history(thread: string): Promise<readonly PlacedEntry[]> {
    return this.#store.history(thread as ThreadId);
  }

  /** What a thread sees as its history, with what it inherits. */
  view(thread: string): Promise<readonly PlacedEntry[]> {
    return viewOf(this.#store, thread as ThreadId, this.children.openingOf(thread));
  }

  /** Threads that have closed, in the order in which they did. */
  closed(): Promise<readonly string[]> {
    return closedThreads(this.#store);
  }

  /** The calls of all threads that were seen so far, with the scenario's names. */
  async calls(): Promise<CallBook> {
    const threads = new Set([...this.#watched.keys(), ...this.seen.asked.map(({ thread }) => thread)]);
    return callBook(new Map(await Promise.all([...threads].map(async (id) => [id, await this.view(id)] as const))));
  }

  get #running(): System {
    if (!this.#system) throw new Error("The play was not started.");
    return this.#system;
  }

  #watch(thread: Thread): void {
    this.#watched.set(thread.id, thread);
    thread.updates$.subscribe((update) => {
      this.#activity.beat();
      this.seen.update(update, (id) => this.children.sourceOf(id));
    });
  }

  /** Threads that the runtime created: they are held back until they are watched. */
  #opened(threads: readonly NewThread[]): void {
    this.#activity.beat();
    for (const thread of threads) if (this.children.add(thread)) this.seen.opened(thread);
    for (const { threadId } of threads) void this.#watchChild(threadId);
  }

  async #watchChild(id: ThreadId): Promise<void> {
    const end = this.#activity.begin();
    const life = this.#life;
    try {
      const thread = await this.#system?.thread(id);
      if (thread && life === this.#life && !this.#watched.has(id)) this.#watch(thread);
    } catch (error) {
      // A system that stops looks up no thread; the next one is asked for all there are.
      if (!(error instanceof SystemStoppedError))
        this.#fault ??= new PlayStopped("a thread that the runtime created cannot be found", { seen: String(error) });
    } finally {
      life?.letGo(id);
      end();
    }
  }

  /** The budget is asked for with each slice, so that it can be another; the failures of a model are outlasted as told. */
  #bounds(): Pick<SystemOptions, "threadConfig" | "onModelFailure"> {
    const { retry_after: waits } = this.scenario;
    return {
      ...(this.#budget !== undefined && { threadConfig: () => ({ budget: { tokens: this.#budget ?? 0 } }) }),
      ...(waits && { onModelFailure: { retryAfter: waits.map((seconds) => seconds * 1_000) } }),
    };
  }

  #modelOptions() {
    const { supportsImages } = this.#choice;
    const { context_window: contextWindow } = this.scenario.model;
    return {
      model: this.#asking.model(this.#choice),
      modelOptions: {
        eventsAs: "call" as const,
        supportsImages,
        ...(contextWindow > 0 && { contextWindow }),
      },
    };
  }

  #hooks(): SystemHooks {
    return {
      onRequest: (thread, prompt, uncommitted) => this.#asking.announce(thread, prompt, uncommitted),
      onAbort: (thread, callId) => {
        this.#activity.beat();
        this.seen.toldToStop.push({ thread, callId, life: this.#lives });
      },
    };
  }

  #logger(): Logger {
    const note = (fields: object, message: string) => {
      this.seen.notes.push(`logged: ${message} ${JSON.stringify(fields)}`);
    };
    const silent = () => {};
    return { debug: silent, info: silent, warn: silent, error: note };
  }
}
