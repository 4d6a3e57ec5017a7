import { ThreadId } from "../../machines/history/ids.ts";
import { ThreadIdError } from "../errors.ts";
import type { Store } from "../store/store.ts";

/** Throws ThreadIdError for what no thread can be called. */
export const threadIdOf = (id: string): ThreadId => {
  const parsed = ThreadId.safeParse(id);
  if (!parsed.success) throw new ThreadIdError(id);
  return parsed.data;
};

const page = 1_000;
/** Threads that are looked at; beyond that a suggestion is not worth the wait. */
const most = 50_000;
const suggested = 3;

/** How many letters must be changed, added or taken away to make one of the other; Infinity beyond `limit`. */
const distance = (a: string, b: string, limit: number): number => {
  if (Math.abs(a.length - b.length) > limit) return Number.POSITIVE_INFINITY;
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1] ? 0 : 1;
      next.push(Math.min((row[j] as number) + 1, (next[j - 1] as number) + 1, (row[j - 1] as number) + same));
    }
    if (Math.min(...next) > limit) return Number.POSITIVE_INFINITY;
    row = next;
  }
  const [last = 0] = row.slice(-1);
  return last <= limit ? last : Number.POSITIVE_INFINITY;
};

/** 0 is the same but for case; Infinity is nothing like it. A part of an id counts as half a slip. */
const unlikeness = (id: string, wanted: string): number => {
  const [a, b] = [id.toLowerCase(), wanted.toLowerCase()];
  if (a === b) return 0;
  if (b.length > 2 && a.includes(b)) return 0.5;
  return distance(a, b, Math.max(1, Math.min(4, Math.floor(b.length / 4))));
};

/** The ids of threads that somebody who wrote `wanted` may have meant, the likeliest first; few, or none. */
export const closeIds = async (store: Pick<Store, "threads">, wanted: string): Promise<ThreadId[]> => {
  let close: { readonly threadId: ThreadId; readonly unlike: number }[] = [];
  let after: ThreadId | undefined;
  for (let seen = 0; seen < most; seen += page) {
    const threads = await store.threads({ limit: page, ...(after !== undefined && { after }) });
    const found = threads.map(({ threadId }) => ({ threadId, unlike: unlikeness(threadId, wanted) }));
    close = [...close, ...found.filter(({ unlike }) => Number.isFinite(unlike))]
      .sort((a, b) => a.unlike - b.unlike)
      .slice(0, suggested);
    after = threads.at(-1)?.threadId;
    if (threads.length < page) break;
  }
  return close.map(({ threadId }) => threadId);
};

/** Says that a thread is not there, and what else may have been meant. */
export const noThread = async (store: Pick<Store, "threads">, threadId: string, file: string): Promise<string> => {
  const close = await closeIds(store, threadId);
  const hint =
    close.length > 0 ? `Did you mean ${close.join(" or ")}?` : `wakeful threads --db ${file} lists those there are.`;
  return `there is no thread ${threadId} in ${file}. ${hint}`;
};
