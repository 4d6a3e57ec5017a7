import type { ThreadId } from "../../../machines/history/ids.ts";
import type { Json } from "../../../machines/history/json.ts";
import type { Choice, View } from "../../../machines/thread/choice.ts";
import type { ThreadCommit } from "../../../machines/thread/commit.ts";
import type { Database } from "./database.ts";
import { readJson, readRow, StoredChoice } from "./rows.ts";

/** Questions of outstanding calls, and what tools show (S7, S19). */
export interface Questions {
  /** Inside a `write`: the part of a commit that concerns them. */
  apply(thread: number, commit: Pick<ThreadCommit, "calls" | "choices" | "views">): void;
  /** In the order they were opened. */
  choices(thread: number, threadId: ThreadId): Choice[];
  /** By type. */
  views(thread: number, threadId: ThreadId): View[];
}

export const questionsOn = (database: Database): Questions => {
  const keep = database.prepare(`
    INSERT INTO choice (thread, id, call, body) VALUES (?, ?, ?, ?)
    ON CONFLICT (thread, id) DO UPDATE SET body = excluded.body`);
  const drop = database.prepare("DELETE FROM choice WHERE thread = ? AND call = ?");
  const show = database.prepare("INSERT OR REPLACE INTO view (thread, type, body) VALUES (?, ?, ?)");
  const choices = database.prepare<{ id: string; body: string }>(
    "SELECT id, body FROM choice WHERE thread = ? ORDER BY number",
  );
  const views = database.prepare<{ type: string; body: string }>(
    "SELECT type, body FROM view WHERE thread = ? ORDER BY type",
  );

  return {
    apply(thread, { calls, choices: asked, views: shown = [] }) {
      for (const choice of [...(asked?.opened ?? []), ...(asked?.moved ?? [])])
        keep.run(thread, choice.choiceId, choice.callId, JSON.stringify(choice));
      for (const { viewType, content } of shown) show.run(thread, viewType, JSON.stringify(content));
      for (const callId of calls.settled) drop.run(thread, callId);
    },
    choices: (thread, threadId) =>
      choices
        .all(thread)
        .map(({ id, body }) => readRow(database.file, StoredChoice, body, { what: `question ${id}`, threadId })),
    views: (thread, threadId) =>
      views.all(thread).map(({ type, body }) => ({
        viewType: type,
        content: readJson(database.file, body, { what: `view ${type}`, threadId }) as Json,
      })),
  };
};
