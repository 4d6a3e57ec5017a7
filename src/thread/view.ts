import type { PlacedEntry } from "../../machines/history/entry.ts";
import type { ThreadId } from "../../machines/history/ids.ts";
import type { Opening } from "../../machines/thread/family.ts";
import { StoreError } from "../errors.ts";
import type { Store } from "../store/store.ts";

/** A part of a view. `own`: the thread's own entries in it, where they were read already. */
interface ViewPart {
  readonly own?: readonly PlacedEntry[];
  readonly from?: number;
  readonly to?: number;
}

/**
 * The own entries of a thread and of those above it, itself first, each of which reaches up to the position at which the
 * thread below it began.
 */
const layersOf = async (
  store: Pick<Store, "history" | "load">,
  threadId: ThreadId,
  opening: Opening | null,
  { own, from = 0, to: end }: ViewPart,
): Promise<(readonly PlacedEntry[])[]> => {
  const layers = [own ?? (await store.history(threadId, { from, ...(end !== undefined && { to: end }) }))];
  let to = end ?? Number.POSITIVE_INFINITY;
  for (let above = opening; above && above.position > from; ) {
    to = Math.min(to, above.position);
    const [inherited, parent] = await Promise.all([
      store.history(above.parent, { from, to }),
      store.load(above.parent),
    ]);
    if (!parent) throw new StoreError(`thread ${threadId} goes back to ${above.parent}, which it does not have.`);
    layers.push(inherited);
    above = parent.opening;
  }
  return layers;
};

/**
 * What a thread sees as its history, ascending by position: its parent's view below `opening.position`, by reference, and
 * its own entries, which count where both have one (what a child was told of a call is not what its parent is told of it).
 * `opening` is the thread's own, null for a root, whose view is its history. What the threads above store later changes
 * nothing, because a child has entries of its own at the places that were open when it began.
 */
export const viewOf = async (
  store: Pick<Store, "history" | "load">,
  threadId: ThreadId,
  opening: Opening | null,
  part: ViewPart = {},
): Promise<readonly PlacedEntry[]> => {
  const layers = await layersOf(store, threadId, opening, part);
  const [only = []] = layers;
  if (layers.length === 1) return only;
  const places = new Map<number, PlacedEntry>();
  for (const layer of layers.reverse()) for (const placed of layer) places.set(placed.position, placed);
  return [...places.values()].sort((a, b) => a.position - b.position);
};
