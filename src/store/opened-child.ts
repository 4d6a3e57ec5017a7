import type { Child, NewThread } from "../../machines/thread/family.ts";

/** A thread that was just opened, as the one that opened it keeps it (S15). */
export const openedChild = ({ threadId, opening: { kind, source } }: NewThread): Child => ({
  threadId,
  kind,
  source,
  rested: false,
});
