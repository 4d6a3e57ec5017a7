import type { EventSource, PlacedEntry } from "../history/entry.ts";
import type { ThreadId } from "../history/ids.ts";
import type { ThreadRecord } from "./commit.ts";
import type { Fact } from "./facts.ts";

/** `spawned`: by its parent's model. `event`: by a non-associative event of one of its parent's subscriptions. */
export type ChildKind = "spawned" | "event";

/** Where a summary is kept: with the thread that made it, and the position that it covers the view up to. */
export interface SummaryPlace {
  readonly of: ThreadId;
  readonly upTo: number;
}

/**
 * How a child began. Its view is its parent's view below `position`, by reference, and then its own entries; at a place
 * that both have an entry for, the child's own counts.
 */
export interface Opening {
  readonly kind: ChildKind;
  readonly parent: ThreadId;
  /** The threads above it, root first, its parent last. */
  readonly stack: readonly ThreadId[];
  readonly position: number;
  /** The summary that stood in its parent's requests when it began. A later one changes nothing for it. */
  readonly summary?: SummaryPlace;
  /** The call of its parent under which it is heard: the one that spawned it, or that of the subscription. */
  readonly source: EventSource;
}

/** An open child, as its parent's record keeps it until its end is in the history. */
export interface Child {
  readonly threadId: ThreadId;
  readonly kind: ChildKind;
  readonly source: EventSource;
  /** It came to rest once: an event's child no longer counts among those that run. */
  readonly rested: boolean;
}

/** A thread that a commit creates. It has the spec of its parent: tools, instructions, metadata. */
export interface NewThread {
  readonly threadId: ThreadId;
  readonly opening: Opening;
  /** With `roundDue`: it starts by itself once the commit is durable. */
  readonly record: ThreadRecord;
  /** Its own first entries; some stand at places that its parent's last turn reserved. */
  readonly entries: readonly PlacedEntry[];
  /** What the feed gets for it. */
  readonly facts: readonly Fact[];
}
