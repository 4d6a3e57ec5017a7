import type { CallId, ThreadId } from "../../../machines/history/ids.ts";
import type { ThreadCommit } from "../../../machines/thread/commit.ts";
import type { Clock } from "../../clock.ts";
import { type ScriptedModel, scriptedModel } from "../../model/scripted/scripted-model.ts";
import type { CommitOutcome, Delivery, LeaseOutcome, SharedStore, Store } from "../../store/store.ts";
import type { System, Thread } from "../../system/api.ts";
import type { VirtualClock } from "../virtual-clock.ts";
import { type Gate, type Mortal, never } from "./gate.ts";
import type { Record } from "./record.ts";

/** What the lives of a world have in common. */
export interface Grounds {
  readonly gate: Gate;
  readonly clock: VirtualClock;
  readonly record: Record;
  /** Whether an operation waits before it begins or before it ends; where neither, nothing comes between. */
  readonly waits: () => "before" | "after" | "not";
  /** The store refuses to work. */
  readonly fails: () => boolean;
  /** Which of the lives took the lease last. */
  leased: Life | undefined;
  /** Whose operation the store is busy with. */
  acting: Life | undefined;
}

/** Operations that a process does not wait for in a story: they only look, or end it. */
const atOnce: ReadonlySet<string> = new Set(["create", "feed", "threads", "holder", "close", "release"]);

/** One process on the store: what it does ends when the gate says so, and never once it has died. */
export class Life implements Mortal {
  readonly index: number;
  readonly model: ScriptedModel;
  readonly store: Store;
  readonly clock: Clock;
  /** The store under it, of which it has a handle of its own. */
  readonly raw: Store;
  alive = true;
  paused = false;
  system: System | undefined;
  /** Its faces of the roots; empty while it comes up. */
  roots: readonly Thread[] = [];
  /** How many inputs were durable, in all threads, when it read each thread last. */
  readonly read = new Map<ThreadId, number>();
  /** It was told to stop. */
  stopping = false;
  #held: (() => void)[] = [];
  readonly #grounds: Grounds;

  constructor(index: number, raw: Store, grounds: Grounds, signs: boolean) {
    this.index = index;
    this.raw = raw;
    this.#grounds = grounds;
    this.model = scriptedModel({ strict: signs ? { signatures: true } : true });
    this.store = this.#watched(raw);
    const { clock } = grounds;
    this.clock = {
      now: clock.now,
      clearTimeout: clock.clearTimeout,
      setTimeout: (ring, ms) =>
        clock.setTimeout(() => {
          if (!this.alive) return;
          if (this.paused) this.#held.push(ring);
          else ring();
        }, ms),
    };
  }

  /** From here on nothing of this process ends or begins. */
  die(): void {
    this.alive = false;
    this.#held = [];
  }

  /** It goes on where it stood still. */
  goOn(): void {
    this.paused = false;
    for (const ring of this.#held.splice(0)) ring();
  }

  #watched(raw: Store): Store {
    const operations: { [name: string]: unknown } = {};
    for (const [name, operation] of Object.entries(raw))
      operations[name] = this.#guarded(name, operation as (...args: unknown[]) => Promise<unknown>);
    return operations as unknown as SharedStore;
  }

  #guarded(name: string, operation: (...args: unknown[]) => Promise<unknown>) {
    return async (...args: unknown[]): Promise<unknown> => {
      const { gate, waits, fails } = this.#grounds;
      const waiting = atOnce.has(name) ? "not" : waits();
      if (waiting === "before" || this.paused) await gate.turn(this);
      if (!this.alive) return never;
      if (this.system && !atOnce.has(name) && fails()) throw new Error("the store is away");
      let answer: unknown;
      try {
        this.#grounds.acting = this;
        const underway = operation.apply(this.raw, args);
        this.#grounds.acting = undefined;
        answer = await underway;
      } catch (error) {
        if (!this.alive) return never;
        throw error;
      }
      this.#note(name, args, answer);
      if (waiting === "after") await gate.turn(this);
      return this.alive ? answer : never;
    };
  }

  /** Also of an operation after which the process died: what it did is durable. */
  #note(name: string, args: readonly unknown[], answer: unknown): void {
    const { record } = this.#grounds;
    switch (name) {
      case "create":
        if (answer === true) record.opened(args[0] as ThreadId, null, []);
        return;
      case "accept":
        record.took(args[0] as readonly Delivery[], answer as never);
        return;
      case "commit":
        record.wrote(args[0] as ThreadCommit, answer as CommitOutcome, this.index);
        return;
      case "load":
        this.read.set(args[0] as ThreadId, record.accepted.length);
        return;
      case "mark":
        if (args[2] === "started") record.marked(args[0] as ThreadId, args[1] as readonly CallId[]);
        return;
      case "lease":
        if ((answer as LeaseOutcome).held) this.#grounds.leased = this;
    }
  }
}
