import type { ThreadId } from "../../../../machines/history/ids.ts";
import type { Life } from "../life.ts";
import type { Record } from "../record.ts";

/** A request that a thread's model is asked. */
export interface AskedWith {
  readonly life: Life;
  readonly threadId: ThreadId;
  /** Undefined where threads have none of their own. */
  readonly configuration: string | undefined;
  /** It has no inputs of its own: its slice goes on after inline results, or after a refusal. */
  readonly goesOn: boolean;
}

/** A slice works with one configuration from its beginning to its end. */
export class Slices {
  /** The application brought another model: what is loaded is out of date, also within a slice. */
  switched = false;
  readonly #record: Record;
  readonly #last = new Map<ThreadId, { readonly slice: string; readonly configuration: string | undefined }>();

  constructor(record: Record) {
    this.#record = record;
  }

  faultsOf({ life, threadId, configuration, goesOn }: AskedWith): string[] {
    if (this.switched) return [];
    const slice = `${life.index} ${this.#record.page(threadId).slices}`;
    const last = this.#last.get(threadId);
    this.#last.set(threadId, { slice, configuration });
    // Where a user's text cut inline calls, the next slice has begun, and no fact says that the last one has ended.
    if (!goesOn || last?.slice !== slice || last.configuration === configuration) return [];
    return [`a slice of ${threadId} began with ${last.configuration} and goes on with ${configuration}`];
  }
}
