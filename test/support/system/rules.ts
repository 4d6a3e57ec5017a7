import type { ContentItem, PlacedEntry } from "../../../machines/history/entry.ts";
import { faultsOf } from "../../../machines/history/faults.ts";
import type { Call, ThreadCommit } from "../../../machines/thread/commit.ts";
import type { WaitingInput } from "../../../machines/thread/input.ts";
import { isControl, isDeferrable, isInterruptingText } from "../../../machines/thread/ledger.ts";
import type { Accepted, Page } from "./journal.ts";
import { repeatable } from "./tools.ts";
import type { World } from "./world.ts";

/** The rules R1 to R9, checked from outside: by what was accepted, committed, asked, called and told. */

const same = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);

const interrupts = (waiting: WaitingInput): boolean => isControl(waiting) || isInterruptingText(waiting);

/** What an input or an entry says, by its source. */
const wordsOf = (callId: string | undefined, text: string): string => JSON.stringify([callId ?? "", text]);
const wordsOfInput = ({ input }: WaitingInput): string =>
  wordsOf("callId" in input ? input.callId : undefined, "text" in input ? input.text : "");
const wordsRead = ({ entry }: PlacedEntry): string[] => {
  if (entry.kind === "user") return [wordsOf(undefined, entry.text)];
  return entry.kind === "event" ? [wordsOf(entry.source.callId, entry.text)] : [];
};

const settlesAsInterrupted = (entries: readonly PlacedEntry[], before: Page, which: (call: Call) => boolean): boolean =>
  entries.some(({ entry }) => {
    const call = entry.kind === "result" && entry.origin === "interrupted" ? before.calls.get(entry.callId) : undefined;
    return call !== undefined && which(call);
  });

/**
 * A text cut a round, told an active call to stop (whose result can still have come), or cut the inline calls of the
 * commit before: then it comes first.
 */
const isInterruption = (world: World, { entries, calls }: ThreadCommit, before: Page): boolean =>
  before.inlineCut ||
  entries.some(({ entry }) => entry.kind === "user" && entry.interrupt) ||
  calls.settled.some((callId) => world.stopped.has(callId) && before.calls.get(callId)?.passive === false);

/** R3: a batch is read in the order of acceptance, but for the texts that made an interruption. */
const faultsOfBatch = (world: World, commit: ThreadCommit, before: Page): string[] => {
  const { threadId, entries } = commit;
  const order = world.journal.accepted
    .filter((accepted) => accepted.threadId === threadId)
    .map(({ waiting }) => wordsOfInput(waiting));
  const read = entries.flatMap(wordsRead);
  const sorted = [...read].sort((a, b) => order.indexOf(a) - order.indexOf(b));
  if (same(read, sorted) || isInterruption(world, commit, before)) return [];
  return [`R3: ${threadId} read ${read.join(", ")}, which came as ${sorted.join(", ")}`];
};

/** R4, R5: looks at each commit with what stood before it. */
const faultsOfCommit = (world: World, commit: ThreadCommit, before: Page): string[] => {
  const { threadId, entries, calls, consumed } = commit;
  const faults: string[] = [];
  const settled = new Set(calls.settled);
  const outstanding = [...before.calls.values()].filter(({ callId }) => !settled.has(callId));
  const history = [...before.history, ...entries].sort((a, b) => a.position - b.position);
  const left = [...outstanding, ...calls.made].map(({ callId }) => callId);
  faults.push(...faultsOf(history, left).map((fault) => `R5: ${fault}`));
  const waiting = world.journal.waiting(threadId);
  for (const { entry } of entries) {
    const reads = entry.kind === "user" || entry.kind === "event" || entry.kind === "turn";
    if (reads && outstanding.some(({ passive }) => !passive))
      faults.push(`R4: ${entry.kind} enters the history while ${left.join(", ")} is outstanding`);
    if (entry.kind !== "result" || entry.origin !== "interrupted") continue;
    const call = before.calls.get(entry.callId);
    if (call && !call.passive && !waiting.some(interrupts))
      faults.push(`R4: ${entry.callId} is interrupted, and nobody interrupted`);
  }
  faults.push(...faultsOfBatch(world, commit, before));
  // What is recorded beside a slice does not end it.
  if (commit.record)
    before.inlineCut =
      waiting.some(isInterruptingText) && settlesAsInterrupted(entries, before, ({ form }) => form === "inline");
  for (const seq of consumed)
    if (!waiting.some((input) => input.seq === seq)) faults.push(`R2: input ${seq} is consumed and does not wait`);
  return faults;
};

