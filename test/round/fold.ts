import { initialTransition, transition } from "xstate";
import type { BrokenTry, RoundCommand, StreamCommand, StreamEvent } from "../../machines/round/events.ts";
import { roundMachine, type StreamInput } from "../../machines/round/machine.ts";
import type { Block, RoundLimits, RoundOutput } from "../../machines/round/turn.ts";

export const limits: RoundLimits = { tries: 11, silence: 60_000, slowRetry: 60_000 };

/** The event by which XState says that the wait is over. */
export const waitOver = { type: "xstate.after.retry.round.waiting" } as unknown as RoundCommand;

export const says = (text: string): Block => ({ type: "text", text });
export const block = (text: string): StreamEvent => ({ type: "block.ended", block: says(text) });
export const cut: RoundCommand = { type: "round.cut", at: 70 };
export const stopped = (visible = ""): StreamEvent => ({ type: "stream.stopped", visible, model: "m/1", at: 80 });
export const ended = (outcome: "finished" | "truncated" | "filtered" = "finished"): StreamEvent => ({
  type: "stream.ended",
  outcome,
  usage: { inputTokens: 3, outputTokens: 5 },
  model: "m/1",
  at: 90,
});
export const broken = (type: "failed" | "dropped" | "stalled", more: Partial<BrokenTry> = {}): StreamEvent => ({
  type: `stream.${type}`,
  message: "It broke.",
  jitter: 0,
  visible: "",
  model: "m/1",
  at: 60,
  ...more,
});

type Snapshot = ReturnType<typeof roundMachine.getInitialSnapshot>;

/** A round driven by hand with XState's pure `transition`: nothing starts, nothing waits; effects are kept as data. */
export class Fold {
  static readonly request = { prompt: "the request" };
  snapshot: Snapshot;
  /** What each try was made with. */
  readonly tries: StreamInput[] = [];
  readonly told: StreamCommand[] = [];
  /** ms of each wait that was begun. */
  readonly waits: number[] = [];
  readonly announced: string[] = [];

  constructor(given: Partial<RoundLimits> = {}, attempt?: number) {
    const [snapshot, actions] = initialTransition(roundMachine, {
      threadId: "t1",
      request: Fold.request,
      limits: { ...limits, ...given },
      ...(attempt !== undefined && { attempt }),
    });
    this.snapshot = snapshot;
    this.#collect(actions);
  }

  get state(): string {
    const { value } = this.snapshot;
    return typeof value === "string" ? value : Object.entries(value).flat().join(".");
  }

  /** Undefined until the round ended. */
  get output(): RoundOutput | undefined {
    return this.snapshot.output;
  }

  after(...events: readonly (StreamEvent | RoundCommand)[]): this {
    for (const event of events) {
      const [snapshot, actions] = transition(roundMachine, this.snapshot, event);
      this.snapshot = snapshot as Snapshot;
      this.#collect(actions);
    }
    return this;
  }

  #collect(actions: readonly { type: string; params: unknown }[]): void {
    for (const { type, params } of actions) {
      if (type === "xstate.spawnChild") this.tries.push((params as { input: StreamInput }).input);
      if (type === "xstate.sendTo") this.told.push((params as { event: StreamCommand }).event);
      if (type === "xstate.raise") this.waits.push((params as { delay: number }).delay);
      if (type === "announceRetry") this.announced.push((params as { message: string }).message);
    }
  }
}

export const roundAfter = (...events: readonly (StreamEvent | RoundCommand)[]): Fold => new Fold().after(...events);
