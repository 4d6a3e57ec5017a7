import type { SharedStore, Store } from "../store.ts";
import type { Database } from "./database.ts";
import type { Inbox } from "./inbox.ts";
import type { Leases } from "./leases.ts";

/** What several processes on one file need of each other. */
export const sharingOn = (
  database: Database,
  { inbox, leases }: { readonly inbox: Inbox; readonly leases: Leases },
): Omit<SharedStore, keyof Store> => ({
  lease: (name, holder, ttl, now) =>
    database.write(`the lease ${name} was asked for`, () => leases.take(name, holder, ttl, now), {
      survives: "process",
    }),
  release: (name, holder) =>
    database.write(`the lease ${name} was given back`, () => leases.give(name, holder), { survives: "process" }),
  holder: (name, now) => database.read(`the holder of the lease ${name} was asked for`, () => leases.holder(name, now)),
  acceptedAfter: (after) =>
    database.read("it was asked for what is new", () => {
      const cursor = inbox.last();
      return { cursor, threads: after === undefined || after >= cursor ? [] : inbox.threadsBehind(after) };
    }),
});
