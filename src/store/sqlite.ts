export { type SqliteOptions, sqliteStore } from "./sqlite/sqlite-store.ts";
export type { LeaseOutcome, SharedStore } from "./store.ts";
