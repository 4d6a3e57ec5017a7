import type { ContentItem } from "../../../../machines/history/entry.ts";
import { callsOf } from "../../../../machines/history/entry.ts";
import { endedText } from "../../../../machines/history/family-wording.ts";
import { faultsOf } from "../../../../machines/history/faults.ts";
import type { ThreadId } from "../../../../machines/history/ids.ts";
import type { WaitingInput } from "../../../../machines/thread/input.ts";
import { type Accepted, discardsOf, type Page } from "../record.ts";
import { repeatable } from "../tools.ts";
import type { World } from "../world.ts";
import { canWait, wordsRead } from "./words.ts";

const same = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);

/** One subscription too many: its result is not stored as it came. */
const refusesSubscription = (content: readonly ContentItem[]): boolean =>
  content.some((item) => item.type === "text" && /^Error: this thread has \d+ subscriptions already/.test(item.text));

/** What a source says of its end, in the runtime's own words: two processes can say the same. */
const isOfTheRuntime = (text: string): boolean => text.startsWith("The subscription has ended");

/** How often a thread's history has read what an input says. */
const readsOf = (world: World, page: Page, { input }: WaitingInput): number => {
  const count = (history: Page["history"], words: string) =>
    history.filter((placed) => wordsRead(placed) === words).length;
  switch (input.kind) {
    case "text":
      return count(page.history, `text ${input.text}`);
    case "event": {
      const words = `event ${input.callId} ${input.text}`;
      if (input.associative) return count(page.history, words);
      return [...world.record.pages.values()].reduce(
        (sum, { opening, history }) => sum + (opening?.parent === page.threadId ? count(history, words) : 0),
        0,
      );
    }
    case "report":
      return count(page.history, `child ${input.child} ${input.text}`);
    case "message": {
      const source = page.opening?.source.callId;
      return count(page.history, `event ${source} ${input.text}`);
    }
    case "result":
      return page.history.filter(
        ({ entry }) =>
          entry.kind === "result" &&
          entry.callId === input.callId &&
          (same(entry.content, input.content) || (input.subscription === true && refusesSubscription(entry.content))),
      ).length;
    case "timer":
      return page.history.filter(
        ({ entry }) => entry.kind === "result" && entry.callId === input.callId && entry.origin === "timer",
      ).length;
    default:
      return 0;
  }
};

/** Acted on without a word in a history, or with one that others share. */
const isActedOn = ({ input }: WaitingInput): boolean =>
  ["interrupt", "halt", "close", "resume", "retry", "linger", "rested", "ended"].includes(input.kind);

/** R1, R2: where an accepted envelope is. */
const faultsOfPlace = (world: World, { threadId, key, waiting }: Accepted): string[] => {
  const page = world.record.page(threadId);
  const name = `${threadId} ${key}`;
  const consumed = page.consumed.get(waiting.seq) ?? [];
  if (consumed.length > 1) return [`R2: ${name} was consumed ${consumed.length} times`];
  const [commit] = consumed;
  if (isActedOn(waiting)) return [];
  const reads = readsOf(world, page, waiting);
  const { input } = waiting;
  if (!commit) return reads > 0 && input.kind !== "timer" && !shares(input) ? [`R1: ${name} waits and was read`] : [];
  const discards = discardsOf(commit, waiting).length;
  const handed = commit.facts.some(
    (fact) => fact.type === "call.progressed" && input.kind === "progress" && fact.text === input.text,
  );
  if (discards > 0 && (shares(input) || discards > 1)) return [];
  const places = reads + (discards > 0 ? 1 : 0) + (handed ? 1 : 0);
  if (places === 1 || (places > 1 && shares(input))) return [];
  if (places === 0) return [`R1: ${name} was consumed and is in no place`];
  return [`R2: ${name} is in ${places} places (${reads} times read)`];
};

/** What it says, another input can say as well. */
const shares = (input: WaitingInput["input"]): boolean =>
  input.kind === "timer" ||
  (input.kind === "report" && input.failed === true) ||
  (input.kind === "event" && isOfTheRuntime(input.text)) ||
  (input.kind === "result" && (input.subscription === true || input.origin !== "tool" || input.failure !== undefined));

