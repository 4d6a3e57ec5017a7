import { LeaseHeldError } from "../../errors.ts";
import { isThreadLease, runnerLease } from "../../store/lease-names.ts";
import { isShared, type SharedStore, type Store } from "../../store/store.ts";

/** Who runs which thread: as the store says, where processes share it; else as this process knows. */
export type Leases = Pick<SharedStore, "lease" | "release" | "holder">;

interface Held {
  readonly by: string;
  readonly until: number;
}

/** The same rules as in a shared store, for systems of one process on one store object. */
class LeaseBook implements Leases {
  readonly #held = new Map<string, Held>();

  async lease(name: string, holder: string, ttl: number, now: number) {
    const held = this.#at(name, now);
    if (held && held.by !== holder) return { held: false as const, ...held };
    const rival = this.#rivalOf(name, now);
    if (rival) return { held: false as const, ...rival };
    const isAbandoned = this.#held.has(name) && this.#held.get(name)?.by !== holder;
    this.#held.set(name, { by: holder, until: now + ttl });
    return { held: true as const, until: now + ttl, ...(isAbandoned && { isAbandoned: true as const }) };
  }

  async release(name: string, holder: string) {
    if (this.#held.get(name)?.by === holder) this.#held.delete(name);
  }

  async holder(name: string, now: number) {
    return this.#at(name, now);
  }

  #at(name: string, now: number): Held | undefined {
    const held = this.#held.get(name);
    return held && held.until > now ? held : undefined;
  }

  #rivalOf(name: string, now: number): (Held & { readonly name: string }) | undefined {
    const excludes =
      name === runnerLease ? isThreadLease : (other: string) => isThreadLease(name) && other === runnerLease;
    for (const other of this.#held.keys()) {
      const rival = excludes(other) ? this.#at(other, now) : undefined;
      if (rival) return { ...rival, name: other };
    }
    return undefined;
  }
}

const books = new WeakMap<Store, Leases>();

/** The leases of a store; the same for every system of this process. */
export const leasesOf = (store: Store): Leases => {
  if (isShared(store)) return store;
  const known = books.get(store) ?? new LeaseBook();
  books.set(store, known);
  return known;
};

/**
 * A resident system runs the threads of a store that processes do not share, until the returned function is called. Throws
 * LeaseHeldError while a slice of a step worker is under way.
 */
export const runsAll = async (store: Store, holder: string, now: number): Promise<() => void> => {
  if (isShared(store)) return () => {};
  const leases = leasesOf(store);
  const outcome = await leases.lease(runnerLease, holder, Number.POSITIVE_INFINITY, now);
  if (!outcome.held && outcome.name) throw new LeaseHeldError(outcome.by, outcome.until, outcome.name);
  return () => void leases.release(runnerLease, holder);
};
