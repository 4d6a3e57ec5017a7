import type { Subject } from "rxjs";
import type { CallId, ThreadId } from "../../../machines/history/ids.ts";
import { shownIdOf } from "../../../machines/history/ids.ts";
import { dedupKeyOf, Envelope } from "../../../machines/thread/input.ts";
import { type CrashPoint, onPoint } from "../../crash-points.ts";
import { InputRefusedError, LeaseHeldError, StoreError, SystemStoppedError } from "../../errors.ts";
import { silentLogger } from "../../logger.ts";
import type { ScriptedChunk } from "../../model/scripted/answer.ts";
import type { ScriptedRequest } from "../../model/scripted/request.ts";
import { createSender, type StoreSender } from "../../queue/sender.ts";
import { isShared } from "../../store/store.ts";
import { createSystem } from "../../system/create.ts";
import type { ToolCall } from "../../tool/call.ts";
import type { ProducerEvent } from "../../tool/define.ts";
import { type VirtualClock, virtualClock } from "../virtual-clock.ts";
import type { Coverage } from "./coverage.ts";
import { type Dice, dice } from "./dice.ts";
import { Gate } from "./gate.ts";
import { type Grounds, Life } from "./life.ts";
import { Record } from "./record.ts";
import { faultsOfCommit, faultsOfRequest } from "./rules/live.ts";
import type { Addressed, Happening, Said, Sketch, Step, Story } from "./step.ts";
import type { Stores } from "./stores.ts";
import { simulatedTools } from "./tools.ts";

export const rootNames = ["t0", "t1"] as const;

/** An envelope that was sent, and what its sender was told: null while nothing was said. */
export interface Sent {
  readonly envelope: Envelope;
  /** What R2 compares, across threads. */
  readonly key: string;
  readonly by: Life;
  /** What goes one way keeps its order; of two ways nobody can say which is faster. */
  readonly way: string;
  answer: boolean | "refused" | "failed" | null;
}

/** A tool was called. */
export interface Begun {
  readonly name: string;
  readonly callId: CallId;
  readonly threadId: ThreadId;
  /** What the store knew of the call at that moment. */
  readonly durable: boolean;
  readonly started: boolean;
  /** A result of the call was durable already. */
  readonly answered: boolean;
  readonly closed: boolean;
  readonly life: number;
  /** Another process has taken over, and this one does not know yet. */
  readonly unaware: boolean;
}

/** Small numbers, so that a short story meets every limit. ms. */
const limits = {
  rounds: 3,
  equalCalls: 2,
  subscriptions: 2,
  children: 2,
  depth: 2,
  eventChildrenAtOnce: 2,
  eventChildLinger: 20_000,
  tries: 3,
  lease: 6_000,
  pollInterval: 1_000,
};

/** Turns of the world after which something goes round in circles. */
const patience = 6_000;

/** Lets everything follow that follows without time, chance or anybody's doing. */
const breathe = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** A crash that was asked for: what stands behind the point does not happen. */
class Crash extends Error {
  override readonly name = "Crash";
}

/** Where the store has done nothing yet, or has done it all: what it answers is never heard. */
const insideTheStore: ReadonlySet<CrashPoint> = new Set(["created", "accepted", "committed", "acknowledged"]);

/**
 * A whole running system, process after process on one store, under a clock that stands until it is turned, with a record
 * of everything that can be seen from outside. What happens when is decided by the story and its seed alone.
 */
export class World {
  readonly clock: VirtualClock = virtualClock(1_000);
  readonly record: Record;
  readonly sent: Sent[] = [];
  readonly begun: Begun[] = [];
  /** Calls that were told to stop. */
  readonly stopped = new Set<CallId>();
  readonly lives: Life[] = [];
  readonly faults = new Set<string>();
  /** What happened, for people. */
  readonly log: string[] = [];
  readonly coverage: Coverage;
  crashes = 0;
  /** The process that runs the threads now. */
  main: Life;
  readonly #story: Story;
  readonly #stores: Stores;
  readonly #chance: Dice;
  readonly #grounds: Grounds;
  readonly #gate: Gate;
  readonly #askers = new WeakMap<object, ThreadId>();
  readonly #offPoints: () => void;
  #producers: Subject<ProducerEvent>[] = [];
  #sender: Life | undefined;
  readonly #senders = new Map<Life, StoreSender>();
  #armed: { readonly point: CrashPoint; left: number } | undefined;
  #failures = 0;
  #words = 0;
  #ids = 0;
  #resting: { readonly life: Life; readonly changes: number; readonly until: number; done: boolean } | undefined;

