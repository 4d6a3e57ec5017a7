import type { LanguageModelV4 } from "@ai-sdk/provider";
import type { Observable } from "rxjs";
import type { PlacedEntry } from "../../machines/history/entry.ts";
import type { JsonObject } from "../../machines/history/json.ts";
import type { Failure, Retry, Usage } from "../../machines/round/turn.ts";
import type { Budget } from "../../machines/thread/budget.ts";
import type { Choice } from "../../machines/thread/choice.ts";
import type { Call, Quarantine, Subscription, ThreadState } from "../../machines/thread/commit.ts";
import type { Fact, FeedItem } from "../../machines/thread/facts.ts";
import type { Child, Opening } from "../../machines/thread/family.ts";
import type { WaitingInput } from "../../machines/thread/input.ts";
import type { Clock } from "../clock.ts";
import type { Logger } from "../logger.ts";
import type { ModelOptions } from "../model/model.ts";
import type { Prices } from "../model/prices.ts";
import type { Store, ThreadSummary } from "../store/store.ts";
import type { Inspector } from "../thread/guarded-inspector.ts";
import type { Update } from "../thread/update.ts";
import type { AnswerOptions } from "../tool/answer.ts";
import type { Tool } from "../tool/define.ts";
import type { SendOptions } from "../tool/text-for.ts";
import type { ApprovalPolicy } from "../tool/toolset.ts";
import type { FeedItems, FeedQuery } from "./feed.ts";
import type { OnModelFailure } from "./model-failure.ts";
import type { ThreadSnapshot } from "./snapshot.ts";
import type { SliceOptions, Stepped } from "./step/api.ts";
import type { ThreadConfigSource } from "./thread-config.ts";

/** Bounds, each with a default; see `defaultLimits`. */
export interface Limits {
  /** Inputs waiting in one thread; one more is refused. */
  readonly inbox: number;
  /** Bytes of one input. */
  readonly inputSize: number;
  /** Rounds of a thread since the last input from outside. */
  readonly rounds: number;
  /** Equal non-passive calls in a row within those. */
  readonly equalCalls: number;
  /** Tries of one request to the model. */
  readonly tries: number;
  /** ms without a sign from a stream. */
  readonly silence: number;
  /** ms; a longer wait before the next try ends the slice. */
  readonly slowRetry: number;
  /** ms an inline tool may take. */
  readonly inlineTool: number;
  /** Requests to models that are open at once in this process. */
  readonly openRequests: number;
  /** Active subscriptions of one thread. */
  readonly subscriptions: number;
  /** Open children that one thread has spawned. */
  readonly children: number;
  /** Levels of threads below a root. */
  readonly depth: number;
  /** Events of one subscription that are handled in children at once; further ones wait in order. */
  readonly eventChildrenAtOnce: number;
  /** ms that an event's child stays idle before it closes by itself. */
  readonly eventChildLinger: number;
  /** ms that a call waits for approval; then it is denied. */
  readonly approval: number;
  /** ms that `threadConfig` may take; then it counts as failed, and is asked again. */
  readonly configuration: number;
  /** How often in a row a thread is begun again after the process died while it was at work; then it is set aside. */
  readonly restarts: number;
  /** ms at rest after which a thread leaves memory; it comes back on input, whatever its calls and producers do. */
  readonly hibernateAfter: number;
  /** Threads in memory; above that, those that rest leave at once, the least recently used first. */
  readonly residents: number;
  /** ms after which another system may take over a shared store from one that does not renew. */
  readonly lease: number;
  /** ms between looks at what other processes wrote into the store. */
  readonly pollInterval: number;
  /** Updates that wait for one slow reader. */
  readonly readerBuffer: number;
}

