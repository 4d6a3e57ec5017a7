import type { ThreadState } from "../../../machines/thread/commit.ts";
import type { ThreadSummary } from "../../store/store.ts";
import { shortId } from "../columns.ts";
import { oneLine } from "../run/terminal-text.ts";

/** A thread in a list; `depth`: how many threads of the list stand above it. */
export interface ListedThread extends ThreadSummary {
  readonly depth?: number;
  /** Why the store cannot say what the thread is about. */
  readonly unreadable?: string;
}

export const states = Object.keys({
  running: true,
  awaitingActiveCall: true,
  idlePassive: true,
  subscribed: true,
  idle: true,
  closed: true,
} satisfies Record<ThreadState, true>) as readonly ThreadState[];

const stateWidth = Math.max(...states.map(({ length }) => length));
const head = { threadId: "THREAD", state: "STATE", waiting: "WAITING", due: "DUE" };
/** What stands behind the id: state, waiting, due, with two blanks before each. */
const behindId = 2 + stateWidth + 2 + head.waiting.length + 2 + head.due.length;
/** Characters that an id is not cut below; on a terminal without room for them each thread has lines of its own. */
const leastId = 12;

const row = (id: string, state: string, waiting: string, due: string, idWidth: number): string =>
  `${id.padEnd(idWidth)}  ${state.padEnd(stateWidth)}  ${waiting.padStart(head.waiting.length)}  ${due}\n`;

const indent = ({ depth = 0 }: ListedThread): string => "  ".repeat(depth);

/** The id, below and beside those of its parents, in at most `width` columns. */
const idOf = (thread: ListedThread, width: number): string =>
  indent(thread) + shortId(thread.threadId, Math.max(leastId, width - indent(thread).length));

/** Why a thread does nothing, on a line of its own. */
const trouble = ({ quarantined, unreadable, threadId }: ListedThread): string => {
  if (unreadable !== undefined) return `  cannot be read: ${oneLine(unreadable)}\n`;
  if (!quarantined) return "";
  const { reason, times } = quarantined;
  const what = reason === "actor-failed" ? "its actor failed" : "the process died";
  return `  set aside: ${what} ${times} times in a row while it was at work; wakeful release ${threadId} lets it go on\n`;
};

const beneath = (thread: ListedThread, columns: number): string => {
  const { state, waiting, due } = thread;
  return `${shortId(thread.threadId, columns)}\n  ${state}\n  ${waiting} waiting${due ? ", due" : ""}\n${trouble(thread)}`;
};

/**
 * Threads in lines of at most `columns`, page by page; Infinity cuts nothing. The first page brings the heads. An id that
 * is longer than those before it widens its column from its page on.
 */
export const threadTable = (columns: number): ((page: readonly ListedThread[]) => string) => {
  if (columns < leastId + behindId) return (page) => page.map((thread) => beneath(thread, columns)).join("");
  let idWidth = head.threadId.length;
  let isFirst = true;
  return (page) => {
    const longest = page.reduce((most, each) => Math.max(most, indent(each).length + each.threadId.length), idWidth);
    idWidth = Math.min(longest, columns - behindId);
    const rows = page.map(
      (each) =>
        row(idOf(each, idWidth), each.state, String(each.waiting), each.due ? "yes" : "-", idWidth) + trouble(each),
    );
    const heads = isFirst ? row(head.threadId, head.state, head.waiting, head.due, idWidth) : "";
    isFirst = false;
    return heads + rows.join("");
  };
};
