import type { Subject } from "rxjs";
import { type CrashPoint, onPoint } from "../../crash-points.ts";
import { LeaseHeldError } from "../../errors.ts";
import { silentLogger } from "../../logger.ts";
import { isShared } from "../../store/store.ts";
import type { SystemOptions } from "../../system/api.ts";
import { createSystem } from "../../system/create.ts";
import type { SystemHooks } from "../../thread/environment.ts";
import type { ToolCall } from "../../tool/call.ts";
import type { ProducerEvent } from "../../tool/define.ts";
import { askedBy } from "./asking.ts";
import { Configuring } from "./configuring.ts";
import type { Coverage } from "./coverage.ts";
import { afterTheFact, Crash } from "./crash.ts";
import type { Dice } from "./dice.ts";
import { type Grounds, Life } from "./life.ts";
import type { Stores } from "./stores.ts";
import { simulatedTools } from "./tools.ts";

/** Threads that the application opens; all others are children. */
export const rootNames = ["t0", "t1"] as const;

/** Small numbers, so that a short story meets every limit. ms. */
export const limits = {
  rounds: 3,
  equalCalls: 2,
  subscriptions: 2,
  children: 2,
  depth: 2,
  eventChildrenAtOnce: 2,
  eventChildLinger: 20_000,
  tries: 3,
  hibernateAfter: 1_500,
  residents: 3,
  approval: 30_000,
  restarts: 1,
  configuration: 2_000,
  lease: 6_000,
  pollInterval: 1_000,
};

export interface ProcessParts {
  readonly stores: Stores;
  readonly grounds: Grounds;
  readonly chance: Dice;
  readonly coverage: Coverage;
  readonly signs: boolean;
  readonly configures: boolean;
  readonly began: (life: Life, name: string, call: ToolCall) => void;
  readonly onRequest: (life: Life, ...asked: Parameters<NonNullable<SystemHooks["onRequest"]>>) => void;
  readonly onDeath: (life: Life) => void;
  /** For people. */
  readonly note: (line: string) => void;
  readonly blame: (fault: string) => void;
}

/** The processes of a world, one after the other and, for a while, two at once: how they come, and how they end. */
export class Processes {
  readonly lives: Life[] = [];
  crashes = 0;
  /** The one that runs the threads now. */
  main: Life;
  /** Sources that the living process listens to. */
  producers: readonly Subject<ProducerEvent>[] = [];
  readonly configuring = new Configuring();
  /** Where it ends, and how often it has to come there first. */
  armed: { readonly point: CrashPoint; left: number } | undefined;
  readonly #parts: ProcessParts;
  readonly #offPoints: () => void;
  #ids = 0;

  constructor(parts: ProcessParts) {
    this.#parts = parts;
    this.#offPoints = onPoint((point) => this.#reached(point));
    this.main = this.begin();
  }

  /** Who holds the lease, where there is one. */
  get leased(): Life | undefined {
    return this.#parts.grounds.leased;
  }

  /** Another process has taken over from it: nothing of what it does from here on is durable. */
  isUnaware(life: Life): boolean {
    return this.leased !== undefined && this.leased !== life;
  }

  begin(): Life {
    const life = new Life(this.lives.length, this.#parts.stores.open(), this.#parts.grounds, this.#parts.signs);
    this.lives.push(life);
    this.main = life;
    this.producers = [];
    this.#come(life).catch((error: unknown) => {
      if (life.alive && !life.stopping && (this.leased ?? life) === life)
        this.#parts.blame(`R9: a system does not begin: ${String(error)}`);
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
          onInspection: this.#parts.coverage.note,
          onRequest: (...asked) => life.alive && this.#parts.onRequest(life, ...asked),
        });
      } catch (error) {
        if (!(error instanceof LeaseHeldError)) throw error;
        await new Promise<void>((resolve) => life.clock.setTimeout(resolve, error.until - life.clock.now() + 1));
      }
    }
  }

  #optionsOf(life: Life): SystemOptions {
    const { signs, configures, chance, grounds, began } = this.#parts;
    return {
      model: life.model,
      // Small, so that a short story fills it.
      modelOptions: { eventsAs: signs ? "text" : "call", contextWindow: 24 },
      store: life.store,
      clock: life.clock,
      logger: silentLogger,
      random: () => chance.next(),
      ...(configures && { threadConfig: this.configuring.of(life, grounds.gate) }),
      limits,
      tools: simulatedTools({
        began: (name, call) => life.alive && began(life, name, call),
        turn: () => grounds.gate.turn(life),
        asks: (call, question) => askedBy(life, grounds.record.questions, call, question),
        now: life.clock.now,
        opened: (events) => {
          if (life === this.main) this.producers = [...this.producers, events];
        },
      }),
    };
  }

  /** A point where a process can end: it does when the story says so. */
  #reached(point: CrashPoint): void {
    this.#parts.coverage.points.add(point);
    const { armed } = this;
    if (armed?.point !== point || --armed.left > 0) return;
    this.armed = undefined;
    this.kill(this.#parts.grounds.acting ?? this.main);
    if (!afterTheFact.has(point)) throw new Crash(point);
  }

  kill(life: Life): void {
    this.crashes++;
    this.#parts.note(`process ${life.index} ends`);
    this.end(life);
  }

  /** From here on nothing of it ends or begins, and nobody hears of it. */
  end(life: Life): void {
    life.die();
    this.#parts.onDeath(life);
  }

  /** Where the process has died, another begins. */
  revive(): void {
    const { leased, main } = this;
    if (leased && leased !== main && !leased.paused) {
      const isUp = leased.alive && leased.roots.length > 0;
      // The process that was to be taken over from was faster, or has taken the lease back; or nobody has it any more.
      if (isUp === (main.system === undefined)) main.die();
      if (isUp) this.main = leased;
    }
    if (!this.main.alive) this.begin();
  }

  /** A process that stood still goes on, once another has taken over. */
  wake(): void {
    for (const life of this.lives) if (life.paused && this.leased !== life) life.goOn();
  }

  takeOver(): void {
    const old = this.main;
    if (!isShared(old.store) || !old.system) return;
    old.paused = true;
    this.#parts.note(`process ${old.index} stands still`);
    this.begin();
  }

  /** Crash points are nothing to these processes any more. */
  close(): void {
    this.#offPoints();
    for (const life of this.lives) this.end(life);
  }
}