export interface SystemOptions {
  /** Any AI SDK language model (specification v4). */
  readonly model: LanguageModelV4;
  readonly modelOptions?: ModelOptions;
  /** Default: `memoryStore()`. */
  readonly store?: Store;
  /** Every thread gets these. */
  readonly tools?: readonly Tool[];
  /** Known by name, given to threads that ask. */
  readonly toolbox?: readonly Tool[];
  /** The tools every thread has unless switched off. Default true. */
  readonly builtins?: boolean;
  /** By the names of tools: `ask` a person before each call, `allow`, or `deny`. Goes before what a tool says of itself. */
  readonly approval?: ApprovalPolicy;
  readonly instructions?: string;
  /**
   * Asked at the start of each slice of each thread: what it has beside all this. While it fails or takes too long the
   * slice has not begun, its inputs wait, and it is asked again with growing waits (`configuration.failed`).
   */
  readonly threadConfig?: ThreadConfigSource;
  /** What a thread does when the tries of a request are used up. Default `rest`. */
  readonly onModelFailure?: OnModelFailure;
  /** What the tokens of models cost, by their ids; counted with each round. */
  readonly prices?: Prices;
  /**
   * What a root and all threads below it may use up; without one of its own from `threadConfig`. Reaching it halts all of
   * them; rounds that are open then come to their end. Default: none.
   */
  readonly budget?: Budget;
  readonly limits?: Partial<Limits>;
  readonly logger?: Logger;
  readonly clock?: Clock;
  /** Fresh randomness in [0, 1) for jitter and ids; tests pass a seeded one. */
  readonly random?: () => number;
  /**
   * False: nothing runs by itself. The system takes nothing up, holds no lease on the store, sets no timer and polls nothing;
   * `slices` is how it works. Default true.
   */
  readonly resident?: boolean;
  /** An XState inspection observer for every thread's actors, as with `system.inspect`, from the start. */
  readonly inspect?: Inspector;
}

export interface ThreadOptions {
  /** Tools by name (from `tools` or `toolbox`), or objects, registered under their name for this process. */
  readonly tools?: readonly (Tool | string)[];
  readonly instructions?: string;
  readonly metadata?: JsonObject;
}

export interface System {
  /** The thread of that id, launched if there is none. Options of a thread that exists are ignored. */
  open(id: string, options?: ThreadOptions): Promise<Thread>;
  /** A new thread under a fresh id, or under `id`; rejects with ThreadExistsError when it is used. */
  launch(options?: ThreadOptions & { readonly id?: string }): Promise<Thread>;
  /** The thread of that id, or undefined. Creates nothing. */
  thread(id: string): Promise<Thread | undefined>;
  threads(query?: Parameters<Store["threads"]>[0]): Promise<readonly ThreadSummary[]>;
  /**
   * Accepts one envelope, or several at once: all are durable before a thread looks at the first. Resolves to true for
   * each that was new, false for each that was a repetition. Rejects with InputRefusedError: when one is malformed, before
   * any is accepted; when a thread refused one (it is unknown, its inbox is full), while the others are accepted.
   */
  deliver(envelopes: readonly unknown[]): Promise<readonly boolean[]>;
  deliver(envelope: unknown): Promise<boolean>;
  /**
   * With `resident: false`: accepts a batch as one and runs one slice of each thread in it, under a lease of that thread. Nothing
   * of it stays in memory. `{ threadId }` alone brings a thread back; timers that are due reach it then. One thread's failure
   * is its own. Rejects with StepModeError on a resident system, with LeaseHeldError while one runs the store (what was accepted
   * is run there), and before anything is accepted with OptionError, and with InputRefusedError or ThreadIdError for an
   * envelope that names no thread.
   */
  slices(envelopes: readonly unknown[], options?: SliceOptions): Promise<Stepped>;
  /**
   * Durable: every committed fact from behind a cursor, then those to come. At least once for who keeps the cursor. Where
   * `where.types` names types, the facts are typed as those.
   */
  feed<const Type extends FeedItem["type"] = FeedItem["type"]>(query?: FeedQuery<Type>): FeedItems<Type>;
  /**
   * Stops accepting, cuts open rounds (what is visible of them is kept, and those threads rest), lets commits finish, aborts
   * the signals of tools; within five seconds. Nothing that was accepted is lost: the next system on the store goes on
   * there. A second call waits for the first.
   */
  stop(): Promise<void>;
  /**
   * Attaches an XState inspection observer (Stately's, a function, …) to every thread's actors, those in memory and those to
   * come, until the returned function is called. It can neither break nor hold up a thread: it is told a little later, is
   * left alone after its first error, and misses events, which the logger is told, when it does not keep up.
   */
  inspect(observer: Inspector): () => void;
  /** The model for the rounds that begin from now on. */
  useModel(model: LanguageModelV4, options?: ModelOptions): void;
}

