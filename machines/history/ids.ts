import { z } from "zod";

/** 1 to 200 characters of `[A-Za-z0-9._:/@-]`. Unique in a store. */
export const ThreadId = z
  .string()
  .regex(/^[A-Za-z0-9._:/@-]{1,200}$/, "a thread id is 1 to 200 characters of A-Z a-z 0-9 . _ : / @ -")
  .brand<"ThreadId">();
export type ThreadId = z.infer<typeof ThreadId>;

/**
 * `<thread id>#<turn>.<position>`: unique in a store, never taken from a provider, whose ids repeat and can be empty.
 * A thread id has no `#`, so two threads never share a call id.
 */
export const CallId = z.string().min(1).max(240).brand<"CallId">();
export type CallId = z.infer<typeof CallId>;

/** The id of the call at `position` (from 0) of the thread's `turn`-th turn (from 1). */
export const callIdOf = (threadId: ThreadId, turn: number, position: number): CallId =>
  `${threadId}#${turn}.${position}` as CallId;
