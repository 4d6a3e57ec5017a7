import { type Clock, systemClock } from "../clock.ts";
import { consoleLogger, type Logger } from "../logger.ts";
import type { Store } from "../store/store.ts";
import { parseEnvelope } from "./door.ts";
import { createInputQueue } from "./input-queue.ts";
import { tellAccepted } from "./notice.ts";
import { freshness } from "./refusal.ts";

/** Delivers envelopes to threads, wherever they run. */
export interface StoreSender {
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
  return {
    async send(value) {
      const envelope = parseEnvelope(value, { inputSize });
      const [acceptance] = await queue.send([envelope]);
      return acceptance !== undefined && freshness(envelope.threadId, acceptance);
    },
    stop: () => queue.stop(),
  };
};
