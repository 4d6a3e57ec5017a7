import { initialTransition, transition } from "xstate";
import type { z } from "zod";
import { type CallId, ThreadId } from "../../../machines/history/ids.ts";
import type { RoundOutput } from "../../../machines/round/turn.ts";
import type { TreeUse } from "../../../machines/thread/budget.ts";
import type { InlineResult } from "../../../machines/thread/close.ts";
import type { Subscription, ThreadCommit } from "../../../machines/thread/commit.ts";
import type { Opening } from "../../../machines/thread/family.ts";
import { Input, type WaitingInput } from "../../../machines/thread/input.ts";
import type { Death, ThreadLimits } from "../../../machines/thread/ledger.ts";
import { threadMachine } from "../../../machines/thread/machine.ts";
import { applyCommit, nothingStored, type Stored } from "./stored.ts";

/** An input as a test writes it: what the schema defaults, and the dedup id, may be left out. */
export type GivenInput = z.input<typeof Input> & { dedupId?: string };

export const threadId = ThreadId.parse("t1");

export const foldLimits: ThreadLimits = {
  rounds: 100,
  equalCalls: 5,
  subscriptions: 100,
  children: 50,
  depth: 5,
  eventChildrenAtOnce: 4,
  eventChildLinger: 3_600_000,
  approval: 86_400_000,
  restarts: 3,
  round: { tries: 11, silence: 60_000, slowRetry: 60_000 },
};

type Snapshot = ReturnType<typeof threadMachine.getInitialSnapshot>;

/** What a fold is among others. Ids of the threads it opens begin with `freshId`. */
export interface Place {
  readonly threadId: ThreadId;
  readonly freshId: string;
  /** Called with each commit, once it is applied. */
  readonly committed: (commit: ThreadCommit) => void;
}

/**
 * A thread driven by hand: XState's pure `transition`, so nothing starts and nothing waits. What the chart asks for is
 * kept as data; whoever drives it says how each effect ended.
 */
export class Fold {
  snapshot: Snapshot;
  /** What was committed, restarts included. */
  readonly commits: ThreadCommit[];
  /** Commits beside the slice, as they were put together. */
  readonly recorded: ThreadCommit[] = [];
  readonly aborted: CallId[] = [];
  readonly announced: string[] = [];
  readonly cuts: string[] = [];
  readonly resumed: Subscription[] = [];
  readonly stored: Stored;
  readonly limits: ThreadLimits;
  /** Tokens that its model takes. */
  window: number | null = null;
  readonly opening: Opening | null;
  readonly place: Place;
  #seq: number;
  #now = 1_000;
  readonly #queue: { commit: ThreadCommit; awaited: boolean }[] = [];

  constructor(
    limits: Partial<ThreadLimits> = {},
    stored?: Stored,
    commits: ThreadCommit[] = [],
    working: CallId[] = [],
    opening: Opening | null = null,
    place: Place = { threadId, freshId: "child", committed: () => {} },
    death: Death | null = null,
  ) {
    this.opening = opening;
    this.place = place;
    this.commits = commits;
    this.limits = { ...foldLimits, ...limits };
    this.stored = stored ?? nothingStored();
    this.#seq = Math.max(0, ...this.stored.inbox.map(({ seq }) => seq), this.stored.version * 1_000);
    const { version, record, calls, subscriptions, choices = [], children } = this.stored;
    const [snapshot, actions] = initialTransition(threadMachine, {
      threadId: place.threadId,
      limits: this.limits,
      version,
      record,
      calls,
      subscriptions,
      choices,
      inbox: [...this.stored.inbox],
      children,
      opening,
      freshId: `${place.freshId}${commits.length}`,
      working,
      death,
    });
    this.snapshot = snapshot;
    this.#collect(actions);
  }

  get state(): string {
    const { value } = this.snapshot;
    if (typeof value === "string") return value;
    const inner = (value as { running: string | Record<string, string> }).running;
    if (typeof inner === "string") return `running.${inner}`;
    const [name, part] = Object.entries(inner)[0] ?? [];
    return name === "preparing" ? "running.preparing" : `running.${name}.${part}`;
  }

  get context() {
    return this.snapshot.context;
  }

  now(): number {
    this.#now += 1;
    return this.#now;
  }

  /** Accepts inputs together; what the schema defaults may be left out. */
  accept(...inputs: GivenInput[]): this {
    return this.hear(this.file(...inputs));
  }

