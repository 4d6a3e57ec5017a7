import type { ThreadId } from "../../../machines/history/ids.ts";
import type { ThreadCommit } from "../../../machines/thread/commit.ts";
import type { Child } from "../../../machines/thread/family.ts";
import { openedChild } from "../opened-child.ts";
import type { Database } from "./database.ts";
import { readRow, StoredChild } from "./rows.ts";

/** Open children, as their parent keeps them (S15). The threads themselves are among all threads. */
export interface Children {
  /** Inside a `write`: the part of a commit that concerns the list. */
  apply(thread: number, children: ThreadCommit["children"]): void;
  /** In the order they were opened. */
  open(thread: number, threadId: ThreadId): Child[];
}

export const childrenOn = (database: Database): Children => {
  const add = database.prepare("INSERT INTO child (thread, id, body) VALUES (?, ?, ?)");
  const move = database.prepare("UPDATE child SET body = ?3 WHERE thread = ?1 AND id = ?2");
  const end = database.prepare("DELETE FROM child WHERE thread = ? AND id = ?");
  const open = database.prepare<{ id: ThreadId; body: string }>(
    "SELECT id, body FROM child WHERE thread = ? ORDER BY number",
  );

  return {
    apply(thread, { opened, moved, ended }) {
      for (const child of opened) add.run(thread, child.threadId, JSON.stringify(openedChild(child)));
      for (const child of moved) move.run(thread, child.threadId, JSON.stringify(child));
      for (const threadId of ended) end.run(thread, threadId);
    },
    open: (thread, threadId) =>
      open
        .all(thread)
        .map(({ id, body }) => readRow(database.file, StoredChild, body, { what: `child ${id}`, threadId })),
  };
};
