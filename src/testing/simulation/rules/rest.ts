import type { LoadedThread } from "../../../store/store.ts";
import type { World } from "../world.ts";
import { faultsOfAskers } from "./questions.ts";
import { canWait, interrupts } from "./words.ts";

const same = (a: readonly unknown[], b: readonly unknown[]): boolean =>
  JSON.stringify([...a].sort()) === JSON.stringify([...b].sort());

/** What calls and subscriptions alone say of a thread at rest. */
const stateOf = ({ calls, subscriptions, record }: LoadedThread): string => {
  if (record.state === "closed") return "closed";
  if (calls.some(({ passive }) => !passive)) return "awaitingActiveCall";
  if (calls.length > 0) return "idlePassive";
  return subscriptions.length > 0 ? "subscribed" : "idle";
};

/** An event that its subscription's children leave no room for: it waits for one of them to rest. */
const waitsForAChild = ({ inbox, children }: LoadedThread): boolean =>
  inbox.every(
    ({ input }) =>
      input.kind === "event" &&
      !input.associative &&
      children.some(({ kind, rested, source }) => kind === "event" && !rested && source.callId === input.callId),
  );

const faultsOfThread = (world: World, thread: LoadedThread, parent: LoadedThread | undefined): string[] => {
  const { threadId, record, calls, subscriptions, inbox, children, opening } = thread;
  const page = world.record.page(threadId);
  const faults: string[] = [];
  const claim = (holds: boolean | undefined, fault: string) =>
    holds || faults.push(`${fault} (${threadId}, ${record.state})`);
  const active = calls.some(({ passive }) => !passive);
  claim(record.state === stateOf(thread), `R9: rests as if it were ${stateOf(thread)}`);
  claim(
    same(
      calls.map(({ callId }) => callId),
      [...page.calls.keys()],
    ),
    "R9: the store lists other calls than are outstanding",
  );
  claim(!inbox.some(interrupts), "R6: somebody who interrupts is not heard");
  claim(inbox.length === 0 || active || waitsForAChild(thread), "R9: an input waits for nothing");
  // Between a result that came and the last one that is awaited, the result waits too.
  claim(
    inbox.every(
      (waiting) => canWait(waiting) || ["result", "timer", "answer", "rested", "resume"].includes(waiting.input.kind),
    ),
    "R9: what cannot be deferred waits",
  );
  claim(
    !record.halted || !inbox.some((waiting) => canWait(waiting) && waiting.input.kind !== "ended"),
    "R1: a halted thread keeps what it should discard",
  );
  if (record.state === "closed") {
    claim(calls.length === 0 && subscriptions.length === 0, "R9: it has closed and waits for something");
    claim(children.length === 0, "it has closed and has open children");
    const unheard = parent?.inbox.some(({ input }) => input.kind === "ended" && input.child === threadId);
    claim(
      unheard || !parent?.children.some((child) => child.threadId === threadId),
      "its parent does not know that it has closed",
    );
  } else if (opening) {
    claim(parent !== undefined && parent.record.state !== "closed", "it is an orphan: its parent has closed");
    claim(parent?.children.some((child) => child.threadId === threadId) ?? false, "its parent does not know it");
  }
  return faults;
};

/** R6, R9, when nothing goes on any more: each thread rests, for a reason that is listed. */
export const faultsAtRest = async (world: World): Promise<string[]> => {
  const threads = new Map<string, LoadedThread>();
  for (const threadId of world.record.pages.keys()) {
    const loaded = await world.main.raw.load(threadId);
    if (loaded) threads.set(threadId, loaded);
  }
  const faults = [...threads.values()].flatMap((thread) =>
    faultsOfThread(world, thread, thread.opening ? threads.get(thread.opening.parent) : undefined),
  );
  return [...faults, ...faultsOfAskers(world)];
};
