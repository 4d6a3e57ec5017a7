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
}

export const leasesOn = (database: Database): Leases => {
  const select = database.prepare<{ holder: string; until: number; ttl: number }>(
    "SELECT holder, until, ttl FROM lease WHERE name = ?",
  );
  const insert = database.prepare("INSERT OR REPLACE INTO lease (name, holder, until, ttl) VALUES (?, ?, ?, ?)");
  const remove = database.prepare("DELETE FROM lease WHERE name = ? AND holder = ?");

  return {
    take(name, holder, ttl, now) {
      const lease = select.get(name);
      if (lease && lease.holder !== holder && lease.until > now) {
        const until = endOf(lease, now);
        if (until < lease.until) insert.run(name, lease.holder, until, lease.ttl);
        return { held: false, by: lease.holder, until };
      }
      insert.run(name, holder, now + ttl, ttl);
      return { held: true, until: now + ttl };
    },
    give: (name, holder) => void remove.run(name, holder),
    holder(name, now) {
      const lease = select.get(name);
      return lease && lease.until > now ? { by: lease.holder, until: endOf(lease, now) } : undefined;
    },
  };
};

/** No lease has longer to go than it was taken for. If it seems to, the clock was set back: it starts anew. */
const endOf = ({ until, ttl }: { readonly until: number; readonly ttl: number }, now: number): number =>
  Math.min(until, now + ttl);
