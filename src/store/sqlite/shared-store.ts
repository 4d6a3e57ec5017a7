import type { ThreadId } from "../../../machines/history/ids.ts";
import type { Store } from "../store.ts";
import type { Database } from "./database.ts";
import type { Inbox } from "./inbox.ts";
import { type LeaseOutcome, leasesOn } from "./leases.ts";

/** What several processes on one store need beside the contract. */
export interface SharedStore extends Store {
  /**
   * Takes or renews the lease `name` for `holder`, until `now + ttl` (ms since the epoch, ms). Held by another: who, and
   * until when at the latest. A lease that ran out is anybody's. An end that lies further off than the holder's own ttl
   * comes from a clock that was set back since; it is shortened to that ttl from `now`.
   */
  lease(name: string, holder: string, ttl: number, now: number): Promise<LeaseOutcome>;
  /** Gives the lease back; does nothing when `holder` does not have it. */
  release(name: string, holder: string): Promise<void>;
  /**
   * What was accepted since, by this process and by others: the threads with inputs that still wait, by id, and the cursor
   * for the next call. Without a cursor: no threads, and the cursor of now. Take that before `threads({ withWork: true })`,
   * and nothing falls in between. Cheap when there is nothing new; made for polling.
   */
  acceptedAfter(cursor?: number): Promise<{ readonly cursor: number; readonly threads: readonly ThreadId[] }>;
}

export const sharingOn = (database: Database, inbox: Inbox): Omit<SharedStore, keyof Store> => {
  const leases = leasesOn(database);
  return {
    lease: (name, holder, ttl, now) =>
      database.write(`the lease ${name} was asked for`, () => leases.take(name, holder, ttl, now)),
    release: (name, holder) => database.write(`the lease ${name} was given back`, () => leases.give(name, holder)),
    acceptedAfter: (after) =>
      database.read("it was asked for what is new", () => {
        const cursor = inbox.last();
        return { cursor, threads: after === undefined || after >= cursor ? [] : inbox.threadsBehind(after) };
      }),
  };
};
