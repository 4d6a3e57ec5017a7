import { type Actor, createActor, type SnapshotFrom } from "xstate";
import type { ThreadId } from "../../machines/history/ids.ts";
import type { View } from "../../machines/thread/choice.ts";
import type { ThreadCommit, ThreadState } from "../../machines/thread/commit.ts";
import { leavesWork } from "../../machines/thread/decide.ts";
import type { Fact } from "../../machines/thread/facts.ts";
import type { WaitingInput } from "../../machines/thread/input.ts";
import type { Death } from "../../machines/thread/ledger.ts";
import type { threadMachine } from "../../machines/thread/machine.ts";
import { restingState } from "../../machines/thread/rest.ts";
import type { AcceptedInput, Notice } from "../queue/notice.ts";
import type { Acceptance, CommitOutcome, LoadedThread } from "../store/store.ts";
import { type Configuration, configurationOf } from "./configuration.ts";
import { type Conversation, createConversation, type Inherited } from "./conversation.ts";
import type { ThreadEnvironment } from "./environment.ts";
import { createHearing, type Hearing } from "./hearing.ts";
import { ownCommit } from "./own-commit.ts";
import { persist, StoppedWaiting } from "./persist.ts";
import { type SeenInputs, seenInputs } from "./seen-inputs.ts";
import { followedBy, type RoundSoFar } from "./so-far.ts";
import type { Announcement, LiveUpdate } from "./update.ts";

export type ThreadSnapshot = SnapshotFrom<typeof threadMachine>;

/** The public name of a snapshot's state: the top level of the chart. A stopped one is in the state it will wake to. */
export const stateOf = ({ value, context }: ThreadSnapshot): ThreadState => {
  if (value === "stopped") return leavesWork(context) ? "running" : restingState(context);
  return (typeof value === "string" ? value : Object.keys(value)[0]) as ThreadState;
};

/** A commit that waits for the actor's start to be over. */
interface EarlyCommit {
  readonly version: number;
  readonly write: () => void;
}

/**
 * A thread that is in memory: its actor, its conversation, and the queue of its commits. One for each thread id; the
 * system keeps them.
 */
export class Resident {
  readonly threadId: ThreadId;
  readonly loaded: LoadedThread;
  readonly conversation: Conversation;
  readonly actor: Actor<typeof threadMachine>;
  /** What the open round has shown; null between rounds. */
  round: RoundSoFar | null = null;
  /** The latest of each type. */
  readonly views: Map<string, View>;
  /** The feed position of the last fact that this resident knows of; 0 before the first. */
  feed = 0;
  /** Cuts the inline calls that run; a fresh one for each time inline calls begin. */
  inlineCut = new AbortController();
  readonly #env: ThreadEnvironment;
  readonly #onState: (state: ThreadState) => void;
  readonly #onDeath: (cause: unknown) => void;
  readonly #onEnd: () => void;
  /** What the thread works with; undefined before the first slice in this process. */
  #configuration: Configuration | undefined;
  /** Nothing of it is taken over by the next slice. */
  #isStale = false;
  /** Commits that are not durable yet. */
  #underway = 0;
  #commits: Promise<unknown> = Promise.resolve();
  /** Commits of an actor that is just starting; undefined afterwards. */
  #early: EarlyCommit[] | undefined;
  readonly #seen: SeenInputs;
  readonly #hearing: Hearing;
  #state: ThreadState | undefined;
  /** What who watches was told last. */
  #told: ThreadState | undefined;

