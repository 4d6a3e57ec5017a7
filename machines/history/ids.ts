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

/** Characters of our own id that a prompt shows. */
const shownLength = 40;

/** How a prompt names a call whose provider's id cannot be used: `call_<turn>_<position>`, legal and short whatever the id. */
export const shownIdOf = (callId: CallId): string =>
  `call_${callId
    .slice(callId.lastIndexOf("#") + 1)
    .replace(/[^a-zA-Z0-9_-]/gu, "_")
    .slice(-shownLength)}`;

/**
 * The one of `calls` that a model means by the id it read: ours, as a prompt shows it or as it is, or the provider's. Where
 * providers repeat an id, the earliest call has it in a prompt, and the others ours (`_2` behind it when that was taken too).
 */
export const calledBy = <C extends { readonly callId: CallId; readonly providerCallId: string }>(
  shown: string,
  calls: readonly C[],
): C | undefined => {
  if (shown === "") return undefined;
  const ours = calls.find(({ callId }) => callId === shown || shownIdOf(callId) === shown);
  const theirs = ours ?? calls.find(({ providerCallId }) => providerCallId === shown);
  return theirs ?? calls.find(({ callId }) => shownIdOf(callId) === shown.replace(/_\d+$/, ""));
};
