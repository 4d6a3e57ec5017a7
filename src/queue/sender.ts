import { type Clock, systemClock } from "../clock.ts";
import { SystemStoppedError } from "../errors.ts";
import { consoleLogger, type Logger } from "../logger.ts";
import type { Store } from "../store/store.ts";
import { parseEnvelope } from "./door.ts";
import { createInputQueue } from "./input-queue.ts";
import { tellAccepted } from "./notice.ts";
import { freshness } from "./refusal.ts";
import { type NamedThreadOptions, threadIdOf, threadSpecOf } from "./thread-spec.ts";

/** Delivers envelopes to threads, wherever they run. */
export interface StoreSender {
  /**
   * Launches the thread of that id if there is none, for whichever process runs the threads. Resolves once durable: true
   * when it was made; false when it is there already, and the options are ignored. Tools are given by name. The thread
   * begins to work with the first input. Rejects with ThreadIdError, OptionError.
   */
  open(threadId: string, options?: NamedThreadOptions): Promise<boolean>;
  /**
   * Resolves once durable: true when the input was new, false when its key was seen before (R2). Rejects with
   * InputRefusedError when it was not accepted.
   */
  send(envelope: unknown): Promise<boolean>;
  /** Waits for what is under way, then refuses. The store stays open. */
  stop(): Promise<void>;
}

export interface SenderOptions {
  /** Inputs that may wait in one thread. Default 1,000, as for a system. */
  readonly inboxLimit?: number;
  /** Bytes of one input. Default 1,000,000. */
  readonly inputSize?: number;
  readonly clock?: Clock;
  readonly logger?: Logger;
}

/** A sender on a store, for code that runs no system: a webhook, another process, a script. */
export const createSender = (store: Store, options: SenderOptions = {}): StoreSender => {
  const { inboxLimit = 1_000, inputSize = 1_000_000, clock = systemClock, logger = consoleLogger } = options;
  const queue = createInputQueue({
    store,
    clock,
    logger,
    inboxLimit,
    deliver: (threadId, accepted) => tellAccepted(store, threadId, accepted),
  });
  let stopped = false;
  return {
    async open(id, options = {}) {
      const threadId = threadIdOf(id);
      if (stopped) throw new SystemStoppedError(`thread ${threadId} was opened`);
      return store.create(threadId, threadSpecOf(options, inputSize), clock.now());
    },
    async send(value) {
      const envelope = parseEnvelope(value, { inputSize });
      const [acceptance] = await queue.send([envelope]);
      return acceptance !== undefined && freshness(envelope.threadId, acceptance);
    },
    stop() {
      stopped = true;
      return queue.stop();
    },
  };
};