  /**
   * `onDeath`: the actor failed and can do nothing more; StoppedWaiting: another has written. `onEnd`: it has closed, or was stopped. Each is called once.
   * `onState`: with each new state, the first included. `announced`: inputs up to this number were told as deferred.
   */
  constructor(
    env: ThreadEnvironment,
    machine: typeof threadMachine,
    loaded: LoadedThread,
    {
      onDeath,
      onEnd,
      onState,
      inherited,
      death,
      announced = 0,
    }: {
      readonly onDeath: (cause: unknown) => void;
      readonly onEnd: () => void;
      readonly onState: (state: ThreadState) => void;
      readonly inherited?: Inherited | undefined;
      /** What the thread's last life may have died of. */
      readonly death: Death | null;
      readonly announced?: number | undefined;
    },
  ) {
    this.#env = env;
    this.#onDeath = onDeath;
    this.#onEnd = onEnd;
    this.#onState = onState;
    this.#seen = seenInputs(loaded);
    this.threadId = loaded.threadId;
    this.#hearing = createHearing({
      seen: this.#seen,
      take: (inputs) => this.accept(inputs),
      read: async () => {
        const now = await persist(`inbox of ${this.threadId}`, () => env.store.load(this.threadId), env);
        return now?.inbox ?? [];
      },
      failed: (error) => {
        const { threadId } = this;
        if (!env.signal.aborted) env.logger.error({ threadId, error: String(error) }, "the inbox could not be read");
      },
    });
    this.loaded = loaded;
    this.views = new Map(loaded.views.map((view) => [view.viewType, view]));
    this.conversation = createConversation(env.store, loaded, inherited);
    const { threadId, version, record, calls, subscriptions, choices, inbox, opening, children } = loaded;
    const working = [...calls, ...subscriptions].map(({ callId }) => callId).filter(env.registry.has);
    this.actor = createActor(machine, {
      input: {
        threadId,
        version,
        record,
        calls,
        subscriptions,
        choices,
        inbox,
        working,
        opening,
        children,
        freshId: env.freshId(),
        limits: env.limits,
        configuresEachSlice: env.configuresEachSlice,
        announced,
        keepsSummaries: env.store.summary !== undefined,
        death,
        now: env.clock.now(),
      },
      clock: env.clock as never,
      ...(env.hooks.onInspection && { inspect: env.hooks.onInspection }),
    });
    env.inspection.adopt(this.actor);
  }

  /** Starts the actor on the record and the inbox. */
  start(): void {
    this.actor.subscribe({
      next: (snapshot) => this.#changed(snapshot),
      error: (error) => {
        const { threadId } = this;
        this.#env.logger.error({ threadId, error: String(error) }, "the thread's actor failed; it is loaded anew");
        this.#onDeath(error);
      },
      complete: () => this.#onEnd(),
    });
    // What a starting actor invokes begins before the actions that came first: the version says which commit is earlier.
    const early: EarlyCommit[] = [];
    this.#early = early;
    this.actor.start();
    this.#early = undefined;
    for (const { write } of early.sort((a, b) => a.version - b.version)) write();
  }

  /** Inputs that are durable, in the order of acceptance. What was seen already is left out. */
  accept(inputs: readonly WaitingInput[]): void {
    const fresh = inputs.filter(({ seq }) => this.#seen.isNew(seq));
    // A thread that has ended hears nothing; what its store took in at that moment is discarded when it is next loaded.
    if (fresh.length > 0 && this.snapshot.status === "active")
      this.actor.send({ type: "inputs.accepted", inputs: fresh });
  }

  /** Tells of inputs that were accepted; what waits in front of them is read first, where it was not told of yet. */
  hear(notices: readonly Notice[]): void {
    this.#hearing.hear(notices);
  }

  get snapshot(): ThreadSnapshot {
    return this.actor.getSnapshot();
  }

  get state(): ThreadState {
    return this.#state ?? stateOf(this.snapshot);
  }

  /** It rests, and everything it has to say is durable: it can leave memory, and nobody misses it. */
  get mayHibernate(): boolean {
    const isIdle = this.#underway === 0 && this.#early === undefined && this.#hearing.reading === undefined;
    return isIdle && this.snapshot.status === "active" && this.state !== "running";
  }

  /** Throws when no slice has begun: preparing comes first. */
  get configured(): Configuration {
    if (!this.#configuration) throw new Error(`Thread ${this.threadId} asks the model and was not prepared.`);
    return this.#configuration;
  }

  get configuration(): Configuration | undefined {
    return this.#isStale ? undefined : this.#configuration;
  }

  /** Asks for the configuration, until it is there. Rejects with StoppedWaiting when `signal` aborts. */
  async configure(signal?: AbortSignal): Promise<Configuration> {
    const configuration = await configurationOf(this, this.#env, signal);
    this.#configuration = configuration;
    this.#isStale = false;
    return configuration;
  }

  /** What the thread works with, asked for when it was not yet: calls that a process left behind come before any slice. */
  async configuredOnce(): Promise<Configuration> {
    return this.#configuration ?? this.configure();
  }

  /** The next round asks for its configuration, and takes nothing of the last one over. */
  reload(): void {
    this.#isStale = true;
    if (this.snapshot.status === "active") this.actor.send({ type: "configuration.changed" });
  }

  /** Commits in the order they were put together; resolves with the instant once this one is durable. */
  commit(commit: ThreadCommit): Promise<{ at: number }> {
    if (!this.#early) return this.#enqueue(commit);
    const { promise, resolve } = Promise.withResolvers<{ at: number }>();
    this.#early.push({ version: commit.expectedVersion, write: () => resolve(this.#enqueue(commit)) });
    return promise;
  }

  #enqueue(commit: ThreadCommit): Promise<{ at: number }> {
    this.#underway++;
    const done = this.#commits.then(() => this.#write(commit));
    this.#commits = done.catch(() => {});
    return done;
  }

  /** Resolves when no commit is under way, and everything that was told is judged. */
  async settled(): Promise<void> {
    do {
      await this.#hearing.reading;
      await this.#commits;
    } while (this.#hearing.reading !== undefined);
  }

  publish(update: Announcement): void {
    this.round = followedBy(this.round, update);
    if (!this.#env.watched(this.threadId)) return;
    this.#env.publish({ ...update, threadId: this.threadId, at: this.#env.clock.now() } as LiveUpdate);
  }

  /**
   * Brings what is under way to an end and begins nothing more: an open round is cut with what is visible of it, inline
   * calls are told to stop. Resolves when the last commit is durable. A second call waits for the same.
   */
  async leave(): Promise<void> {
    if (this.snapshot.status === "active") {
      const left = new Promise<void>((resolve) => {
        const done = () => resolve();
        this.actor.subscribe({ complete: done, error: done });
      });
      this.actor.send({ type: "system.stopping", at: this.#env.clock.now() });
      await left;
    }
    await this.settled();
  }

  stop(): void {
    this.inlineCut.abort();
    this.actor.stop();
  }

  async #write(commit: ThreadCommit): Promise<{ at: number }> {
    try {
      const { clock, registry, logger } = this.#env;
      const at = clock.now();
      const outcome = await this.#persisted(commit, at);
      if (outcome.status === "stale") {
        logger.error(
          { threadId: this.threadId, version: outcome.version },
          "another writer holds the thread; its slice is abandoned",
        );
        const stale = new StoppedWaiting("stale");
        this.#onDeath(stale);
        throw stale;
      }
      const { opened: children } = commit.children;
      const inherited = this.conversation.append(
        commit.entries,
        children.map(({ opening }) => opening.position),
      );
      if (commit.summary) this.conversation.forget();
      if (commit.facts.some(({ type }) => type === "round.ended")) this.round = null;
      for (const view of commit.views ?? []) this.views.set(view.viewType, view);
      this.feed = Math.max(this.feed, outcome.feed + commit.facts.length - 1);
      this.#publishFacts(commit.facts, outcome.feed, at);
      this.#told = commit.facts.findLast((fact) => fact.type === "state.changed")?.state ?? this.#told;
      this.#env.committed();
      const { opened } = commit.subscriptions;
      for (const callId of commit.calls.settled)
        if (!opened.some((subscription) => subscription.callId === callId)) registry.forget(callId);
      for (const { callId } of opened) registry.listen(callId);
      for (const callId of commit.subscriptions.cancelled ?? []) {
        this.#env.hooks.onAbort?.(this.threadId, callId);
        registry.abort(callId, "cancelled");
      }
      for (const callId of commit.subscriptions.ended) registry.abort(callId, "ended");
      for (const { callId, choiceId, choices, answer } of [
        ...(commit.choices?.opened ?? []),
        ...(commit.choices?.moved ?? []),
      ])
        if (answer) registry.answer(callId, choiceId, choices, answer);
      if (children.length > 0)
        this.#env.opened(children.map(({ threadId }, index) => ({ threadId, inherited: inherited[index] })));
      this.#tell(commit, outcome.sent);
      if (commit.timers.length > 0) this.#env.timersChanged();
      return { at };
    } finally {
      // In the same breath: whoever waits for the commit finds the thread as it is then.
      this.#underway--;
    }
  }

  /** Until the store has it, or another has written; also what it had already when it failed. */
  async #persisted(commit: ThreadCommit, at: number): Promise<CommitOutcome> {
    const { store } = this.#env;
    let failed = false;
    const outcome = await persist(
      `commit of ${this.threadId}`,
      () =>
        store.commit(commit, at).catch((error) => {
          failed = true;
          throw error;
        }),
      this.#env,
    );
    if (outcome.status === "committed" || !failed) return outcome;
    const find = () => ownCommit(store, commit, { at, after: this.feed, version: outcome.version });
    const own = await persist(`feed of ${this.threadId}`, find, this.#env);
    // Nobody knows what became of the outbox: whoever it was for reads its inbox.
    if (own)
      for (const threadId of new Set(commit.sent.map(({ threadId }) => threadId))) this.#env.delivered(threadId, []);
    return own ?? outcome;
  }

  /**
   * Threads that the commit wrote to are told, in the order of the outbox. What one thread is sent by one commit is told at
   * once: it is one batch there.
   */
  #tell({ sent }: ThreadCommit, acceptances: readonly Acceptance[]): void {
    const reached = new Map<ThreadId, AcceptedInput[]>();
    for (const [index, { threadId, dedupId, input }] of sent.entries()) {
      const acceptance = acceptances[index];
      if (acceptance?.status === "accepted") {
        const { waiting, feed, behind } = acceptance;
        const accepted = reached.get(threadId) ?? [];
        accepted.push({ waiting, feed, behind, facts: [{ type: "input.accepted", dedupId, input }] });
        reached.set(threadId, accepted);
      } else if (acceptance?.status === "refused")
        this.#env.logger.debug({ threadId, kind: input.kind, reason: acceptance.reason }, "a thread was not reached");
    }
    for (const [threadId, accepted] of reached) this.#env.delivered(threadId, accepted);
  }

  /** Facts of this thread that became durable, the first at feed position `feed`. */
  #publishFacts(facts: readonly Fact[], feed: number, at: number): void {
    if (!this.#env.watched(this.threadId)) return;
    for (const [index, fact] of facts.entries())
      this.#env.publish({ ...fact, threadId: this.threadId, feed: feed + index, at });
  }

  #changed(snapshot: ThreadSnapshot): void {
    const state = stateOf(snapshot);
    if (state === this.#state) return;
    this.#state = state;
    // A rest that a commit brought is a fact of it. Where none did (a call was handed over, and the record stays as it was),
    // who watches is told all the same.
    if (state === "running" || (this.#told === "running" && snapshot.status === "active")) {
      this.#told = state;
      this.publish({ type: "state.changed", state });
    }
    this.#onState(state);
  }
}
