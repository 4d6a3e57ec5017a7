import type { AnyActor, AnyActorRef, InspectionEvent, Subscription } from "xstate";
import type { Logger } from "../logger.ts";
import { guardedInspector, type Inspector } from "./guarded-inspector.ts";
import { type HandOver, handOver } from "./hand-over.ts";

/**
 * Lets observers see the actors of threads. Where nobody observes, nothing is attached to any actor. An observer can
 * neither break a thread (its first error ends it, see `guardedInspector`) nor hold one up (it is told later, see
 * `handOver`). Later is safe: snapshots, contexts and events are never changed once they were made. `actorRef` is the
 * living actor, so what it says of itself is newer than the event.
 */
export interface Inspection {
  /** A thread's actor was made, and has not begun. */
  adopt(root: AnyActor): void;
  /**
   * Attaches an observer, until the returned function is called, to all actors there are and those to come. Actors that
   * run already are told first, as `@xstate.actor`. After `close` it does nothing.
   */
  observe(inspector: Inspector): () => void;
  /** Hands over what waits, for `limit` ms at most. A second call does nothing. */
  close(): Promise<void>;
}

export interface InspectionOptions {
  readonly logger: Logger;
  /** The actors of the threads that are in memory. */
  readonly roots: () => Iterable<AnyActor>;
}

/** ms that `close` gives each observer. */
const limit = 1_000;

export const createInspection = ({ logger, roots }: InspectionOptions): Inspection => {
  const observers = new Set<HandOver<InspectionEvent>>();
  const attached = new WeakMap<AnyActor, Subscription>();
  let closed = false;

  const tell = (event: InspectionEvent): void => {
    for (const observer of observers) observer.push(event);
  };
  const attach = (root: AnyActor): void => {
    if (!attached.has(root)) attached.set(root, root.system.inspect(tell));
  };
  const detach = (root: AnyActor): void => {
    attached.get(root)?.unsubscribe();
    attached.delete(root);
  };
  const leave = (observer: HandOver<InspectionEvent>): void => {
    observer.stop();
    if (observers.delete(observer) && observers.size === 0) for (const root of roots()) detach(root);
  };

  return {
    adopt(root) {
      if (observers.size === 0) return;
      attach(root);
      for (const event of introductions(root, root.sessionId)) tell(event);
    },
    observe(inspector) {
      if (closed) return () => {};
      const hear = guardedInspector(inspector, logger, () => leave(observer));
      const observer = handOver(hear, {
        onLeftOut: (count) =>
          logger.warn(
            { leftOut: count },
            "an inspection observer does not keep up; events were left out, more may follow",
          ),
      });
      observers.add(observer);
      for (const root of roots()) {
        attach(root);
        for (const event of introductions(root, root.sessionId)) observer.push(event);
      }
      return () => leave(observer);
    },
    async close() {
      if (closed) return;
      closed = true;
      await Promise.all([...observers].map((observer) => observer.finish(limit)));
      for (const observer of [...observers]) leave(observer);
    },
  };
};

/** What an observer would have been told of an actor and its children, had it been there. */
const introductions = (actorRef: AnyActorRef, rootId: string): readonly InspectionEvent[] => {
  const { children = {} } = actorRef.getSnapshot() as { children?: Record<string, AnyActorRef | undefined> };
  return [
    { type: "@xstate.actor", rootId, actorRef },
    ...Object.values(children).flatMap((child) => (child ? introductions(child, rootId) : [])),
  ];
};
