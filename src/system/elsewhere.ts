import type { ThreadId } from "../../machines/history/ids.ts";
import type { Clock } from "../clock.ts";
import type { Logger } from "../logger.ts";
import type { SharedStore } from "../store/store.ts";

export interface ElsewhereOptions {
  readonly store: SharedStore;
  readonly clock: Clock;
  readonly logger: Logger;
  /** ms between looks. */
  readonly pollInterval: number;
  /** A thread has inputs that some process accepted. Never rejects; no thread waits for another's. */
  readonly onInputs: (threadId: ThreadId) => Promise<unknown>;
}

/**
 * Notices what other processes accepted, within `pollInterval`. Begins behind what is there when it is called. Returns how
 * to stop.
 */
export const watchElsewhere = async (options: ElsewhereOptions): Promise<() => void> => {
  const { store, clock, logger, pollInterval, onInputs } = options;
  let { cursor } = await store.acceptedAfter();
  let stopped = false;
  let timer: unknown;
  const look = async (): Promise<void> => {
    try {
      const news = await store.acceptedAfter(cursor);
      cursor = news.cursor;
      for (const threadId of news.threads) void onInputs(threadId);
    } catch (error) {
      if (!stopped) logger.error({ error: String(error) }, "inputs of other processes could not be looked for");
    }
    if (!stopped) arm();
  };
  const arm = (): void => {
    timer = clock.setTimeout(() => void look(), pollInterval);
  };
  arm();
  return () => {
    stopped = true;
    clock.clearTimeout(timer);
  };
};
