import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { PlacedEntry } from "../../machines/history/entry.ts";
import { callIdOf, ThreadId } from "../../machines/history/ids.ts";
import type { Opening } from "../../machines/thread/family.ts";
import { StoreError } from "../../src/errors.ts";
import type { LoadedThread, Store } from "../../src/store/store.ts";
import { viewOf } from "../../src/thread/view.ts";

/** A thread as far as its view is concerned. `position`: where it began in its parent's view; null for a root. */
interface Made {
  readonly position: number | null;
  readonly own: readonly number[];
}

const idOf = (depth: number): ThreadId => ThreadId.parse(`t${depth}`);
const entriesOf = (depth: number, positions: readonly number[]): PlacedEntry[] =>
  positions.map((position) => ({ position, entry: { kind: "user", at: 0, text: `${idOf(depth)} at ${position}` } }));

const openingOf = (depth: number, position: number | null): Opening | null =>
  position === null
    ? null
    : {
        kind: "spawned",
        parent: idOf(depth - 1),
        stack: Array.from({ length: depth }, (_, index) => idOf(index)),
        position,
        source: { callId: callIdOf(idOf(depth - 1), 1, 0), providerCallId: "", name: "spawn_thread", args: {} },
      };

/** A store of one line of threads, each the child of the one before; `read` has the positions that were asked for. */
const storeOf = (line: readonly Made[]) => {
  const read: PlacedEntry[] = [];
  const find = (threadId: ThreadId) => line.findIndex((_, depth) => idOf(depth) === threadId);
  const store: Pick<Store, "history" | "load"> = {
    history: async (threadId, { from = 0, to = Number.POSITIVE_INFINITY } = {}) => {
      const depth = find(threadId);
      const given = entriesOf(depth, line[depth]?.own ?? []).filter(
        ({ position }) => from <= position && position < to,
      );
      read.push(...given);
      return given;
    },
    load: async (threadId) => {
      const depth = find(threadId);
      const made = line[depth];
      return made && ({ threadId, opening: openingOf(depth, made.position) } as LoadedThread);
    },
  };
  return { store, read };
};

/** The definition, word for word: the parent's view below the position, own entries over it. */
const naiveView = (line: readonly Made[], depth: number): PlacedEntry[] => {
  const { position, own } = line[depth] ?? { position: null, own: [] };
  const mine = entriesOf(depth, own);
  const inherited = position === null ? [] : naiveView(line, depth - 1).filter((placed) => placed.position < position);
  const kept = inherited.filter((placed) => !own.includes(placed.position));
  return [...kept, ...mine].sort((a, b) => a.position - b.position);
};

const anyOwn = fc.uniqueArray(fc.nat(14), { maxLength: 12 }).map((positions) => positions.sort((a, b) => a - b));
const anyLine: fc.Arbitrary<Made[]> = fc
  .tuple(anyOwn, fc.array(fc.record({ position: fc.nat(15), own: anyOwn }), { maxLength: 5 }))
  .map(([own, children]) => [{ position: null, own }, ...children]);

const viewIn = (line: readonly Made[]) => {
  const depth = line.length - 1;
  const { store, read } = storeOf(line);
  const view = viewOf(store, idOf(depth), openingOf(depth, line[depth]?.position ?? null));
  return { view, read };
};

describe("the view of a thread", () => {
  it("is its parent's view below where it began, and over that its own entries, whatever the threads above have", () =>
    fc.assert(
      fc.asyncProperty(anyLine, async (line) => {
        expect(await viewIn(line).view).toEqual(naiveView(line, line.length - 1));
      }),
      { numRuns: 500 },
    ));

  it("of a root is its history", async () =>
    expect(await viewIn([{ position: null, own: [0, 1, 2] }]).view).toEqual(entriesOf(0, [0, 1, 2])));

  it("has the child's own entry where its parent has another: its own spawning call, a call that is out", async () => {
    const view = await viewIn([
      { position: null, own: [0, 1, 2, 4, 5] },
      { position: 4, own: [2, 3, 4] },
    ]).view;
    expect(view).toEqual([...entriesOf(0, [0, 1]), ...entriesOf(1, [2, 3, 4])]);
  });

  it("does not change with what the threads above store later, at new places or at those that were open", () =>
    fc.assert(
      fc.asyncProperty(anyLine, anyOwn, fc.nat(5), async (line, later, which) => {
        const depth = which % line.length;
        fc.pre(depth < line.length - 1);
        const { position } = line[depth + 1] as Made;
        const changed = line.map((made, index) => {
          if (index === depth) return { ...made, own: [...new Set([...made.own, ...later])].sort((a, b) => a - b) };
          if (index !== depth + 1) return made;
          const open = later.filter((place) => place < (position ?? 0) && !line[depth]?.own.includes(place));
          return { ...made, own: [...new Set([...made.own, ...open])].sort((a, b) => a - b) };
        });
        const before = line.map((made, index) => (index === depth + 1 ? (changed[index] as Made) : made));
        expect(await viewIn(changed).view).toEqual(await viewIn(before).view);
      }),
    ));

  it("reads nothing of the threads above from where the thread began", () =>
    fc.assert(
      fc.asyncProperty(anyLine, async (line) => {
        const { view, read } = viewIn(line);
        await view;
        for (const { position, entry } of read)
          for (const [depth, below] of line.entries())
            if (entry.kind === "user" && Number(entry.text[1]) < depth)
              expect(position).toBeLessThan(below.position ?? Number.POSITIVE_INFINITY);
      }),
    ));

  it("of a child whose parent is gone is an error that names both", async () => {
    const { store } = storeOf([]);
    const view = viewOf(store, idOf(3), openingOf(3, 2));
    await expect(view).rejects.toThrow(StoreError);
    await expect(view).rejects.toThrow(/t3 goes back to t2/);
  });
});