const faultsOfPlaces = (world: World): string[] => {
  const { accepted } = world.record;
  const faults: string[] = [];
  const keys = new Set<string>();
  for (const one of accepted) {
    const name = `${one.threadId} ${one.key}`;
    if (keys.has(name)) faults.push(`R2: ${name} was accepted twice`);
    keys.add(name);
    faults.push(...faultsOfPlace(world, one));
  }
  const fresh = new Set<string>();
  for (const { key, answer } of world.mail.sent) {
    if (answer === null) faults.push(`R9: the sender of ${key} was told nothing`);
    if (answer !== true) continue;
    if (!keys.has(key)) faults.push(`R1: ${key} was acknowledged and is nowhere`);
    if (fresh.has(key)) faults.push(`R2: ${key} was new twice`);
    fresh.add(key);
  }
  return faults;
};

/** What an accepted input says, where only it says so and it can wait. */
const wordsOf = ({ waiting }: Accepted): string | undefined => {
  const { input } = waiting;
  if (!canWait(waiting)) return undefined;
  if (input.kind === "text") return `text ${input.text}`;
  if (input.kind === "event" && input.associative && !isOfTheRuntime(input.text))
    return `event ${input.callId} ${input.text}`;
  return input.kind === "report" && !input.failed ? `child ${input.child} ${input.text}` : undefined;
};

/** R3: what can wait is read in the order it was accepted, whoever sent it from where. */
const faultsOfOrder = ({ record }: World): string[] => {
  const orders = new Map<ThreadId, Map<string, number>>();
  for (const one of record.accepted) {
    const words = wordsOf(one);
    if (words === undefined) continue;
    const order = orders.get(one.threadId) ?? new Map<string, number>();
    orders.set(one.threadId, order.set(words, one.waiting.seq));
  }
  return [...orders].flatMap(([threadId, order]) => {
    const { history } = record.page(threadId);
    const read = history.flatMap((placed) => wordsRead(placed) ?? []).filter((words) => order.has(words));
    const sorted = [...read].sort((a, b) => (order.get(a) ?? 0) - (order.get(b) ?? 0));
    return same(read, sorted) ? [] : [`R3: ${threadId} read ${read.join(", ")}, which came as ${sorted.join(", ")}`];
  });
};

/** R5: every history as it is stored, and every request as a strict model took it. */
const faultsOfHistories = ({ record, processes }: World): string[] => [
  ...[...record.pages.values()].flatMap((page) =>
    faultsOf(record.view(page), [...page.calls.keys()]).map((fault) => `R5: ${page.threadId}, ${fault}`),
  ),
  ...processes.lives.flatMap(({ model }) =>
    model.requests.flatMap(({ refusals }) => refusals.map((refusal) => `R5: a request: ${refusal}`)),
  ),
];

/** R7: a tool is called for a call that is durable and marked, once; in another process only if it may be, and never after its result. */
const faultsOfTools = ({ begun }: World): string[] => {
  const lives = new Map<string, number>();
  return begun.flatMap(({ name, callId, durable, started, answered, closed, life, unaware }) => {
    const faults: string[] = [];
    const before = lives.get(callId);
    if (before === life) faults.push(`R7: ${name} was called twice for ${callId}`);
    if (before !== undefined && !repeatable.has(name)) faults.push(`R7: ${name} began again for ${callId}`);
    lives.set(callId, life);
    // Handed over before the other took over, as far as anybody can tell.
    if (unaware) return faults;
    if (!durable) faults.push(`R7: ${name} was called for ${callId}, which is not durable`);
    if (durable && !started) faults.push(`R7: ${callId} was handed over and is not marked`);
    if (answered && before !== undefined) faults.push(`R7: ${name} began again for ${callId}, which has its result`);
    if (closed) faults.push(`R7: ${name} was called for a thread that has closed`);
    return faults;
  });
};

