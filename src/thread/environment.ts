import type { LanguageModelV4, LanguageModelV4Prompt } from "@ai-sdk/provider";
import type { InspectionEvent } from "xstate";
import type { PlacedEntry } from "../../machines/history/entry.ts";
import type { CallId, ThreadId } from "../../machines/history/ids.ts";
import type { ThreadLimits } from "../../machines/thread/ledger.ts";
import type { Clock } from "../clock.ts";
import type { Logger } from "../logger.ts";
import type { Price } from "../model/prices.ts";
import type { RequestSlots } from "../model/stream/slots.ts";
import type { AcceptedInput } from "../queue/notice.ts";
import type { Store } from "../store/store.ts";
import type { CallRegistry } from "../tool/registry.ts";
import type { Configuration, Configured } from "./configuration.ts";
import type { Inherited } from "./conversation.ts";
import type { Inspection } from "./inspection.ts";
import type { Update } from "./update.ts";

/** What tests and the scenario player see of effects; nothing in production uses it. */
export interface SystemHooks {
  /** A request is about to go out: its prompt, and the entries of it that are not committed yet. */
  readonly onRequest?: (threadId: ThreadId, prompt: LanguageModelV4Prompt, uncommitted: readonly PlacedEntry[]) => void;
  /** A call was told to stop. */
  readonly onAbort?: (threadId: ThreadId, callId: CallId) => void;
  /** Hears at once, and from an actor's making on, what inspection tells; holds it up. */
  readonly onInspection?: (event: InspectionEvent) => void;
  /** In place of random ids, so that a story is the same in every play; never the same twice. */
  readonly freshId?: () => string;
}

/** What a running thread uses of the system. */
export interface ThreadEnvironment {
  readonly store: Store;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly random: () => number;
  readonly registry: CallRegistry;
  readonly slots: RequestSlots;
  readonly limits: ThreadLimits & { readonly inlineTool: number; readonly configuration: number };
  /** What a thread works with from now on; at once when there is nobody to ask. */
  readonly configure: (thread: Configured) => Configuration | Promise<Configuration>;
  /** What the model's tokens cost; undefined where nobody said. */
  readonly priceOf: (model: LanguageModelV4) => Price | undefined;
  /** Threads ask for their configuration at the start of each slice. */
  readonly configuresEachSlice: boolean;
  /** The model refused events as calls and took them as text: so it is from now on. */
  readonly readsEventsAsText: (model: LanguageModelV4) => void;
  /** Whether anybody watches a thread. */
  readonly watched: (threadId: ThreadId) => boolean;
  readonly publish: (update: Update) => void;
  /** Facts became durable. */
  readonly committed: () => void;
  /** A commit opened threads: they start by themselves, on what they inherit where that is in memory. */
  readonly opened: (
    threads: readonly { readonly threadId: ThreadId; readonly inherited: Inherited | undefined }[],
  ) => void;
  /** The outbox of a commit was accepted where it is for. */
  readonly delivered: (threadId: ThreadId, accepted: readonly AcceptedInput[]) => void;
  /** Part of the ids of new threads; never the same twice, in any process. */
  readonly freshId: () => string;
  /** A commit set or cleared timers. */
  readonly timersChanged: () => void;
  readonly inspection: Inspection;
  readonly hooks: SystemHooks;
  /** ms after which what fails is given up, a configuration at once: who runs the thread is told. Left out: never. */
  readonly patience?: number;
  /** Aborts when the system stops. */
  readonly signal: AbortSignal;
}
