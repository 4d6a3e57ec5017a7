import type fc from "fast-check";
import type { Subject } from "rxjs";
import { ThreadId } from "../../../machines/history/ids.ts";
import { Envelope } from "../../../machines/thread/input.ts";
import { type CrashPoint, onPoint } from "../../../src/crash-points.ts";
import { type ScriptedModel, scriptedModel } from "../../../src/model/scripted/scripted-model.ts";
import type { Store } from "../../../src/store/store.ts";
import type { System, Thread } from "../../../src/system/api.ts";
import { settle, type VirtualClock, virtualClock } from "../../../src/testing/virtual-clock.ts";
import type { ProducerEvent } from "../../../src/tool/define.ts";
import { type Asked, type Told, treeLimits } from "../thread/grove.ts";
import { inputOf } from "../thread/tree-post.ts";
import { faultsNow } from "../thread/tree-rules.ts";
import type { Sketch } from "../thread/tree-story.ts";
import { chunkOf } from "./forest-acts.ts";
import { ForestJournal } from "./forest-journal.ts";
import type { Step } from "./forest-story.ts";
import { ForestWatch } from "./forest-watch.ts";
import { Operations } from "./operations.ts";
import { startProcess } from "./process.ts";

const names = [ThreadId.parse("t0"), ThreadId.parse("t1")];

/** At these points what was to become durable is so; at all others it is lost with the process. */
const durable: readonly CrashPoint[] = ["created", "accepted", "committed", "acknowledged"];

/**
 * A whole running system with two trees of threads, and a record of what was sent, of what the scripted models said, and of
 * what became durable. The scheduler decides when operations begin and end; the clock stands until it is turned.
 */
export class Forest implements Told {
  readonly tree = new ForestJournal(names);
  readonly asked: Asked[] = [];
  readonly sentIds = new Set<string>();
  readonly faults: string[] = this.tree.faults;
  readonly log: string[] = [];
  readonly model: ScriptedModel = scriptedModel({ strict: true });
  readonly clock: VirtualClock = virtualClock(1_000);
  readonly #sent: Envelope[] = [];
  readonly #watch = new ForestWatch(this.tree, this.model);
  readonly #operations: Operations;
  readonly #store: Store;
  readonly #deaf: () => void;
  readonly #hibernateAfter: number;
  #producers: readonly Subject<ProducerEvent>[] = [];
  #system: System | undefined;
  #roots: readonly Thread[] = [];
  #deadly: CrashPoint | undefined;
  #failures = 0;
  #underway = 0;
  #life = 0;
  #words = 0;

  private constructor(scheduler: fc.Scheduler, store: Store, hibernateAfter: number) {
    this.#hibernateAfter = hibernateAfter;
    this.#operations = new Operations(scheduler, this.clock, this.model);
    this.#store = store;
    this.tree.onCommit = ({ threadId, children }) =>
      this.faults.push(...faultsNow(this.tree, [threadId, ...children.opened.map((born) => born.threadId)]));
    this.#deaf = onPoint((name) => this.#at(name));
  }

  /** `hibernateAfter`: ms. */
  static async begin(scheduler: fc.Scheduler, store: Store, hibernateAfter: number): Promise<Forest> {
    const forest = new Forest(scheduler, store, hibernateAfter);
    forest.#open();
    await forest.#goOn(() => forest.#isUp);
    return forest;
  }