/** R4, R8: looks at the moment a request goes out. */
const faultsOfRequest = (world: World, threadId: string, uncommitted: readonly PlacedEntry[]): string[] => {
  const faults: string[] = [];
  const page = world.journal.page(threadId as never);
  const answered = uncommitted.flatMap(({ entry }) => (entry.kind === "result" ? [entry.callId] : []));
  for (const callId of page.calls.keys())
    if (!answered.includes(callId)) faults.push(`R4: the model is asked while ${callId} is outstanding`);
  if (world.openRequestsOf(threadId).length > 0) faults.push(`R8: ${threadId} asks the model twice at once`);
  return faults;
};

/** Checks while the world goes on; what is found is among its faults. */
export const watch = (world: World): void => {
  world.journal.onCommit = (commit, before) => world.faults.push(...faultsOfCommit(world, commit, before));
  world.onRequest = (threadId, uncommitted) => world.faults.push(...faultsOfRequest(world, threadId, uncommitted));
};

/** Where a consumed input went, by what it said. */
const placesOf = ({ commits, history }: Page, { waiting }: Accepted): string[] => {
  const { dedupId, input } = waiting;
  const places: string[] = [];
  const about = "callId" in input ? input.callId : undefined;
  for (const fact of commits.flatMap(({ facts }) => facts)) {
    if (
      fact.type === "input.discarded" &&
      fact.kind === input.kind &&
      fact.dedupId === dedupId &&
      fact.callId === about
    )
      places.push(`discarded: ${fact.reason}`);
    if (input.kind === "progress" && fact.type === "call.progressed" && fact.text === input.text)
      places.push("handed to the application");
  }
  for (const { entry } of history) {
    if (input.kind === "text" && entry.kind === "user" && entry.text === input.text) places.push("history");
    if (input.kind === "event" && entry.kind === "event" && entry.text === input.text && entry.source.callId === about)
      if (places.length === 0 || !input.text.startsWith("The subscription has ended"))
        // Two processes can say the same of an end; what was discarded is not what was read.
        places.push("history");
    if (entry.kind !== "result" || entry.callId !== about) continue;
    if (input.kind === "result" && same(entry.content, input.content)) places.push("history");
    // Two timers of a call say the same, and so do two refusals: what was discarded is not what settled the call.
    if (places.length > 0) continue;
    if (input.kind === "timer" && entry.origin === "timer") places.push("history");
    if (input.kind === "result" && input.subscription && refusesSubscription(entry.content)) places.push("history");
  }
  if (input.kind === "interrupt" || (input.kind === "retry" && places.length === 0)) places.push("acted on");
  return places;
};

/** One subscription too many: its result is not stored as it came. */
const refusesSubscription = (content: readonly ContentItem[]): boolean =>
  content.some((item) => item.type === "text" && /^Error: this thread has \d+ subscriptions already/.test(item.text));

/** R1, R2: every envelope that was accepted is in one place. */
const faultsOfPlaces = ({ journal, sent }: World): string[] => {
  const faults: string[] = [];
  const keys = new Set<string>();
  for (const accepted of journal.accepted) {
    const { threadId, key, waiting } = accepted;
    const page = journal.page(threadId);
    const name = `${threadId} ${key}`;
    if (keys.has(name)) faults.push(`R2: ${name} was accepted twice`);
    keys.add(name);
    const times = page.consumed.filter((seq) => seq === waiting.seq).length;
    const places = placesOf(page, accepted);
    if (times > 1) faults.push(`R2: ${name} was consumed ${times} times`);
    if (times === 1 && places.length !== 1)
      faults.push(`R1: ${name} was consumed and is in ${places.join(", ") || "no place"}`);
    if (
      times === 0 &&
      waiting.input.kind !== "interrupt" &&
      waiting.input.kind !== "retry" &&
      places.includes("history") &&
      waiting.input.kind !== "timer"
    )
      faults.push(`R1: ${name} waits and is in the history`);
  }
  for (const { key, answer } of sent) {
    if (answer === true && !keys.has(key)) faults.push(`R1: ${key} was acknowledged and is nowhere`);
    if (answer === null) faults.push(`R9: the sender of ${key} was told nothing`);
  }
  for (const key of keys) {
    const fresh = sent.filter((parcel) => parcel.key === key && parcel.answer === true).length;
    if (fresh > 1) faults.push(`R2: ${key} was new ${fresh} times`);
  }
  return faults;
};

/** R3: what can wait enters a history in the order it was accepted; so do texts that interrupt, among themselves. */
const faultsOfOrder = ({ journal }: World): string[] =>
  [...journal.pages].flatMap(([threadId, { history }]) =>
    [isDeferrable, isInterruptingText].flatMap((belongs) => {
      const order = journal.accepted
        .filter((accepted) => accepted.threadId === threadId && belongs(accepted.waiting))
        .map(({ waiting }) => wordsOfInput(waiting));
      const stored = history.flatMap(wordsRead).filter((words) => order.includes(words));
      const sorted = [...stored].sort((a, b) => order.indexOf(a) - order.indexOf(b));
      return same(stored, sorted)
        ? []
        : [`R3: ${threadId} read ${stored.join(", ")} which came as ${sorted.join(", ")}`];
    }),
  );

