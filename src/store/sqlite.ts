export { type SqliteOptions, sqliteStore } from "./sqlite/sqlite-store.ts";
export type { LeaseHolder, LeaseOutcome, SharedStore } from "./store.ts";