/** A look at one thread, for people and tests. */
export interface ThreadView {
  readonly state: ThreadState;
  readonly lastFailure: Failure | null;
  /** The provider is left alone until then (`due`, ms since the epoch), and asked again. */
  readonly retry: Retry | null;
  readonly usage: Usage;
  /** Outstanding calls: what the thread waits for (R9). */
  readonly calls: readonly Call[];
  readonly subscriptions: readonly Subscription[];
  /** How the thread began; null for a root. */
  readonly opening: Opening | null;
  /** Open ones, in the order they were opened. */
  readonly children: readonly Child[];
  /** Stopped by its owner, until somebody writes. */
  readonly halted: boolean;
  /** Set aside after it failed again and again, until somebody writes to it or releases it; null when it is not. */
  readonly quarantined: Quarantine | null;
  /** Deferrable inputs held back until no active call is outstanding, in order of acceptance. */
  readonly deferred: readonly WaitingInput[];
}

export type CompactionOutcome = Extract<Fact, { type: "history.compacted" }>["outcome"];

export interface Thread {
  readonly id: string;
  /** Resolves once durable: true when new, false when the id was seen before. Rejects with InputRefusedError. */
  send(text: string, options?: SendOptions): Promise<boolean>;
  /** Sends, and resolves to the text of the answer: of the turn after which nothing of this work is outstanding. */
  ask(text: string, options?: SendOptions): Promise<string>;
  /** Stops what is going on: an open round is cut, outstanding calls are settled as interrupted. */
  interrupt(options?: { readonly id?: string; readonly sender?: string }): Promise<boolean>;
  /**
   * Stops the thread and its descendants until somebody writes: work is settled as interrupted, what could be deferred is
   * discarded, now and from then on.
   */
  halt(options?: { readonly id?: string; readonly sender?: string }): Promise<boolean>;
  /**
   * Has the beginning of the conversation summarised now, whatever its size: requests begin with the summary from then on, the
   * history stays. A text that waits is answered first. Resolves once that is over, to what came of it: `done`, `failed`,
   * `given up` (a text or a stop came while it was made, or the thread closed), or `nothing` (there is nothing to summarise).
   * Rejects with SystemStoppedError when the system stops first.
   */
  compact(options?: { readonly id?: string; readonly sender?: string }): Promise<CompactionOutcome>;
  /** Lets the thread go on that was set aside. Of one that is not, it is discarded (`not-quarantined`). */
  release(options?: { readonly id?: string; readonly sender?: string }): Promise<boolean>;
  /** Ends the thread for good, its descendants first. What comes after is refused. */
  close(options?: { readonly id?: string; readonly sender?: string }): Promise<boolean>;
  /** The questions that nobody has answered, of approvals and of tools, oldest first; with `tree`, also of the threads below. */
  choices(options?: { readonly tree?: boolean }): Promise<readonly Choice[]>;
  /**
   * Answers a question of the thread or of one below it: by its number, from 0, or its words; an approval takes "approve",
   * "always approve" (every call of that tool in that thread) or "deny". Resolves once durable; false when the id was seen.
   * Rejects with ChoiceClosedError, NoSuchChoiceError. The first answer counts.
   */
  answer(choiceId: string, choice: number | string, options?: AnswerOptions): Promise<boolean>;
  /**
   * Resolves when no slice is under way and nothing waits that could start one; with `tree`, also in none of the threads
   * below, nor on its way between them.
   */
  atRest(options?: { readonly tree?: boolean }): Promise<ThreadState>;
  readonly state: ThreadState;
  readonly state$: Observable<ThreadState>;
  view(): ThreadView;
  /** What the thread has used; with `tree`, its root and all threads below that together, closed ones too. */
  usage(options?: { readonly tree?: boolean }): Promise<Usage>;
  /** The next slice asks `threadConfig` and takes nothing over, whatever its `configVersion`; so does one that is preparing. */
  reload(): void;
  /** All of the thread at one moment, for a viewer that attaches: subscribe to its updates first, then take this. */
  snapshot(): Promise<ThreadSnapshot>;
  /** The stored history, ascending by position; of a child its own part, or with what it `inherited` from its parents. */
  history(options?: { readonly inherited?: boolean }): Promise<readonly PlacedEntry[]>;
  /**
   * Live; ends when the loop over it is left or the system stops. Bounded: a slow reader gets a `gap`. With `tree`, also of
   * the threads below, each update with its `threadId`.
   */
  updates(options?: { readonly tree?: boolean }): AsyncIterable<Update>;
  readonly updates$: Observable<Update>;
  /** As `updates$`, with those of the threads below from their beginning on. */
  readonly treeUpdates$: Observable<Update>;
}