  constructor(story: Story, stores: Stores, coverage: Coverage) {
    this.#story = story;
    this.#stores = stores;
    this.coverage = coverage;
    this.#chance = dice(story.chance);
    this.#gate = new Gate(this.#chance);
    this.record = new Record({
      committing: (commit, before, life) => this.blame(faultsOfCommit(this, commit, before, life)),
    });
    this.#grounds = {
      gate: this.#gate,
      clock: this.clock,
      record: this.record,
      waits: () => this.#chance.of(["before", "after", "not"] as const),
      fails: () => this.#failures-- > 0,
      leased: undefined,
      acting: undefined,
    };
    this.#offPoints = onPoint((point) => this.#reached(point));
    this.main = this.#begin();
  }

  blame(faults: Iterable<string>): void {
    for (const fault of faults) this.faults.add(fault);
  }

  /** Who holds the lease, where there is one. */
  get leased(): Life | undefined {
    return this.#grounds.leased;
  }

  /** Requests to models of processes that live, with the threads they are of. */
  get openRequests(): readonly {
    readonly life: Life;
    readonly threadId: ThreadId;
    readonly request: ScriptedRequest;
  }[] {
    return this.lives.flatMap((life) =>
      life.alive && !life.paused
        ? life.model.openRequests.map((request) => ({ life, request, threadId: this.askerOf(request) }))
        : [],
    );
  }

  /** Another process has taken over from it: nothing of what it does from here on is durable. */
  isUnaware(life: Life): boolean {
    return this.leased !== undefined && this.leased !== life;
  }

  askerOf({ prompt }: ScriptedRequest): ThreadId {
    return this.#askers.get(prompt) ?? ("?" as ThreadId);
  }

  async play(steps: readonly Step[]): Promise<void> {
    await this.#drive(() => this.main.roots.length > 0);
    for (const step of steps) {
      this.#wake();
      this.log.push(JSON.stringify(step));
      await this.#play(step);
      await breathe();
      for (let left = step.lets; left > 0 && this.#gate.count > 0; left--) {
        this.#gate.release();
        await breathe();
        this.#revive();
      }
      this.#revive();
    }
  }

  /**
   * Lets everything end that can end without new input: senders that were told nothing send again, the model answers, the
   * clock is turned while a slice waits for it. What does not come to rest is a fault.
   */
  async finish(): Promise<void> {
    this.#failures = 0;
    this.#armed = undefined;
    for (const life of this.lives) if (life.paused && this.leased === life) this.#kill(life);
    await this.#drive(() => this.main.roots.length > 0);
    this.#wake();
    const last = new Map(this.sent.map((sent) => [sent.key, sent]));
    for (const { envelope, answer } of last.values()) if (answer === "failed") this.#send([envelope], false);
    await this.#drive(() => this.#isAtRest());
  }

  /** The owner's own envelopes, one to each of the threads, and all that follows from them. */
  async tell(threads: readonly ThreadId[], input: (threadId: ThreadId) => unknown): Promise<void> {
    for (const threadId of threads)
      this.#send([Envelope.parse({ threadId, dedupId: `last${this.#words++}`, input: input(threadId) })], false);
    await this.finish();
  }

  word(kind: string): string {
    return `${kind}${this.#words++}`;
  }

  async end(): Promise<void> {
    if (this.main.system) await this.#stop(this.main);
    this.#offPoints();
    for (const life of this.lives) life.die();
    if (this.#sender) this.#sender.die();
    await breathe();
    await Promise.all(
      [...new Set([...this.lives, this.#sender].flatMap((life) => (life ? [life.raw] : [])))].map(this.#stores.close),
    );
  }

  // ---- processes

  #begin(): Life {
    const life = new Life(this.lives.length, this.#stores.open(), this.#grounds, this.#story.signs);
    this.lives.push(life);
    this.main = life;
    this.#producers = [];
    this.#come(life).catch((error: unknown) => {
      if (life.alive && !life.stopping && (this.leased ?? life) === life)
        this.blame([`R9: a system does not begin: ${String(error)}`]);
    });
    return life;
  }

  async #come(life: Life): Promise<void> {
    const system = await this.#create(life);
    if (!life.alive) return;
    life.system = system;
    const roots = [];
    for (const name of rootNames) roots.push(await system.open(name, { instructions: name }));
    life.roots = roots;
  }

  async #create(life: Life): ReturnType<typeof createSystem> {
    for (;;) {
      try {
        return await createSystem(this.#optionsOf(life), {
          freshId: () => `n${this.#ids++}`,
          onInspection: this.coverage.note,
          onRequest: (threadId, prompt, uncommitted) => {
            if (!life.alive) return;
            this.#askers.set(prompt, threadId);
            this.blame(faultsOfRequest(this, threadId, uncommitted, life));
          },
          onAbort: (_, callId) => life.alive && this.stopped.add(callId),
        });
      } catch (error) {
        if (!(error instanceof LeaseHeldError)) throw error;
        await new Promise<void>((resolve) => life.clock.setTimeout(resolve, error.until - this.clock.now() + 1));
      }
    }
  }

  #optionsOf(life: Life): Parameters<typeof createSystem>[0] {
    return {
      model: life.model,
      modelOptions: { eventsAs: this.#story.signs ? "text" : "call" },
      store: life.store,
      clock: life.clock,
      logger: silentLogger,
      random: () => this.#chance.next(),
      limits,
      tools: simulatedTools({
        began: (name, call) => this.#began(life, name, call),
        turn: () => this.#gate.turn(life),
        opened: (events) => life === this.main && this.#producers.push(events),
      }),
    };
  }

  /** A point where a process can end: it does when the story says so. */
  #reached(point: CrashPoint): void {
    this.coverage.points.add(point);
    const armed = this.#armed;
    if (armed?.point !== point || --armed.left > 0) return;
    this.#armed = undefined;
    this.#kill(this.#grounds.acting ?? this.main);
    if (!insideTheStore.has(point)) throw new Crash(point);
  }

  #kill(life: Life): void {
    this.crashes++;
    this.log.push(`process ${life.index} ends`);
    life.die();
    for (const sent of this.sent) if (sent.by === life) sent.answer ??= "failed";
  }

  /** Where the process has died, another begins. */
  #revive(): void {
    if (this.#sender && !this.#sender.alive) this.#sender = undefined;
    const { leased, main } = this;
    if (leased && leased !== main && !leased.paused) {
      const isUp = leased.alive && leased.roots.length > 0;
      // The process that was to be taken over from was faster, or has taken the lease back; or nobody has it any more.
      if (isUp === (main.system === undefined)) main.die();
      if (isUp) this.main = leased;
    }
    if (!this.main.alive) this.#begin();
  }

  /** A process that stood still goes on, once another has taken over. */
  #wake(): void {
    for (const life of this.lives) if (life.paused && this.leased !== life) life.goOn();
  }

  async #stop(life: Life): Promise<void> {
    let stopped = false;
    life.stopping = true;
    life.system?.stop().then(
      () => {
        stopped = true;
      },
      (error: unknown) => this.blame([`R9: a system does not stop: ${String(error)}`]),
    );
    await this.#drive(() => stopped || !life.alive, false);
    life.die();
    for (const sent of this.sent) if (sent.by === life) sent.answer ??= "failed";
  }

  #takeOver(): void {
    const old = this.main;
    if (!isShared(old.store) || !old.system) return;
    old.paused = true;
    this.log.push(`process ${old.index} stands still`);
    this.#begin();
  }

  // ---- time

  /** Operations end, one after the other, until `done`, or until nothing more happens by itself. */
  async #drive(done: () => boolean, answers = true): Promise<void> {
    for (let turns = 0; turns < patience; turns++) {
      await breathe();
      this.#revive();
      if (this.#gate.count > 0) {
        this.#gate.release();
        continue;
      }
      if (done()) return;
      await breathe();
      if (this.#gate.count > 0) continue;
      if (done()) return;
      const open = answers ? this.openRequests[0] : undefined;
      const next = this.clock.due[0];
      if (open) open.request.answer(this.word("ok"));
      else if (next !== undefined) await this.clock.advance(next - this.clock.now(), breathe);
    }
    const restless = [...this.record.pages.values()].flatMap(({ threadId, state, inbox }) =>
      state === "running" || inbox.size > 0 ? [`${threadId} is ${state}, ${inbox.size} inputs wait`] : [],
    );
    this.blame([`R9: it does not come to rest: ${restless.join("; ") || "no thread says why"}`]);
  }

  #isAtRest(): boolean {
    const { main } = this;
    if (main.roots.length === 0 || this.openRequests.length > 0) return false;
    if (this.sent.some(({ answer }) => answer === null)) return false;
    const { changes } = this.record;
    const now = this.clock.now();
    if (this.#resting?.life !== main || this.#resting.changes !== changes) {
      const resting = {
        life: main,
        changes,
        until: isShared(main.store) ? now + limits.pollInterval * 2 : now,
        done: false,
      };
      this.#resting = resting;
      Promise.all(main.roots.map((thread) => thread.atRest({ tree: true }))).then(
        () => {
          resting.done = true;
        },
        // Its process has ended; the next one is asked.
        () => {},
      );
      return false;
    }
    return this.#resting.done && now >= this.#resting.until;
  }

  // ---- steps

  async #play(step: Happening): Promise<void> {
    switch (step.do) {
      case "send":
        return this.#send(
          step.inputs.map((input) => this.#envelopeOf(input)),
          step.there,
        );
      case "again": {
        const sent = this.sent[step.pick % this.sent.length];
        return sent && this.#send([sent.envelope], step.pick % 3 === 0);
      }
      case "answer": {
        const open = this.openRequests;
        const one = open[step.pick % open.length];
        if (!one) return;
        const said = step.said.flatMap((part) => this.#chunkOf(part, one.threadId));
        this.log.push(`  ${one.threadId}'s model: ${JSON.stringify(said)}`);
        one.request.stream(said, step.end);
        return;
      }
      case "emit":
        return this.#emit(step);
      case "pass":
        return this.clock.advance(step.ms, breathe);
      case "fail":
        this.#failures = step.times;
        return;
      case "switch":
        this.main.system?.useModel(this.main.model, { eventsAs: this.#story.signs ? "text" : "call" });
        return;
      case "crash":
        this.#kill(this.main);
        return;
      case "crash at":
        this.#armed = { point: step.point, left: step.nth };
        return;
      case "restart": {
        const life = this.main;
        if (life.system) await this.#stop(life);
        return;
      }
      case "take over":
        this.#takeOver();
        return this.clock.advance(limits.lease + 1, breathe);
    }
  }

  #emit({ pick, what }: Extract<Happening, { do: "emit" }>): void {
    const events = this.#producers[pick % this.#producers.length];
    if (what === "complete") events?.complete();
    if (what === "error") events?.error(new Error("secret of a producer"));
    if (what === "complete" || what === "error") return;
    const text = this.word("e");
    if (what === "nonsense") events?.next({ words: text } as never);
    else if (what === "repeat") events?.next({ text, associative: true, id: "same" });
    else events?.next({ text, associative: what !== "threaded", final: what === "final" });
  }

  #send(envelopes: readonly Envelope[], there: boolean): void {
    const shared = isShared(this.main.store);
    if (there && shared) this.#sender ??= new Life(-1, this.#stores.open(), this.#grounds, false);
    const by = there && this.#sender ? this.#sender : this.main;
    const way = `${there ? "sender" : "system"} ${by.index}`;
    for (const envelope of envelopes) {
      const sent: Sent = { envelope, key: `${envelope.threadId} ${dedupKeyOf(envelope)}`, by, way, answer: null };
      this.sent.push(sent);
      this.log.push(`  ${envelope.threadId} ${envelope.dedupId}: ${JSON.stringify(envelope.input)}`);
    }
    const parcels = this.sent.slice(-envelopes.length);
    const { system } = this.main;
    if (!there && !system) {
      for (const parcel of parcels) parcel.answer = "failed";
      return;
    }
    const settle = (parcel: Sent, answer: NonNullable<Sent["answer"]>): void => {
      parcel.answer ??= answer;
    };
    const fail = (failed: readonly Sent[]) => (error: unknown) => {
      const refused = error instanceof InputRefusedError;
      for (const parcel of failed) settle(parcel, refused ? "refused" : "failed");
      if (!refused && !(error instanceof Crash || error instanceof StoreError || error instanceof SystemStoppedError))
        this.blame([`a sender was told ${String(error)}`]);
    };
    if (!there && system) {
      system.deliver(envelopes).then((fresh) => {
        for (const [index, parcel] of parcels.entries()) settle(parcel, fresh[index] ?? "failed");
      }, fail(parcels));
      return;
    }
    const sender = this.#senderOf(by);
    for (const parcel of parcels) sender.send(parcel.envelope).then((fresh) => settle(parcel, fresh), fail([parcel]));
  }

  #senderOf(life: Life): StoreSender {
    const sender = this.#senders.get(life) ?? createSender(life.store, { clock: life.clock, logger: silentLogger });
    this.#senders.set(life, sender);
    return sender;
  }

  #began(life: Life, name: string, { id: callId, threadId }: ToolCall): void {
    if (!life.alive) return;
    const page = this.record.page(threadId);
    this.begun.push({
      name,
      callId,
      threadId,
      durable: page.calls.has(callId),
      started: page.started.has(callId),
      answered: this.record.isAnswered(threadId, callId),
      closed: page.state === "closed",
      life: life.index,
      unaware: this.isUnaware(life),
    });
  }

  // ---- what is sent and said

  #envelopeOf({ thread, id, sketch }: Addressed): Envelope {
    const word = this.word("m");
    const threads = [...this.record.pages.keys()];
    const input = this.#inputOf(sketch, word);
    const about = "callId" in input ? (input.callId as string) : undefined;
    // One in seven goes to another thread than the one the call is of.
    const threadId =
      about !== undefined && thread % 7 !== 1
        ? about.slice(0, about.lastIndexOf("#"))
        : threads[thread % threads.length];
    return Envelope.parse({ threadId: threadId ?? rootNames[0], dedupId: id === null ? word : `d${id}`, input });
  }

  #inputOf(sketch: Sketch, word: string): { readonly kind: string } {
    switch (sketch.kind) {
      case "text":
        return { kind: "text", text: word, whileBusy: sketch.waits ? "wait" : "interrupt" } as never;
      case "result": {
        const { pick, subscription, error } = sketch;
        const more = { ...(subscription && { subscription: true }), ...(error && { error: true }) };
        return {
          kind: "result",
          callId: this.#callAt(pick),
          content: [{ type: "text", text: word }],
          ...more,
        } as never;
      }
      case "event": {
        const { pick, associative, final } = sketch;
        return { kind: "event", callId: this.#callAt(pick), text: word, associative, final } as never;
      }
      case "progress":
        return { kind: "progress", callId: this.#callAt(sketch.pick), text: word } as never;
      default:
        return { kind: sketch.kind };
    }
  }

  /**
   * Three in four are calls and subscriptions that live, where there are any. The others are near misses too: calls long
   * settled, one that never was.
   */
  #callAt(pick: number): CallId {
    const pages = [...this.record.pages.values()];
    const live = pages.flatMap(({ calls, subscriptions }) => [...calls.keys(), ...subscriptions]);
    const every = [...pages.flatMap(({ made }) => [...made.keys()]).reverse(), "t0#99.0" as CallId];
    const known = pick % 4 !== 0 && live.length > 0 ? live : every;
    return known[(pick >> 1) % known.length] ?? ("t0#99.0" as CallId);
  }

  #chunkOf(said: Said, threadId: ThreadId): ScriptedChunk[] {
    switch (said.says) {
      case "text":
        return [{ text: this.word("a") }];
      case "blank":
        return [{ text: " " }];
      case "reasoning":
        return [{ reasoning: "hm" }];
      case "unsigned reasoning":
        return [{ unsigned_reasoning: "hm" }];
      case "call": {
        const { tool, id, garbled } = said;
        // A name that no provider takes is sent back as another, under which its signature is not valid.
        if (tool === "" && this.#story.signs) return [];
        const raw = garbled ? '{"how":' : JSON.stringify(this.#argsOf(said, threadId));
        const shown = id === "own" ? undefined : id === "empty" ? "" : "same";
        return [{ tool_call: { name: tool, raw, id: shown } }];
      }
    }
  }

  #argsOf({ tool, how, pick }: Extract<Said, { says: "call" }>, threadId: ThreadId): object {
    const page = this.record.page(threadId);
    const parts = [...this.record.pages.values()];
    switch (tool) {
      case "sleep":
        return { seconds: 1 + (pick % 5) };
      case "sleep_until":
        return { date: "1970-01-01", time: `00:0${pick % 4}:0${pick % 9}`, timezone: "UTC" };
      case "sleep_until_event_or_input":
        return {};
      case "spawn_thread":
        return {
          instructions: this.word("i"),
          child_of: pick % 9 === 0 ? [] : [...(page.opening?.stack ?? []), threadId],
        };
      case "report_to_parent":
        return { report: this.word("r") };
      case "send_message_to_child": {
        const children = parts.filter(({ opening, state }) => opening?.parent === threadId && state !== "closed");
        return { thread_id: children[pick % children.length]?.threadId ?? "nobody", message: this.word("w") };
      }
      case "close_thread":
        return { thread_id: threadId, ...(pick % 2 === 0 && { report_to_parent: this.word("c") }) };
      case "cancel_subscription": {
        const active = [...page.subscriptions];
        const callId = active[pick % active.length];
        return { tool_call_id: callId === undefined ? "none" : shownIdOf(callId) };
      }
      default:
        return { how };
    }
  }
}
