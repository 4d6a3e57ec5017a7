import type { PlacedEntry } from "../../machines/history/entry.ts";
import type { ThreadId } from "../../machines/history/ids.ts";
import type { Choice, View } from "../../machines/thread/choice.ts";
import { isOpen } from "../../machines/thread/choice.ts";
import type { WaitingInput } from "../../machines/thread/input.ts";
import type { Store } from "../store/store.ts";
import type { Resident } from "../thread/resident.ts";
import type { RoundSoFar } from "../thread/so-far.ts";
import { viewOf } from "../thread/view.ts";
import type { ThreadView } from "./api.ts";

/** All that a viewer needs who attaches to a thread in whatever it is doing. */
export interface ThreadSnapshot extends ThreadView {
  readonly threadId: ThreadId;
  /** With what a child inherits, ascending by position. */
  readonly history: readonly PlacedEntry[];
  /** The open round; null between rounds. */
  readonly round: RoundSoFar | null;
  /** Inputs that are accepted and in no batch yet. */
  readonly waiting: readonly WaitingInput[];
  /** Questions that nobody has answered. */
  readonly choices: readonly Choice[];
  /** The latest of each type, by type. */
  readonly views: readonly View[];
  /** Facts up to this feed position are in the snapshot: an update with this one or a smaller one tells nothing new. */
  readonly feed: number;
}

/** Times that the history is read again because the thread went on meanwhile. */
const tries = 10;

/**
 * Everything at one moment: the history is read until no commit came between it and the rest. A thread that commits all the
 * time is shown a commit behind.
 */
export const snapshotOf = async (
  resident: () => Resident,
  view: () => ThreadView,
  store: Store,
  threadId: ThreadId,
): Promise<ThreadSnapshot> => {
  for (let nth = 1; ; nth++) {
    const { version, opening } = resident().snapshot.context;
    await resident().settled();
    const history = await viewOf(store, threadId, opening);
    const now = resident();
    const { choices, inbox, version: after } = now.snapshot.context;
    if (version !== after && nth < tries) continue;
    return {
      ...view(),
      threadId,
      history,
      round: now.round,
      waiting: inbox,
      choices: choices.filter(isOpen),
      views: [...now.views.values()].sort((a, b) => (a.viewType < b.viewType ? -1 : 1)),
      feed: now.feed,
    };
  }
};
