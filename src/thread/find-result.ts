import { callsOf, type PlacedEntry } from "../../machines/history/entry.ts";
import { calledBy, type ThreadId } from "../../machines/history/ids.ts";
import type { Opening } from "../../machines/thread/family.ts";
import type { Store } from "../store/store.ts";
import type { FoundResult } from "../tool/reading.ts";

/** Entries that are in memory at a time. */
const page = 500;

interface Layer {
  readonly threadId: ThreadId;
  readonly to: number;
}

/** The threads that a thread's view is made of, the root first, each up to where the one below it began. */
const layersOf = async (store: Store, threadId: ThreadId, opening: Opening | null): Promise<readonly Layer[]> => {
  const layers: Layer[] = [{ threadId, to: Number.POSITIVE_INFINITY }];
  for (let above = opening, to = Number.POSITIVE_INFINITY; above; ) {
    to = Math.min(to, above.position);
    layers.unshift({ threadId: above.parent, to });
    above = (await store.load(above.parent))?.opening ?? null;
  }
  return layers;
};

async function* pagesOf(store: Store, { threadId, to }: Layer): AsyncGenerator<readonly PlacedEntry[]> {
  for (let from = 0; from < to; ) {
    const entries = await store.history(threadId, { from, to: Math.min(to, from + page) });
    yield entries;
    // Nothing in a whole page: behind the end, since only results that are outstanding leave places free.
    if (entries.length === 0 && from > 0) return;
    from += page;
  }
}

/**
 * The result of the call that a model knows under `shown`: where a provider repeats its ids, the earliest call has it. Reads
 * the thread's view from its beginning, a page at a time.
 */
export const findResult = async (
  store: Store,
  { threadId, opening }: { readonly threadId: ThreadId; readonly opening: Opening | null },
  shown: string,
): Promise<FoundResult> => {
  const layers = await layersOf(store, threadId, opening);
  for (const layer of layers)
    for await (const entries of pagesOf(store, layer))
      for (const { position, entry } of entries) {
        if (entry.kind !== "turn") continue;
        const calls = callsOf(entry);
        const call = calledBy(shown, calls);
        if (!call) continue;
        const place = position + 1 + calls.indexOf(call);
        // A child has a result of its own for a call that its parent waited for.
        for (const { threadId: holder } of [...layers].reverse()) {
          const [there] = await store.history(holder, { from: place, to: place + 1 });
          if (there?.entry.kind === "result" && there.entry.callId === call.callId)
            return { found: "result", result: there.entry };
        }
        return { found: "no result" };
      }
  return { found: "no call" };
};
