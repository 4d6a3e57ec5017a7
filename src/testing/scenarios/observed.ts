import type { LanguageModelV4Prompt } from "@ai-sdk/provider";
import type { PlacedEntry } from "../../../machines/history/entry.ts";
import type { NewThread } from "../../../machines/thread/family.ts";
import type { ThreadSnapshot } from "../../system/snapshot.ts";
import type { Update } from "../../thread/update.ts";
import { type SeenEvent, type SourceOf, seenAtOpening, seenIn } from "./events.ts";
import type { Fed } from "./feed.ts";
import type { Dispatched } from "./tools.ts";

/** A request to the model, and what it was made of. */
export interface Asked {
  readonly thread: string;
  /** Counts the requests of its thread, from 1. */
  readonly nth: number;
  readonly model: string;
  readonly prompt: LanguageModelV4Prompt;
  /** The history it was made of, with what was not committed yet. */
  readonly entries: Promise<readonly PlacedEntry[]>;
  readonly fed: Fed;
}

/** Counts the systems that a play made one after the other: what one of them did is nothing to the next. */
interface OfLife {
  readonly life: number;
}

export interface ToldToStop extends OfLife {
  readonly thread: string;
  readonly callId: string;
}

/** Everything that was seen of a runtime while a scenario played, over all its lives. */
export class Observed {
  readonly asked: Asked[] = [];
  readonly events: SeenEvent[] = [];
  readonly dispatched: (Dispatched & OfLife)[] = [];
  readonly toldToStop: ToldToStop[] = [];
  /** What viewers were shown when they attached, by the scenario's names. */
  readonly snapshots = new Map<string, ThreadSnapshot>();
  /** Answers to questions, as they were recorded. */
  readonly answers: {
    readonly thread: string;
    readonly callId: string;
    readonly choiceId: string;
    readonly index: number;
  }[] = [];
  readonly outcomes: (readonly [string, "completed" | "skipped" | "failed"])[] = [];
  /** Threads whose round waits to be tried again, and the instant at which it will be; settling takes them out. */
  readonly retries = new Map<string, number>();
  /** What was refused at the door, and what the runtime logged as an error: told with a failure, no failure by itself. */
  readonly notes: string[] = [];

  opened(thread: NewThread): void {
    this.events.push(...seenAtOpening(thread));
  }

  /** `sourceOf`: the call under which a child is heard, and hears. */
  update(update: Update, sourceOf: SourceOf): void {
    this.events.push(...seenIn(update, sourceOf));
    if (update.type === "round.retried") this.retries.set(update.threadId, update.at + update.wait);
    this.#answer(update);
    if (update.type === "slice.ended") this.outcomes.push([update.threadId, "completed"]);
  }

  /** A question of work elsewhere is answered first and closed later: its answer counts once. */
  #answer(update: Update): void {
    if (update.type !== "choice.answered" && update.type !== "choice.closed") return;
    const { threadId: thread, callId, choiceId, answer } = update;
    if (!answer || this.answers.some((other) => other.choiceId === choiceId)) return;
    this.answers.push({ thread, callId, choiceId, index: answer.index });
  }

  request(request: Omit<Asked, "nth">): void {
    this.asked.push({ ...request, nth: this.requestsOf(request.thread).length + 1 });
  }

  requestsOf(thread: string): readonly Asked[] {
    return this.asked.filter((request) => request.thread === thread);
  }

  /** The request of a thread that waits for the model. */
  openRequest(thread: string): Asked | undefined {
    return this.asked.findLast((request) => request.thread === thread && request.fed.isOpen);
  }

  /** Threads with a request that waits for the model. */
  get open(): readonly string[] {
    return [...new Set(this.asked.filter(({ fed }) => fed.isOpen).map(({ thread }) => thread))];
  }

  /** After a crash nothing that was open can be answered any more. */
  forgetOpen(): void {
    for (const { fed } of this.asked) fed.abandon();
    this.retries.clear();
  }
}
