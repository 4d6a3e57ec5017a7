import type { CallPart } from "../../machines/history/entry.ts";
import { type CallId, shownIdOf } from "../../machines/history/ids.ts";

const legal = /^[a-zA-Z0-9_-]{1,64}$/;

/** A tool name that every provider takes: 1 to 64 characters of `[a-zA-Z0-9_-]`. Legal names stay as they are. */
export const legalName = (name: string): string =>
  legal.test(name) ? name : name.replace(/[^a-zA-Z0-9_-]/gu, "_").slice(0, 64) || "unnamed";

/**
 * Names calls in one prompt. A call keeps its provider's id where that is legal and no earlier call of the prompt has
 * it; else it gets ours. Ids depend on what came before and on nothing later, so a longer prompt repeats the ids of a
 * shorter one (providers cache by prefix).
 */
export class PromptIds {
  readonly #before: IdsSoFar | undefined;
  /** By the order in which they were taken, so that a reader can leave out what came after it began. */
  readonly #taken = new Map<string, number>();
  readonly #ofCall = new Map<CallId, { readonly id: string; readonly order: number }>();
  #count = 0;

  /** `before`: names that stand already. They are read and never added to; what is added to them later is not seen. */
  constructor(before?: PromptIds) {
    this.#before = before && { ids: before, until: before.#count };
  }

  /** Names a call of a turn. */
  forCall({ callId, providerCallId }: Pick<CallPart, "callId" | "providerCallId">): string {
    const id =
      legal.test(providerCallId) && this.#take(providerCallId) ? providerCallId : this.#fresh(shownIdOf(callId));
    this.#ofCall.set(callId, { id, order: this.#count++ });
    return id;
  }

  /** Names the call that stands for the event at `position`. */
  forEvent(position: number): string {
    return this.#fresh(`event_${position}`);
  }

  /** The name of a call of this prompt; undefined when it is not in it. */
  of(callId: CallId): string | undefined {
    return this.#named(callId, this.#count);
  }

  /** Ids of calls that the provider made and answered itself count as taken. */
  reserve(id: string): void {
    if (!this.#taken.has(id)) this.#taken.set(id, this.#count++);
  }

  isTaken(id: string): boolean {
    return this.#isTaken(id, this.#count);
  }

  #named(callId: CallId, until: number): string | undefined {
    const own = this.#ofCall.get(callId);
    if (own && own.order < until) return own.id;
    const before = this.#before;
    return before ? before.ids.#named(callId, before.until) : undefined;
  }

  #isTaken(id: string, until: number): boolean {
    const own = this.#taken.get(id);
    if (own !== undefined && own < until) return true;
    const before = this.#before;
    return before ? before.ids.#isTaken(id, before.until) : false;
  }

  #take(id: string): boolean {
    if (this.isTaken(id)) return false;
    this.#taken.set(id, this.#count++);
    return true;
  }

  #fresh(wanted: string): string {
    for (let times = 1; ; times++) {
      const id = times === 1 ? wanted : `${wanted}_${times}`;
      if (this.#take(id)) return id;
    }
  }
}

/** Names up to those that were given when somebody began to read. */
interface IdsSoFar {
  readonly ids: PromptIds;
  readonly until: number;
}
