import type { CallId, ThreadId } from "../../../machines/history/ids.ts";
import type { NewThread, Opening } from "../../../machines/thread/family.ts";

const names = /\$child([1-9]\d*)/gu;
const plainName = /^\$?child([1-9]\d*)$/u;

/** The same value with every string in it changed, keys of objects too. */
const withStrings = (value: unknown, change: (text: string) => string): unknown => {
  if (typeof value === "string") return change(value);
  if (Array.isArray(value)) return value.map((inner) => withStrings(inner, change));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [change(key), withStrings(inner, change)]));
};

/** The threads that the runtime created, in order of creation: what a scenario calls `$child1`, `$child2` … */
export class Children {
  readonly #openings = new Map<ThreadId, Opening>();

  /** False for a thread that is known already. */
  add({ threadId, opening }: NewThread): boolean {
    if (this.#openings.has(threadId)) return false;
    this.#openings.set(threadId, opening);
    return true;
  }

  get ids(): readonly ThreadId[] {
    return [...this.#openings.keys()];
  }

  /** Null for a root. */
  openingOf(id: string): Opening | null {
    return this.#openings.get(id as ThreadId) ?? null;
  }

  /** The call under which its parent hears of it. */
  sourceOf(id: string): CallId | undefined {
    return this.openingOf(id)?.source.callId;
  }

  /** The first child of a thread that is heard under a call. */
  heardUnder(parent: string, callId: string): ThreadId | undefined {
    return this.ids.find((id) => this.openingOf(id)?.parent === parent && this.sourceOf(id) === callId);
  }

  /** The thread that `$child1` or `child1` stands for; any other name, and that of no child so far, is left as it is. */
  idOf(name: string): string {
    const nth = plainName.exec(name)?.[1];
    return (nth && this.ids[Number(nth) - 1]) || name;
  }

  /** It looks like the name of a child; `idOf` leaves those that stand for none. */
  isName(name: string): boolean {
    return plainName.test(name);
  }

  /** With the ids of threads in place of their names. Names of threads that do not exist yet stay. */
  filled<T>(value: T): T {
    const { ids } = this;
    return withStrings(value, (text) => text.replace(names, (name, nth: string) => ids[Number(nth) - 1] ?? name)) as T;
  }

  /** The names in a value that stand for no thread so far. */
  unknownIn(value: unknown): readonly string[] {
    return [...new Set(JSON.stringify(this.filled(value)).match(names))];
  }

  /** With the names of threads in place of their ids, for people. */
  named<T>(value: T): T {
    // Longer ids first: one can be the beginning of another.
    const nameOf = this.ids
      .map((id, index) => [id, `$child${index + 1}`] as const)
      .sort(([a], [b]) => b.length - a.length);
    return withStrings(value, (text) => nameOf.reduce((told, [id, name]) => told.replaceAll(id, name), text)) as T;
  }
}
