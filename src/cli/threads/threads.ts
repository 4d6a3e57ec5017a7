import type { ThreadId } from "../../../machines/history/ids.ts";
import type { ThreadState } from "../../../machines/thread/commit.ts";
import type { Store } from "../../store/store.ts";
import { columnsOf } from "../columns.ts";
import { exitCodes } from "../exit-codes.ts";
import { type Io, notice } from "../io.ts";
import { jsonText, outputOf } from "../output.ts";
import { threadTable } from "./table.ts";

export interface ThreadsOptions {
  readonly db: string;
  readonly json: boolean;
  readonly state?: ThreadState;
}

/** Threads that are in memory at a time. */
const limit = 500;

/** Lists the threads of a store by id, and resolves to the exit code. Reads no further than somebody reads what it prints. */
export const listThreads = async (
  store: Pick<Store, "threads">,
  { db, json, state }: ThreadsOptions,
  io: Io,
): Promise<number> => {
  const output = outputOf(io);
  const table = threadTable(columnsOf(io));
  let after: ThreadId | undefined;
  let isEmpty = true;
  for (;;) {
    const page = await store.threads({ limit, ...(state && { state }), ...(after !== undefined && { after }) });
    if (page.length === 0) break;
    isEmpty = false;
    const text = json ? page.map((thread) => `${jsonText(thread)}\n`).join("") : table(page);
    if (!(await output.write(text))) break;
    after = page.at(-1)?.threadId;
    if (page.length < limit) break;
  }
  if (isEmpty && !json) notice(io, `${state ? `no thread is ${state}` : "there are no threads"} in ${db}.`);
  return output.code(exitCodes.done);
};
