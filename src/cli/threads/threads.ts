import type { ThreadId } from "../../../machines/history/ids.ts";
import type { ThreadState } from "../../../machines/thread/commit.ts";
import { StoreCorruptError } from "../../errors.ts";
import type { Store } from "../../store/store.ts";
import { columnsOf } from "../columns.ts";
import { exitCodes } from "../exit-codes.ts";
import { type Io, notice } from "../io.ts";
import { jsonText, outputOf } from "../output.ts";
import { type ListedThread, threadTable } from "./table.ts";

export interface ThreadsOptions {
  readonly db: string;
  readonly json: boolean;
  readonly state?: ThreadState;
  /** Children below their parents. */
  readonly tree?: boolean;
}

/** Threads that are in memory at a time. */
const limit = 500;

type Listing = Pick<Store, "threads" | "load">;

async function* byId(store: Listing, query: NonNullable<Parameters<Store["threads"]>[0]>) {
  let after: ThreadId | undefined;
  for (;;) {
    const page = await store.threads({ limit, ...query, ...(after !== undefined && { after }) });
    if (page.length > 0) yield page;
    after = page.at(-1)?.threadId;
    if (page.length < limit) return;
  }
}

/** With what is wrong with those that a start would take up: one that cannot be read is set aside by whoever runs it. */
const examined = async (store: Listing, page: readonly ListedThread[]): Promise<readonly ListedThread[]> =>
  Promise.all(
    page.map(async (thread) => {
      if (!thread.due && thread.waiting === 0 && thread.state !== "running") return thread;
      try {
        await store.load(thread.threadId);
        return thread;
      } catch (error) {
        if (error instanceof StoreCorruptError) return { ...thread, unreadable: error.message };
        throw error;
      }
    }),
  );

/** Roots by id, each with all threads below it, children by id. */
async function* asTree(
  store: Listing,
  parent: ThreadId | null = null,
  depth = 0,
): AsyncGenerator<readonly ListedThread[]> {
  for await (const page of byId(store, { parent }))
    for (const thread of page) {
      yield [{ ...thread, depth }];
      yield* asTree(store, thread.threadId, depth + 1);
    }
}

/** Small pages as larger ones. */
async function* inPages(pages: AsyncIterable<readonly ListedThread[]>): AsyncGenerator<readonly ListedThread[]> {
  let waiting: ListedThread[] = [];
  for await (const page of pages) {
    waiting.push(...page);
    if (waiting.length < limit) continue;
    yield waiting;
    waiting = [];
  }
  if (waiting.length > 0) yield waiting;
}

/** Lists the threads of a store by id, or as trees, and resolves to the exit code. Reads no further than somebody reads what it prints. */
export const listThreads = async (
  store: Listing,
  { db, json, state, tree = false }: ThreadsOptions,
  io: Io,
): Promise<number> => {
  const output = outputOf(io);
  const table = threadTable(columnsOf(io));
  let isEmpty = true;
  for await (const page of tree ? inPages(asTree(store)) : byId(store, state ? { state } : {})) {
    isEmpty = false;
    const seen = await examined(store, page);
    const text = json ? seen.map((thread) => `${jsonText(thread)}\n`).join("") : table(seen);
    if (!(await output.write(text))) break;
  }
  if (isEmpty && !json) notice(io, `${state ? `no thread is ${state}` : "there are no threads"} in ${db}.`);
  return output.code(exitCodes.done);
};
