import type { System } from "wakeful";

/** An envelope, or a thread that is to be brought back. */
export interface Message {
  readonly threadId: string;
  readonly dedupId?: string;
  readonly input?: object;
}

/** A queue as clouds have it: it delivers what is not acknowledged again, some of it twice, and in any order across threads. */
export interface Queue {
  /** What is there now, at most so many. */
  receive(most: number): Promise<readonly { readonly message: Message; acknowledge(): Promise<void> }[]>;
  /** `at`: not before that instant, ms since the epoch. */
  send(message: Message, at?: number): Promise<void>;
}

/** Works the queue off; resolves when there is nothing to be received. */
export const consume = async (system: System, queue: Queue): Promise<void> => {
  for (;;) {
    const deliveries = await queue.receive(10);
    if (deliveries.length === 0) return;
    const { threads, wake, timers } = await system.slices(
      deliveries.map(({ message }) => message),
      { budget: 20_000 },
    );
    for (const threadId of wake) await queue.send({ threadId });
    for (const { threadId, at } of timers) await queue.send({ threadId }, at);

    // What failed and has more to do comes again, when the queue delivers it again. All else has been taken.
    const again = new Set(
      threads.flatMap(({ threadId, outcome, more }) => (outcome === "failed" && more ? threadId : [])),
    );
    for (const { message, acknowledge } of deliveries) if (!again.has(message.threadId)) await acknowledge();
  }
};
