import { lastValueFrom, Subject } from "rxjs";
import type { ThreadId } from "../../machines/history/ids.ts";
import type { Envelope } from "../../machines/thread/input.ts";
import type { Clock } from "../clock.ts";
import { point } from "../crash-points.ts";
import { StoreError, SystemStoppedError } from "../errors.ts";
import type { Logger } from "../logger.ts";
import { deliveryOf } from "../store/delivery.ts";
import type { Acceptance, Delivery, Store } from "../store/store.ts";
import { inBatches } from "./in-batches.ts";
import type { AcceptedInput, AcceptedListener } from "./notice.ts";

/**
 * The way of all inputs into a store, in the order they arrive.
 * Q1. Inputs are accepted in the order of the calls of `send`, those of one call together and in the order given (R3).
 * Q2. What came in one breath (before the next microtask), or while the store was busy, is one acceptance.
 * Q3. A thread is told of what one acceptance took in at once, as one group, when it is durable and before its senders
 *     are answered: a sender that has its answer knows that the thread was told.
 * Q4. A failure of the store reaches the senders of that acceptance and nobody else; the queue goes on. Their threads are
 *     told of nothing, which has them look into their inboxes: the store may have failed after it took the inputs in.
 */
export interface InputQueue {
  /**
   * Resolves once durable, with one acceptance for each envelope; a refusal is an acceptance too. Rejects with StoreError
   * when the store failed: whether the inputs are durable is not known then, and sending them again under the same ids
   * is safe (R2). Rejects with SystemStoppedError after `stop`.
   */
  send(envelopes: readonly Envelope[]): Promise<readonly Acceptance[]>;
  /** Resolves when everything sent before has its answer. Never rejects. */
  drain(): Promise<void>;
  /** Refuses what comes from now on; resolves when everything sent before has its answer. A second call waits for the same. */
  stop(): Promise<void>;
}

export interface InputQueueOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Inputs that may wait in one thread. */
  readonly inboxLimit: number;
  /** Told of what became durable (Q3). Must be short: all threads wait for it. What it throws is logged. */
  readonly deliver: AcceptedListener;
}

/** What one call of `send` brought, and who waits for the answer. */
interface Parcel {
  readonly envelopes: readonly Envelope[];
  readonly resolve: (acceptances: readonly Acceptance[]) => void;
  readonly reject: (error: Error) => void;
}

/** Inputs of one acceptance; a call of `send` that brings more is not split. */
const batchLimit = 1_000;

/** What was accepted, by thread, in the order of acceptance. */
const byThread = (deliveries: readonly Delivery[], acceptances: readonly Acceptance[]) => {
  const groups = new Map<ThreadId, AcceptedInput[]>();
  for (const [index, { threadId, facts }] of deliveries.entries()) {
    const acceptance = acceptances[index];
    if (acceptance?.status !== "accepted") continue;
    const { waiting, feed, behind } = acceptance;
    const accepted = { waiting, feed, behind, facts };
    const group = groups.get(threadId);
    if (group) group.push(accepted);
    else groups.set(threadId, [accepted]);
  }
  return groups;
};

export const createInputQueue = ({ store, clock, logger, inboxLimit, deliver }: InputQueueOptions): InputQueue => {
  const arrivals = new Subject<Parcel>();

  const tell: AcceptedListener = (threadId, accepted) => {
    try {
      deliver(threadId, accepted);
    } catch (error) {
      logger.error({ threadId, error: String(error) }, "a thread could not be told of inputs; they wait in its inbox");
    }
  };

  const accept = async (envelopes: readonly Envelope[]): Promise<readonly Acceptance[]> => {
    const at = clock.now();
    const deliveries = envelopes.map((envelope) => deliveryOf(envelope, at));
    const acceptances = await store.accept(deliveries, { inboxLimit });
    if (acceptances.length !== deliveries.length)
      throw new Error(`it answered ${acceptances.length} of ${deliveries.length} deliveries`);
    for (const [threadId, accepted] of byThread(deliveries, acceptances)) tell(threadId, accepted);
    point("delivered");
    return acceptances;
  };

  const acceptAll = async (parcels: readonly Parcel[]): Promise<void> => {
    const envelopes = parcels.flatMap((parcel) => parcel.envelopes);
    try {
      const acceptances = envelopes.length > 0 ? await accept(envelopes) : [];
      let taken = 0;
      for (const parcel of parcels) {
        const next = taken + parcel.envelopes.length;
        parcel.resolve(acceptances.slice(taken, next));
        taken = next;
      }
    } catch (cause) {
      const what = envelopes.length === 1 ? "1 input" : `${envelopes.length} inputs`;
      const problem = `${what} could not be acknowledged (${textOf(cause)}). Sending again under the same ids is safe.`;
      logger.error({ inputs: envelopes.length, error: textOf(cause) }, "the store failed while it accepted inputs");
      for (const threadId of new Set(envelopes.map((envelope) => envelope.threadId))) tell(threadId, []);
      for (const parcel of parcels) parcel.reject(new StoreError(problem, { cause }));
    }
  };

  const finished = lastValueFrom(
    arrivals.pipe(inBatches({ limit: batchLimit, sizeOf: (parcel) => parcel.envelopes.length }, acceptAll)),
    { defaultValue: undefined },
  );
  let stopped = false;

  const arrive = (envelopes: readonly Envelope[]): Promise<readonly Acceptance[]> =>
    new Promise((resolve, reject) => arrivals.next({ envelopes, resolve, reject }));

  return {
    async send(envelopes) {
      if (stopped) throw new SystemStoppedError(`${envelopes.length === 1 ? "an input was" : "inputs were"} sent`);
      if (envelopes.some(({ input }) => input.kind === "result")) point("result-sent");
      return arrive(envelopes);
    },
    async drain() {
      if (stopped) await finished;
      // An empty parcel keeps its place behind what was sent before; it is answered even when the store failed for others.
      else await arrive([]).catch(() => {});
    },
    stop() {
      stopped = true;
      arrivals.complete();
      return finished;
    },
  };
};

const textOf = (cause: unknown): string => (cause instanceof Error ? cause.message : String(cause));