/** A timer rings once. */
const faultsOfTimers = ({ record }: World): string[] => {
  const rung = new Map<string, number>();
  const faults: string[] = [];
  for (const { threadId, waiting } of record.accepted) {
    const { input, dedupId } = waiting;
    if (input.kind !== "timer" && input.kind !== "retry" && input.kind !== "linger") continue;
    if (input.kind === "timer") {
      const name = `${input.callId} ${input.purpose}`;
      if (rung.has(name)) faults.push(`R2: the timer ${name} rang twice`);
      rung.set(name, 1);
    } else {
      const name = `${threadId} ${input.kind} ${input.due}`;
      if (rung.has(name)) faults.push(`R2: the timer ${name} (${dedupId}) rang twice`);
      rung.set(name, 1);
    }
  }
  return faults;
};

/** Families: what a turn said to others arrived once, and nothing arrived that no turn said; every end is heard once. */
const faultsOfFamilies = ({ record }: World): string[] => {
  const faults = record.repeated
    .filter((key) => /\["(report|message|ended)"/.test(key))
    .map((key) => `R7: ${key} was told before the commit that tells it`);
  for (const page of record.pages.values()) {
    const { threadId, opening, history } = page;
    const asked = new Map(
      history.flatMap(({ entry }) =>
        entry.kind === "turn" ? callsOf(entry).map((call) => [call.callId as string, call] as const) : [],
      ),
    );
    const acknowledged = new Set(
      history.flatMap(({ entry }) =>
        entry.kind === "result" && entry.origin === "ack" ? [entry.callId as string] : [],
      ),
    );
    for (const { waiting } of record.accepted) {
      const { input, dedupId } = waiting;
      const isReport = input.kind === "report" && input.child === threadId && !input.failed;
      if (!isReport && !(input.kind === "message" && input.parent === threadId)) continue;
      const { report, message } = asked.get(dedupId)?.args ?? {};
      if ((isReport ? report : message) !== input.text)
        faults.push(`R7: ${threadId} told ${input.text}, and no turn of it says so`);
      else if (!acknowledged.has(dedupId)) faults.push(`R7: ${threadId} told ${input.text}, and does not know`);
    }
    if (!opening) continue;
    const ends = record.accepted.filter(({ waiting: { input } }) => input.kind === "ended" && input.child === threadId);
    if (page.state === "closed" && ends.length !== 1)
      faults.push(`the end of ${threadId} was told ${ends.length} times`);
    if (page.state !== "closed" && ends.length > 0) faults.push(`the end of ${threadId} was told, and it is open`);
    const parent = record.page(opening.parent);
    for (const { waiting } of ends) {
      if (waiting.input.kind !== "ended") continue;
      const words = `child ${threadId} ${endedText(threadId, waiting.input.report)}`;
      const heard = parent.history.filter((placed) => wordsRead(placed) === words).length;
      if (heard > 1) faults.push(`R2: the end of ${threadId} was read ${heard} times`);
      if (heard === 0 && opening.kind === "spawned" && !parent.closing && parent.consumed.has(waiting.seq))
        faults.push(`R1: the end of ${threadId} was taken and not read`);
    }
  }
  return faults;
};

/** What a model saw of an input, it saw once: words are unique, so any that is there twice was doubled. */
const faultsOfPrompts = (world: World): string[] => {
  const last = new Map<string, string>();
  for (const { model } of world.processes.lives)
    for (const request of model.requests) last.set(world.askerOf(request), JSON.stringify(request.prompt.slice(1)));
  return [...last].flatMap(([threadId, prompt]) => {
    const seen = new Set<string>();
    return [...prompt.matchAll(/"(m\d+|e\d+)"/g)].flatMap(([, word = ""]) => {
      if (seen.has(word)) return [`R2: ${threadId}'s model reads ${word} twice`];
      seen.add(word);
      return [];
    });
  });
};

/** Everything that can be said once nothing more happens. */
export const faultsAtEnd = (world: World): string[] => [
  ...faultsOfPlaces(world),
  ...faultsOfOrder(world),
  ...faultsOfHistories(world),
  ...faultsOfTools(world),
  ...faultsOfTimers(world),
  ...faultsOfFamilies(world),
  ...faultsOfPrompts(world),
];
