import type { ContentItem } from "../../../../machines/history/entry.ts";
import type { WaitingInput } from "../../../../machines/thread/input.ts";
import { type Accepted, discardsOf, type Page } from "../record.ts";
import type { World } from "../world.ts";
import { same, wordsRead } from "./words.ts";

/** One subscription too many: its result is not stored as it came. */
const refusesSubscription = (content: readonly ContentItem[]): boolean =>
  content.some((item) => item.type === "text" && /^Error: this thread has \d+ subscriptions already/.test(item.text));

/** What a source says of its end, in the runtime's own words: two processes can say the same. */
export const isOfTheRuntime = (text: string): boolean => text.startsWith("The subscription has ended");

/** How often a thread's history has read what an input says. */
const readsOf = (world: World, page: Page, { input }: WaitingInput): number => {
  const { questions } = world.record;
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
    case "choice":
      return questions.asked.has(input.choiceId) ? 1 : 0;
    case "answer":
      return input.by === null ? 0 : questions.answersBy(input.by).length;
    case "timer":
      if (input.purpose === "expiry")
        return [...questions.asked.values()].filter(
          ({ choice, answer }) => choice.callId === input.callId && answer?.expired === true,
        ).length;
      return page.history.filter(
        ({ entry }) => entry.kind === "result" && entry.callId === input.callId && entry.origin === "timer",
      ).length;
    default:
      return 0;
  }
};

/** Acted on without a word in a history, or with one that others share. */
const isActedOn = ({ input }: WaitingInput): boolean =>
  ["interrupt", "halt", "close", "resume", "retry", "linger", "rested", "ended", "release", "compact"].includes(
    input.kind,
  );

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
  // A denial is on record at once, and waits for the results beside it.
  const may = shares(input) || input.kind === "answer";
  if (!commit) return reads > 0 && !may ? [`R1: ${name} waits and was read`] : [];
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
  input.kind === "choice" ||
  (input.kind === "report" && input.failed === true) ||
  (input.kind === "event" && isOfTheRuntime(input.text)) ||
  (input.kind === "result" && (input.subscription === true || input.origin !== "tool" || input.failure !== undefined));

/** R1, R2: every accepted envelope is in one place, and every sender was told the truth. */
export const faultsOfPlaces = (world: World): string[] => {
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