/** R7: a tool is called once in a process, for a call that is durable and marked as started; in another if it may be. */
const faultsOfTools = ({ begun }: World): string[] => {
  const lives = new Map<string, number>();
  return begun.flatMap(({ name, callId, durable, started, life }) => {
    const faults: string[] = [];
    const before = lives.get(callId);
    if (before === life) faults.push(`R7: ${name} was called twice for ${callId}`);
    if (before !== undefined && !repeatable.includes(name)) faults.push(`R7: ${name} began again for ${callId}`);
    lives.set(callId, life);
    if (!durable) faults.push(`R7: ${name} was called for ${callId}, which is not durable`);
    if (durable && !started) faults.push(`R7: ${callId} was handed over and is not marked`);
    return faults;
  });
};

/** R5, as the model sees it: a strict model refused nothing. */
const faultsOfRequests = ({ model }: World): string[] =>
  model.requests.flatMap(({ ordinal, refusals }) => refusals.map((refusal) => `R5: request ${ordinal}: ${refusal}`));

/** R8: a round's commit comes before the next round of its thread begins, unless the process ended in between. */
const faultsOfRounds = ({ updates, threads }: World): string[] =>
  threads.flatMap(({ id }) => {
    let open: number | undefined;
    let seen: number | undefined;
    const faults: string[] = [];
    for (const { life, update } of updates) {
      if (update.threadId !== id) continue;
      if (update.type === "round.started") {
        if (open === life) faults.push(`R8: a round of ${id} begins while one is open`);
        open = life;
      } else if (update.type === "round.ended") {
        // A thread that comes up with work begins before anybody can watch it.
        if (open !== life && seen === life) faults.push(`R8: a round of ${id} ends while none is open`);
        open = undefined;
      } else continue;
      seen = life;
    }
    return faults;
  });

/** R6: nobody was told that a text which interrupts is held back; what is held back is told once in a process. */
const faultsOfAnnouncements = ({ updates, journal }: World): string[] => {
  const told = new Set<string>();
  return updates.flatMap(({ life, update }) => {
    if (update.type !== "input.deferred") return [];
    const { threadId, kind, dedupId } = update;
    const inputs = journal.accepted.filter(
      ({ threadId: other, waiting }) =>
        other === threadId && waiting.dedupId === dedupId && waiting.input.kind === kind,
    );
    const name = `${life} ${threadId} ${kind} ${dedupId}`;
    const faults = inputs.some(({ waiting }) => isDeferrable(waiting)) ? [] : [`R6: ${name} is deferred`];
    if (told.has(name) && inputs.length === 1) faults.push(`${name} is announced twice`);
    told.add(name);
    return faults;
  });
};

/** R6, R9, when nothing goes on any more: each thread rests, and what keeps it from resting empty is listed. */
export const faultsAtRest = ({ threads, journal }: World): string[] =>
  threads.flatMap((thread) => {
    const { state, calls, subscriptions, deferred } = thread.view();
    const page = journal.page(thread.id as never);
    const waiting = journal.waiting(thread.id as never);
    const active = calls.filter(({ passive }) => !passive);
    const faults: string[] = [];
    const claim = (holds: boolean, fault: string) => holds || faults.push(`${fault} (${thread.id}, ${state})`);
    claim(state !== "running", "R9: still running");
    claim(
      same(calls.map(({ callId }) => callId).sort(), [...page.calls.keys()].sort()),
      "R9: the view does not list the calls that are out",
    );
    const expected =
      active.length > 0
        ? "awaitingActiveCall"
        : calls.length > 0
          ? "idlePassive"
          : subscriptions.length > 0
            ? "subscribed"
            : "idle";
    claim(state === expected, `R9: rests as if it were something else than ${expected}`);
    claim(!waiting.some(interrupts), "R6: a text of the user, or an interrupt, waits");
    claim(active.length > 0 || waiting.length === 0, "R9: an input waits for nothing");
    claim(
      same(
        deferred.map(({ seq }) => seq),
        waiting.filter(isDeferrable).map(({ seq }) => seq),
      ),
      "R9: the view does not list what is deferred",
    );
    return faults;
  });

/** Everything that can be said once the world has come to its end. */
export const faultsAtEnd = (world: World): string[] => [
  ...faultsAtRest(world),
  ...faultsOfPlaces(world),
  ...faultsOfOrder(world),
  ...faultsOfTools(world),
  ...faultsOfRequests(world),
  ...faultsOfRounds(world),
  ...faultsOfAnnouncements(world),
];
