import { Observable, Subscription } from "rxjs";
import type { ThreadId } from "../../machines/history/ids.ts";
import type { Resident } from "../thread/resident.ts";
import type { Update } from "../thread/update.ts";
import type { UpdateHub } from "./hub.ts";

export interface TreeUpdateDependencies {
  readonly hub: UpdateHub;
  /** Any thread, loaded if need be. */
  readonly load: (threadId: ThreadId) => Promise<Resident | undefined>;
}

/**
 * The updates of a thread and of all threads below it, in the order in which they are published. A child is listened to
 * from the moment its parent's commit is told, which is before it begins: nothing of it is missed. Of the open threads that
 * are there when listening begins, those further down than children are found a moment later. Completes with the system.
 */
export const treeUpdates = (root: Resident, { hub, load }: TreeUpdateDependencies): Observable<Update> =>
  new Observable((reader) => {
    const listening = new Map<string, Subscription>();
    const all = new Subscription(() => {
      for (const each of listening.values()) each.unsubscribe();
      listening.clear();
    });

    const listen = (threadId: string): void => {
      if (all.closed || listening.has(threadId)) return;
      const each = new Subscription();
      listening.set(threadId, each);
      each.add(
        hub.of(threadId).subscribe({
          next: (update) => {
            if (update.type === "child.opened") listen(update.childId);
            reader.next(update);
            // Nothing follows: a long life with many children keeps none of them.
            if (update.type === "state.changed" && update.state === "closed" && threadId !== root.threadId) {
              listening.delete(threadId);
              each.unsubscribe();
            }
          },
          complete: () => reader.complete(),
        }),
      );
    };
    const follow = (thread: Resident): void => {
      listen(thread.threadId);
      for (const child of thread.snapshot.context.children) {
        listen(child.threadId);
        // A thread that cannot be loaded tells nothing either, and the system logs why.
        load(child.threadId).then(
          (found) => found && !all.closed && follow(found),
          () => {},
        );
      }
    };
    follow(root);
    return all;
  });