  /** Inputs become durable, and the thread is not told yet. */
  file(...inputs: GivenInput[]): readonly WaitingInput[] {
    const waiting = inputs.map(({ dedupId, ...input }): WaitingInput => {
      this.#seq += 1;
      return { seq: this.#seq, dedupId: dedupId ?? `d${this.#seq}`, input: Input.parse(input), at: this.now() };
    });
    this.stored.inbox.push(...waiting);
    return waiting;
  }

  /** The thread is told of inputs that are durable. */
  hear(inputs: readonly WaitingInput[]): this {
    this.#send({ type: "inputs.accepted", inputs });
    return this;
  }

  /** What a slice loads when it begins is another now. */
  reconfigured(): this {
    this.#send({ type: "configuration.changed" });
    return this;
  }

  /** The system stops. */
  stopping(): this {
    this.#send({ type: "system.stopping", at: this.now() });
    return this;
  }

  /** Whoever runs the thread leaves it after the round that goes on. */
  leaving(): this {
    this.#send({ type: "system.leaving" });
    return this;
  }

  waits(actor: "gather" | "prepare" | "round" | "commit" | "dispatch" | "inline"): boolean {
    return this.snapshot.children[actor] !== undefined;
  }

  /** What is to be summarised was read: so many characters. */
  preparedSummary(size = 1_000): this {
    return this.#done("gather", { size });
  }

  /** `tree`: what its budget is, and what was used of it. */
  prepared(tree?: TreeUse): this {
    return this.#done("prepare", { at: this.now(), repair: null, window: this.window, tree });
  }

  answered(output: Partial<RoundOutput> = {}): this {
    const whole: RoundOutput = {
      outcome: "finished",
      blocks: [],
      usage: { inputTokens: 1, outputTokens: 1 },
      model: "scripted/test",
      at: this.now(),
      ...output,
    };
    return this.#done("round", whole);
  }

  committed(tree?: TreeUse): this {
    const slice = this.#queue.shift();
    if (!slice?.awaited) throw new Error(`no commit is under way in ${this.state}`);
    this.#apply(slice.commit);
    this.#drain();
    return this.#done("commit", { at: this.now(), tree });
  }

  dispatched(): this {
    const ids = this.context.calls.filter(({ form }) => form !== "inline").map(({ callId }) => callId);
    this.stored.calls = this.stored.calls.map((call) =>
      ids.includes(call.callId) && call.status === "committed" ? { ...call, status: "started" } : call,
    );
    return this.#done("dispatch", { at: this.now() });
  }

  ranInline(results: readonly InlineResult[]): this {
    return this.#done("inline", { results, at: this.now() });
  }

  /** The call of that name that is outstanding. */
  call(name: string): CallId {
    const call = this.context.calls.find((other) => other.name === name);
    if (!call) throw new Error(`no outstanding call ${name} in ${this.context.calls.map((other) => other.name)}`);
    return call.callId;
  }

  /** A crash: a new actor on what was stored, in another process. */
  restarted(): Fold {
    return new Fold(this.limits, structuredClone(this.stored), this.commits, [], this.opening, this.place);
  }

  /** The same, where the process died: what it was about is counted. */
  died(of: Death["of"] = "process"): Fold {
    const death: Death = { of, at: Number.MAX_SAFE_INTEGER, life: `after ${this.commits.length}` };
    return new Fold(this.limits, structuredClone(this.stored), this.commits, [], this.opening, this.place, death);
  }

  /** It left memory in the life that followed a death, and is needed again. */
  cameBack(): Fold {
    const { death } = this.context;
    return new Fold(this.limits, structuredClone(this.stored), this.commits, [], this.opening, this.place, death);
  }

  /** The thread slept and comes back in the same process: its calls are at work there. */
  reloaded(): Fold {
    const working = [...this.stored.calls, ...this.stored.subscriptions].map(({ callId }) => callId);
    return new Fold(this.limits, structuredClone(this.stored), this.commits, working, this.opening, this.place);
  }

  #done(id: string, output: unknown): this {
    if (!this.snapshot.children[id]) throw new Error(`${id} is not invoked in ${this.state}`);
    this.#send({ type: `xstate.done.actor.${id}`, output, actorId: id } as never);
    return this;
  }

  #send(event: Parameters<typeof transition<typeof threadMachine>>[2]): void {
    const [snapshot, actions] = transition(threadMachine, this.snapshot, event);
    this.snapshot = snapshot as Snapshot;
    this.#collect(actions);
  }

  #collect(actions: readonly { type: string; params: unknown }[]): void {
    for (const { type, params } of actions) {
      if (type === "record") {
        const { commit } = params as { commit: ThreadCommit };
        this.recorded.push(commit);
        this.#queue.push({ commit, awaited: false });
      }
      if (type === "xstate.spawnChild" && (params as { src?: string }).src === "commit")
        this.#queue.push({ commit: (params as { input: ThreadCommit }).input, awaited: true });
      if (type === "abort") this.aborted.push(...(params as { calls: CallId[] }).calls);
      if (type === "announce")
        this.announced.push(...(params as { deferred: WaitingInput[] }).deferred.map(({ dedupId }) => dedupId));
      if (type === "resume") this.resumed.push(...(params as { subscriptions: Subscription[] }).subscriptions);
      if (type === "cutInline") this.cuts.push("inline");
      if (type === "xstate.sendTo" && (params as { event?: { type: string } }).event?.type === "round.cut")
        this.cuts.push("round");
    }
    this.#drain();
  }

  /** Commits beside the slice are made at once, but never before one that was put together earlier. */
  #drain(): void {
    while (this.#queue[0] && !this.#queue[0].awaited) {
      const next = this.#queue.shift();
      if (next) this.#apply(next.commit);
    }
  }

  #apply(commit: ThreadCommit): void {
    applyCommit(this.stored, commit);
    this.commits.push(commit);
    this.place.committed(commit);
  }
}
