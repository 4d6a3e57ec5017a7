import type { ThreadId } from "../../../machines/history/ids.ts";
import { Envelope } from "../../../machines/thread/input.ts";
import type { ScriptedChunk, ScriptedEnd } from "../../model/scripted/answer.ts";
import type { ScriptedRequest } from "../../model/scripted/request.ts";
import { type VirtualClock, virtualClock } from "../virtual-clock.ts";
import type { Act } from "./act.ts";
import { type Begun, begunOf } from "./begun.ts";
import { configurationIn } from "./configuring.ts";
import type { Coverage } from "./coverage.ts";
import { type Dice, dice } from "./dice.ts";
import { breathe, Drive, type OpenRequest } from "./drive.ts";
import { emit } from "./emitting.ts";
import { Gate } from "./gate.ts";
import type { Grounds, Life } from "./life.ts";
import { Mail } from "./mail.ts";
import { envelopeOf } from "./picking.ts";
import { limits, Processes } from "./processes.ts";
import { Record } from "./record.ts";
import { faultsOfCommit, faultsOfRequest } from "./rules/live.ts";
import { faultsOfApprovals } from "./rules/questions.ts";
import { Slices } from "./rules/slices.ts";
import { chunksOf } from "./saying.ts";
import type { Happening, Step, Story } from "./step.ts";
import type { Stores } from "./stores.ts";

/** Behind the id of a thread that asks for a summary of itself. */
const summaryMark = "#compaction";

/**
 * A whole running system, process after process on one store, under a clock that stands until it is turned, with a record
 * of everything that can be seen from outside. What happens when is decided by the story and its seed alone.
 */
export class World {
  readonly clock: VirtualClock = virtualClock(1_000);
  readonly record: Record;
  readonly mail: Mail;
  readonly processes: Processes;
  readonly begun: Begun[] = [];
  readonly faults = new Set<string>();
  /** What happened, for people. */
  readonly log: string[] = [];
  /** What was done to the system, in order. */
  readonly acts: Act[] = [];
  readonly #story: Story;
  readonly #stores: Stores;
  readonly #drive: Drive;
  readonly #askers = new WeakMap<object, ThreadId>();
  #failures = 0;
  #words = 0;
  readonly #slices: Slices;

