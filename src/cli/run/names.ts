/** What threads are called where people read: `child 1`, and its own children `child 1.1`, in the order they appear. */
export interface Names {
  /** Names a thread, once, as a child of another; without one that has a name: as a child of the thread that is watched. */
  name(childId: string, parentId: string): string;
  /** The name of a thread; its id when it has none. */
  of(threadId: string): string;
  /** A text with names in the place of the ids of threads that have one. */
  in(text: string): string;
  /** Nothing more is said of the thread. */
  forget(threadId: string): void;
}

/** Ids as the runtime makes them for children. */
const childIds = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}(?:\.\d+)+/g;

export const createNames = (): Names => {
  const names = new Map<string, { readonly name: string; children: number }>();
  let children = 0;
  const of = (threadId: string): string => names.get(threadId)?.name ?? threadId;
  return {
    of,
    name(childId, parentId) {
      const known = names.get(childId);
      if (known) return known.name;
      const parent = names.get(parentId);
      const name = parent ? `${parent.name}.${++parent.children}` : `child ${++children}`;
      names.set(childId, { name, children: 0 });
      return name;
    },
    in: (text) => text.replaceAll(childIds, of),
    forget: (threadId) => void names.delete(threadId),
  };
};