  get #isUp(): boolean {
    return this.#roots.length === names.length;
  }

  async play(steps: readonly Step[]): Promise<void> {
    for (const step of steps) {
      this.log.push(JSON.stringify(step));
      await this.#play(step);
      await settle(3);
      await this.#operations.release(step.lets);
    }
  }

  /** Lets everything end that can end without new input: models say no more than a word, the clock turns where a slice waits. */
  async finish(): Promise<void> {
    this.log.push("everything comes to its end");
    this.#failures = 0;
    this.#deadly = undefined;
    await this.#goOn(() => this.#isUp);
    let rested = false;
    void Promise.all(this.#roots.map((root) => root.atRest({ tree: true }))).then(() => {
      rested = true;
    });
    await this.#goOn(() => rested && this.#underway === 0 && this.model.openRequests.length === 0);
    let asked = false;
    void this.#askThreads().then(() => {
      asked = true;
    });
    await this.#goOn(() => asked);
  }

  /** To threads that are open, from outside. */
  sendEach(kind: "interrupt" | "halt" | "close" | "text", threads: readonly ThreadId[] = this.tree.open): void {
    for (const threadId of threads) {
      const words = this.#word("x");
      this.#send(threadId, { kind, sender: "the last", ...(kind === "text" && { text: words }) }, words);
    }
  }

  get roots(): readonly ThreadId[] {
    return names;
  }

  async end(): Promise<void> {
    this.#deaf();
    let stopped = false;
    void this.#system?.stop().then(() => {
      stopped = true;
    });
    await this.#goOn(() => stopped);
    this.faults.push(...(await this.tree.faultsOfStore(this.#store)));
    await this.#store.close();
  }

  #word(letter: string): string {
    return `${letter}${this.#words++}.`;
  }

  async #goOn(done: () => boolean): Promise<void> {
    if (!(await this.#operations.goOn(done))) this.faults.push("R9: it does not come to rest");
  }

  /** How every open thread says that it stands. */
  async #askThreads(): Promise<void> {
    for (const threadId of this.tree.open) {
      const thread = await this.#system?.thread(threadId);
      if (!thread) continue;
      const page = this.tree.fold(threadId);
      page.state = thread.state;
      page.context = { calls: thread.view().calls };
    }
  }

  #open(): void {
    const life = this.#life;
    const lives = () => life === this.#life;
    startProcess(
      {
        store: this.#store,
        notes: this.tree,
        clock: this.clock,
        turn: this.#operations.turnsOf(lives),
        fails: () => this.#failures-- > 0,
        answersInOrder: true,
        lives,
        watch: {
          began: (name, call) => this.#watch.began(name, call, life),
          opened: (events) => {
            this.#producers = [...this.#producers, events];
          },
        },
        options: {
          model: this.model,
          random: () => 0.5,
          limits: { ...treeLimits, restarts: 1e9, tries: 3, hibernateAfter: this.#hibernateAfter },
        },
        hooks: {
          onRequest: (threadId, prompt, uncommitted) =>
            lives() && this.#watch.asks(threadId, prompt, uncommitted, life),
        },
        roots: names.map((id) => ({ id })),
      },
      (system) => {
        this.#system = system;
      },
    ).then(
      (roots) => {
        if (lives()) this.#roots = roots;
      },
      (error: unknown) => lives() && this.faults.push(`a system does not begin: ${String(error)}`),
    );
  }

  #at(name: CrashPoint): void {
    if (name !== this.#deadly) return;
    this.#crash();
    if (!durable.includes(name)) throw new Error(`the process ends at ${name}`);
  }

  /** The process ends in the middle of everything, and another begins once what the store was doing is done. */
  #crash(): void {
    this.#life++;
    this.#deadly = undefined;
    this.#system = undefined;
    this.#roots = [];
    this.#producers = [];
    this.#underway = 0;
    for (const request of this.model.openRequests) request.stream([], "drop");
    this.log.push("the process ends");
    setImmediate(() => this.#open());
  }

  async #play(step: Step): Promise<void> {
    switch (step.do) {
      case "deliver": {
        const { threads } = this.tree;
        const threadId = threads[step.thread % threads.length] as ThreadId;
        for (const sketch of step.inputs) this.#deliver(threadId, sketch);
        return;
      }
      case "answer": {
        const open = this.model.openRequests;
        const request = open[step.pick % open.length];
        const by = request && this.#watch.askerOf(request.prompt, this.#life);
        if (!request || !by) return;
        const chunks = step.says.map((said) =>
          chunkOf(this.tree, by, said, (letter) => this.#word(letter), this.asked),
        );
        request.stream(chunks, step.end);
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
        if (step.at === "now") this.#crash();
        else this.#deadly = step.at;
    }
  }

  #emit({ pick, what }: Extract<Step, { do: "emit" }>): void {
    const events = this.#producers[pick % this.#producers.length];
    if (what === "complete") events?.complete();
    else if (what === "error") events?.error(new Error("secret of a producer"));
    else events?.next({ text: this.#word("e"), associative: what === "associative", final: what === "the last" });
  }

  #deliver(threadId: ThreadId, sketch: Sketch): void {
    if (sketch.kind === "redelivered") {
      const sent = this.#sent[sketch.pick % this.#sent.length];
      if (sent) this.#post(sent);
      return;
    }
    const words = this.#word("i");
    // Forged ends and the like are refused at the door: they are not even sent.
    if (sketch.kind === "linger" || (sketch.kind === "forged" && ["ended", "rested"].includes(sketch.as))) return;
    const watches = ({ name, providerCallId }: { name: string; providerCallId: string }) =>
      name === "watch" || name === "follow" || providerCallId.startsWith("w");
    this.#send(threadId, inputOf(this.tree, threadId, sketch, words, watches), words);
  }

  #send(threadId: ThreadId, input: object, dedupId: string): void {
    const envelope = Envelope.parse({ threadId, dedupId, input });
    this.#sent.push(envelope);
    this.sentIds.add(dedupId);
    this.#post(envelope);
  }

  /** What is acknowledged is durable; a sender is told something in any case. */
  #post(envelope: Envelope): void {
    const life = this.#life;
    const ends = () => life === this.#life && this.#underway--;
    if (!this.#system) return;
    this.#underway++;
    this.#system.deliver(envelope).then(
      (fresh) => {
        ends();
        const isThere = this.tree.filed.some(({ waiting }) => waiting.dedupId === envelope.dedupId);
        if (fresh && !isThere) this.faults.push(`R1: ${envelope.dedupId} was acknowledged and is nowhere`);
      },
      () => void ends(),
    );
  }
}
