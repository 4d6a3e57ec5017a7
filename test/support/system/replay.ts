import { type EventFromLogic, type InspectionEvent, initialTransition, transition } from "xstate";
import type { ThreadCommit } from "../../../machines/thread/commit.ts";
import type { ThreadOrigin } from "../../../machines/thread/ledger.ts";
import { threadMachine } from "../../../machines/thread/machine.ts";

type Event = EventFromLogic<typeof threadMachine>;

/** What reached one thread's actor while it ran, in order; ends of the actors it invoked are among it. */
export interface Log {
  readonly origin: ThreadOrigin;
  readonly events: Event[];
}

/** Keeps the logs of all threads, by thread. What their rounds and other actors got is left out. */
export class Recorder {
  readonly logs = new Map<string, Log>();
  readonly #byActor = new Map<string, Log>();

  readonly inspect = (seen: InspectionEvent): void => {
    if (seen.type !== "@xstate.event" || seen.actorRef.sessionId !== seen.rootId) return;
    const { sessionId } = seen.actorRef;
    const event = seen.event as { readonly type: string; readonly input?: ThreadOrigin };
    if (event.type !== "xstate.init") {
      this.#byActor.get(sessionId)?.events.push(seen.event as Event);
      return;
    }
    if (!event.input) throw new Error("the actor of a thread was created with nothing");
    const log: Log = { origin: event.input, events: [] };
    this.#byActor.set(sessionId, log);
    this.logs.set(event.input.threadId, log);
  };
}

/** The log without the word that the system stops, which is the last that a thread at rest gets. */
export const beforeStop = ({ origin, events }: Log): Log => ({
  origin,
  events: events.filter(({ type }) => type !== "system.stopping"),
});

/** The commits that a log comes to when nothing but the chart sees it, in order, and how the thread stands then. */
export const replay = ({ origin, events }: Log) => {
  const commits: ThreadCommit[] = [];
  const collect = (actions: readonly { readonly type: string; readonly params: unknown }[]): void => {
    for (const { type, params } of actions) {
      if (type === "record") commits.push((params as { commit: ThreadCommit }).commit);
      if (type === "xstate.spawnChild" && (params as { src: unknown }).src === "commit")
        commits.push((params as { input: ThreadCommit }).input);
    }
  };
  let [snapshot, actions] = initialTransition(threadMachine, origin);
  collect(actions);
  for (const event of events) {
    [snapshot, actions] = transition(threadMachine, snapshot, event);
    collect(actions);
  }
  return { commits, value: snapshot.value, context: snapshot.context };
};
