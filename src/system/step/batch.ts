import type { ThreadId } from "../../../machines/history/ids.ts";
import type { Envelope } from "../../../machines/thread/input.ts";
import { InputRefusedError } from "../../errors.ts";
import { type DoorLimits, parseEnvelope } from "../../queue/door.ts";
import { freshness } from "../../queue/refusal.ts";
import { threadIdOf } from "../../queue/thread-spec.ts";
import type { Acceptance } from "../../store/store.ts";

/** What one call of `slices` is about. */
export interface Batch {
  /** Each once, in the order in which they were named first. */
  readonly threads: readonly ThreadId[];
  /** Threads that do not take what they were sent, and the first reason. */
  readonly refused: ReadonlyMap<ThreadId, InputRefusedError>;
}

/** Names a thread and brings nothing: whoever is to be brought back, as `wake` and `timers` say. */
const isCall = (given: unknown): given is { readonly threadId: string } =>
  typeof given === "object" && given !== null && "threadId" in given && !("input" in given) && !("dedupId" in given);

/**
 * Accepts the envelopes of a batch as one. What is wrong with an envelope is its thread's affair alone; where it names no
 * thread, this rejects before anything is accepted: with InputRefusedError, or ThreadIdError.
 */
export const acceptBatch = async (
  given: readonly unknown[],
  limits: DoorLimits,
  send: (envelopes: readonly Envelope[]) => Promise<readonly Acceptance[]>,
): Promise<Batch> => {
  const threads = new Set<ThreadId>();
  const refused = new Map<ThreadId, InputRefusedError>();
  const envelopes: Envelope[] = [];
  const refuse = (threadId: ThreadId, error: unknown): void => {
    if (!(error instanceof InputRefusedError)) throw error;
    if (!refused.has(threadId)) refused.set(threadId, error);
  };
  for (const one of given) {
    if (isCall(one)) {
      threads.add(threadIdOf(one.threadId));
      continue;
    }
    try {
      const envelope = parseEnvelope(one, limits);
      threads.add(envelope.threadId);
      envelopes.push(envelope);
    } catch (error) {
      if (!(error instanceof InputRefusedError) || error.threadId === "(none)") throw error;
      const threadId = threadIdOf(error.threadId);
      threads.add(threadId);
      refuse(threadId, error);
    }
  }
  const acceptances = envelopes.length > 0 ? await send(envelopes) : [];
  for (const [index, acceptance] of acceptances.entries()) {
    const { threadId } = envelopes[index] as Envelope;
    try {
      freshness(threadId, acceptance);
    } catch (error) {
      refuse(threadId, error);
    }
  }
  return { threads: [...threads], refused };
};
