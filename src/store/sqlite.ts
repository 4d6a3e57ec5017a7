export type { LeaseOutcome } from "./sqlite/leases.ts";
export type { SharedStore } from "./sqlite/shared-store.ts";
export { type SqliteOptions, sqliteStore } from "./sqlite/sqlite-store.ts";
