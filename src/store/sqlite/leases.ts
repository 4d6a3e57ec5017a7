import type { ThreadId } from "../../../machines/history/ids.ts";
import { guards, isThreadLease, runnerLease, threadLeases } from "../lease-names.ts";
import type { LeaseHolder, LeaseOutcome } from "../store.ts";
import type { Database } from "./database.ts";

/** Who may do what only one may do at a time (R8): a name is held by one holder until an instant. */
export interface Leases {
  /** Inside a `write`. */
  take(name: string, holder: string, ttl: number, now: number): LeaseOutcome;
  /** Inside a `write`. */
  give(name: string, holder: string): void;
  /** Undefined when nobody holds it at `now`. */
  holder(name: string, now: number): LeaseHolder | undefined;
  /**
   * Inside a `write`: a lease on this thread that was taken here and that another has taken since, also when that one is gone again;
   * undefined when there is none. A process that was paused learns here, and not from its clock, that its time is over.
   */
  lost(threadId: ThreadId): { readonly name: string; readonly by: string } | undefined;
}

const goneAgain = "another, who is gone again";

interface Row {
  readonly name: string;
  readonly holder: string;
  readonly until: number;
  readonly ttl: number;
}

export const leasesOn = (database: Database): Leases => {
  const select = database.prepare<{ holder: string; until: number; ttl: number }>(
    "SELECT holder, until, ttl FROM lease WHERE name = ?",
  );
  const insert = database.prepare("INSERT OR REPLACE INTO lease (name, holder, until, ttl) VALUES (?, ?, ?, ?)");
  const range = "name >= ? AND name < ?";
  const latest = database.prepare<Row>(
    `SELECT name, holder, until, ttl FROM lease WHERE ${range} AND until > ? ORDER BY until DESC LIMIT 1`,
  );
  const drop = database.prepare(`DELETE FROM lease WHERE ${range}`);
  const remove = database.prepare("DELETE FROM lease WHERE name = ? AND holder = ?");
  /** Who took which lease through this store, and did not give it back. */
  const taken = new Map<string, string>();

  /** The names that exclude `name`: all threads at once, or one by one. */
  const rivalsOf = (name: string): readonly [string, string] | undefined => {
    if (name === runnerLease) return [threadLeases.from, threadLeases.to];
    return isThreadLease(name) ? [runnerLease, `${runnerLease}!`] : undefined;
  };

  return {
    take(name, holder, ttl, now) {
      const lease = select.get(name);
      // What others did meanwhile is not what this holder has in mind: it cannot just go on, even when they are gone.
      if (taken.get(name) === holder && lease?.holder !== holder)
        return { held: false, by: lease?.holder ?? goneAgain, until: lease ? endOf(lease, now) : now };
      if (lease && lease.holder !== holder && lease.until > now) {
        const until = endOf(lease, now);
        if (until < lease.until) insert.run(name, lease.holder, until, lease.ttl);
        return { held: false, by: lease.holder, until };
      }
      const rivals = rivalsOf(name);
      const rival = rivals && latest.get(...rivals, now);
      if (rival) return { held: false, by: rival.holder, until: endOf(rival, now), name: rival.name };
      // Those that ran out are nobody's: who had one learns that it is lost.
      const isLeft = rivals !== undefined && Number(drop.run(...rivals).changes) > 0;
      insert.run(name, holder, now + ttl, ttl);
      taken.set(name, holder);
      const isAbandoned = isLeft || (lease !== undefined && lease.holder !== holder);
      return { held: true, until: now + ttl, ...(isAbandoned && { isAbandoned }) };
    },
    give(name, holder) {
      remove.run(name, holder);
      if (taken.get(name) === holder) taken.delete(name);
    },
    holder(name, now) {
      const lease = select.get(name);
      return lease && lease.until > now ? { by: lease.holder, until: endOf(lease, now) } : undefined;
    },
    lost(threadId) {
      for (const [name, holder] of taken) {
        if (!guards(name, threadId)) continue;
        const by = select.get(name)?.holder;
        if (by !== holder) return { name, by: by ?? goneAgain };
      }
      return undefined;
    },
  };
};

/** No lease has longer to go than it was taken for. If it seems to, the clock was set back: it starts anew. */
const endOf = ({ until, ttl }: { readonly until: number; readonly ttl: number }, now: number): number =>
  Math.min(until, now + ttl);