  constructor(story: Story, stores: Stores, coverage: Coverage) {
    this.#story = story;
    this.#stores = stores;
    const chance: Dice = dice(story.chance);
    const gate = new Gate(chance);
    this.record = new Record({
      committing: (commit, before, life) => {
        this.blame(faultsOfCommit(this, commit, before, life));
        this.blame(faultsOfApprovals(this, commit, before));
      },
    });
    this.#slices = new Slices(this.record);
    const grounds: Grounds = {
      gate,
      clock: this.clock,
      record: this.record,
      waits: () => chance.of(["before", "after", "not"] as const),
      fails: () => this.#failures-- > 0,
      leased: undefined,
      acting: undefined,
    };
    const note = (line: string) => void this.log.push(line);
    const blame = (fault: string) => this.blame([fault]);
    this.mail = new Mail({ grounds, main: () => this.main, open: stores.open, note, blame });
    this.processes = new Processes({
      stores,
      grounds,
      chance,
      coverage,
      signs: story.signs,
      configures: story.configures,
      began: (life, name, call) =>
        this.begun.push(begunOf(this.record, name, call, life, this.processes.isUnaware(life))),
      onRequest: (life, threadId, prompt, uncommitted) => {
        this.#askers.set(prompt, threadId.replace(summaryMark, "") as ThreadId);
        // What a summary is asked about is told by the requests that follow it.
        if (threadId.endsWith(summaryMark)) return;
        this.blame(faultsOfRequest(this, threadId, uncommitted, life));
        const goesOn = uncommitted.length === 0;
        this.blame(this.#slices.faultsOf({ life, threadId, configuration: configurationIn(prompt), goesOn }));
      },
      onDeath: (life) => this.mail.lost(life),
      note,
      blame,
    });
    this.#drive = new Drive({
      gate,
      clock: this.clock,
      record: this.record,
      mail: this.mail,
      processes: this.processes,
      openRequests: () => this.openRequests,
      answer: ({ threadId, request }) => this.#answer(threadId, request, [{ text: this.word("ok") }], "final"),
      pass: (ms) => this.#pass(ms),
      blame,
    });
  }

  blame(faults: Iterable<string>): void {
    for (const fault of faults) this.faults.add(fault);
  }

  /** The process that runs the threads now. */
  get main(): Life {
    return this.processes.main;
  }

  /** Requests to models of processes that live, with the threads they are of. */
  get openRequests(): readonly OpenRequest[] {
    return this.processes.lives.flatMap((life) =>
      life.alive && !life.paused
        ? life.model.openRequests.map((request) => ({ life, request, threadId: this.askerOf(request) }))
        : [],
    );
  }

  askerOf({ prompt }: ScriptedRequest): ThreadId {
    return this.#askers.get(prompt) ?? ("?" as ThreadId);
  }

  async play(steps: readonly Step[]): Promise<void> {
    await this.#drive.until(() => this.main.roots.length > 0);
    for (const step of steps) {
      this.processes.wake();
      this.log.push(JSON.stringify(step));
      await this.#play(step);
      await breathe();
      await this.#drive.let(step.lets);
    }
  }

  /**
   * Lets everything end that can end without new input: senders that were told nothing send again, the model answers, the
   * clock is turned while a slice waits for it. What does not come to rest is a fault.
   */
  async finish(): Promise<void> {
    this.#failures = 0;
    this.processes.armed = undefined;
    this.processes.configuring.recover();
    for (const life of this.processes.lives)
      if (life.paused && this.processes.leased === life) this.processes.kill(life);
    await this.#drive.until(() => this.main.roots.length > 0);
    this.processes.wake();
    for (const envelope of this.mail.unsure) this.#send([envelope], false);
    await this.#drive.toRest();
    const aside = [...this.record.pages.values()].filter(({ quarantined, state }) => quarantined && state !== "closed");
    if (aside.length === 0 || this.faults.size > 0) return;
    this.log.push("a person releases what was set aside");
    await this.tell(
      aside.map(({ threadId }) => threadId),
      () => ({ kind: "release" }),
    );
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
    const { elsewhere } = this.mail;
    this.processes.close();
    elsewhere?.die();
    await breathe();
    const lives = [...this.processes.lives, ...(elsewhere ? [elsewhere] : [])];
    await Promise.all([...new Set(lives.map(({ raw }) => raw))].map(this.#stores.close));
  }

  async #play(step: Happening): Promise<void> {
    switch (step.do) {
      case "send":
        return this.#send(
          step.inputs.map((input) => envelopeOf(this.record, input, this.word("m"))),
          step.there,
        );
      case "again": {
        const sent = this.mail.sent[step.pick % this.mail.sent.length];
        return sent && this.#send([sent.envelope], step.pick % 3 === 0);
      }
      case "answer": {
        const open = this.openRequests;
        const one = open[step.pick % open.length];
        if (!one) return;
        const scene = {
          record: this.record,
          threadId: one.threadId,
          signs: this.#story.signs,
          word: (kind: string) => this.word(kind),
        };
        const said = step.said.flatMap((part) => chunksOf(part, scene));
        this.log.push(`  ${one.threadId}'s model: ${JSON.stringify(said)}`);
        this.#answer(one.threadId, one.request, said, step.end);
        return;
      }
      case "emit":
        return this.#emit(step);
      case "pass":
        return this.#pass(step.ms);
      case "fail":
        this.acts.push({ act: "untold" });
        this.#failures = step.times;
        return;
      case "misconfigure":
        this.acts.push({ act: "untold" });
        return this.processes.configuring.fail(step);
      case "switch":
        this.acts.push({ act: "untold" });
        this.#slices.switched = true;
        this.main.system?.useModel(this.main.model, {
          eventsAs: this.#story.signs ? "text" : "call",
          contextWindow: 24,
        });
        return;
      case "crash":
        this.acts.push({ act: "crash" });
        this.processes.kill(this.main);
        return;
      case "crash at":
        this.acts.push({ act: "untold" });
        this.processes.armed = { point: step.point, left: step.nth };
        return;
      case "restart": {
        this.acts.push({ act: "restart" });
        const life = this.main;
        if (life.system) await this.#stop(life);
        return;
      }
      case "take over":
        this.acts.push({ act: "untold" });
        this.processes.takeOver();
        return this.#pass(limits.lease + 1);
    }
  }

  #emit({ pick, what }: Extract<Happening, { do: "emit" }>): void {
    const events = this.processes.producers[pick % this.processes.producers.length];
    if (!events) return;
    this.acts.push({ act: "untold" });
    emit(events, what, () => this.word("e"));
  }

  #send(envelopes: readonly Envelope[], there: boolean): void {
    this.acts.push({ act: "send", envelopes });
    this.mail.send(envelopes, there);
  }

  #pass(ms: number): Promise<void> {
    this.acts.push({ act: "pass", ms });
    return this.clock.advance(ms, breathe);
  }

  #answer(threadId: ThreadId, request: ScriptedRequest, chunks: readonly ScriptedChunk[], end: ScriptedEnd): void {
    this.acts.push({ act: "answer", threadId, chunks, end });
    // A longer prompt fills more of the window.
    request.stream(chunks, end, { total_tokens: 3 * request.prompt.length });
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
    await this.#drive.until(() => stopped || !life.alive, false);
    this.processes.end(life);
  }
}
