import type { ThreadId } from "../../../machines/history/ids.ts";
import type { ScriptedRequest } from "../../model/scripted/request.ts";
import { isShared } from "../../store/store.ts";
import type { VirtualClock } from "../virtual-clock.ts";
import type { Gate } from "./gate.ts";
import type { Life } from "./life.ts";
import type { Mail } from "./mail.ts";
import { limits, type Processes } from "./processes.ts";
import type { Record } from "./record.ts";

/** A request to a model of a process that lives, with the thread it is of. */
export interface OpenRequest {
  readonly life: Life;
  readonly threadId: ThreadId;
  readonly request: ScriptedRequest;
}

export interface DriveParts {
  readonly gate: Gate;
  readonly clock: VirtualClock;
  readonly record: Record;
  readonly mail: Mail;
  readonly processes: Processes;
  readonly openRequests: () => readonly OpenRequest[];
  /** The model says something and ends. */
  readonly answer: (open: OpenRequest) => void;
  readonly pass: (ms: number) => Promise<void>;
  readonly blame: (fault: string) => void;
}

/** Turns of the world after which something goes round in circles. */
const patience = 6_000;

/** Lets everything follow that follows without time, chance or anybody's doing. */
export const breathe = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Lets a world go on by itself, until something is so, or everything rests. */
export class Drive {
  readonly #parts: DriveParts;
  #resting: { readonly life: Life; readonly changes: number; readonly until: number; done: boolean } | undefined;

  constructor(parts: DriveParts) {
    this.#parts = parts;
  }

  /** So many of the pending operations end, one after the other. */
  async let(count: number): Promise<void> {
    const { gate, processes } = this.#parts;
    for (let left = count; left > 0 && gate.count > 0; left--) {
      gate.release();
      await breathe();
      processes.revive();
    }
    processes.revive();
  }

  /** Operations end, one after the other, until `done`, or until nothing more happens by itself, which is a fault. */
  async until(done: () => boolean, answers = true): Promise<void> {
    const { gate, clock, processes, openRequests, answer, pass } = this.#parts;
    for (let turns = 0; turns < patience; turns++) {
      await breathe();
      processes.revive();
      if (gate.count > 0) {
        gate.release();
        continue;
      }
      if (done()) return;
      await breathe();
      if (gate.count > 0) continue;
      if (done()) return;
      const open = answers ? openRequests()[0] : undefined;
      const next = clock.due[0];
      if (open) answer(open);
      else if (next !== undefined) await pass(next - clock.now());
    }
    this.#complain();
  }

  toRest(): Promise<void> {
    return this.until(() => this.#isAtRest());
  }

  #complain(): void {
    const { record, blame } = this.#parts;
    const restless = [...record.pages.values()].flatMap(({ threadId, state, inbox }) =>
      state === "running" || inbox.size > 0 ? [`${threadId} is ${state}, ${inbox.size} inputs wait`] : [],
    );
    blame(`R9: it does not come to rest: ${restless.join("; ") || "no thread says why"}`);
  }

  #isAtRest(): boolean {
    const { record, clock, mail, processes, openRequests } = this.#parts;
    const { main } = processes;
    if (main.roots.length === 0 || openRequests().length > 0) return false;
    if (!mail.isAnswered) return false;
    const { changes } = record;
    const now = clock.now();
    if (this.#resting?.life !== main || this.#resting.changes !== changes) {
      const until = isShared(main.store) ? now + limits.pollInterval * 2 : now;
      const resting = { life: main, changes, until, done: false };
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
}
