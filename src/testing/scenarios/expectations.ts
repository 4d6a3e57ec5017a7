import { isDeepStrictEqual } from "node:util";
import { align } from "./align.ts";
import type { CallBook } from "./calls.ts";
import type { Difference } from "./difference.ts";
import type { Expectations, MessagePattern } from "./expectation-schema.ts";
import { eventDifferences } from "./expected-events.ts";
import { requestDifferences } from "./expected-requests.ts";
import { pendingIn, viewerDifferences } from "./expected-viewers.ts";
import { matches, tellMessage, tellPattern } from "./messages.ts";
import type { Play } from "./play.ts";
import { storedMessages } from "./stored-messages.ts";

type Found = Omit<Difference, "where">;

const listed = (names: readonly string[]): string => names.join(", ") || "none";

const same = (
  what: string,
  expected: readonly string[],
  seen: readonly string[],
  { anyOrder = false } = {},
): Found[] => {
  const inOrder = (names: readonly string[]) => (anyOrder ? [...names].sort() : names);
  if (isDeepStrictEqual(inOrder(expected), inOrder(seen))) return [];
  return [{ what, expected: listed(expected), seen: listed(seen) }];
};

/** A child that the runtime has not created is absent, by whichever name. */
const stateOf = async (play: Play, name: string): Promise<string> => {
  const id = play.children.idOf(name);
  return play.children.isName(id) ? "absent" : ((await play.thread(id))?.state ?? "absent");
};

const mainThread = ({ children, scenario }: Play): string => children.filled(scenario.main_thread);

async function* states(expect: Expectations, play: Play): AsyncGenerator<Found> {
  const main = mainThread(play);
  const expected = Object.entries(expect.threads ?? {}).map(([id, state]) => ({ what: `threads, ${id}`, id, state }));
  if (expect.final_state) expected.unshift({ what: `final_state of ${main}`, id: main, state: expect.final_state });
  for (const { what, id, state } of expected) {
    const seen = await stateOf(play, id);
    if (seen !== state) yield { what, expected: state, seen };
  }
}

async function* waiting(expect: Expectations, play: Play, calls: CallBook): AsyncGenerator<Found> {
  const main = mainThread(play);
  const { deferred, active_subscriptions: subscriptions } = expect;
  if (deferred) {
    const view = (await play.thread(main))?.view();
    yield* same(`deferred in ${main}`, deferred, view?.deferred.map(({ dedupId }) => dedupId) ?? []);
  }
  const byThread = Array.isArray(subscriptions) ? { [main]: subscriptions } : (subscriptions ?? {});
  for (const [thread, expected] of Object.entries(byThread)) {
    const active = (await play.thread(thread))?.view().subscriptions ?? [];
    const seen = active.map(({ callId, providerCallId }) => calls.labelOf(thread, callId) ?? providerCallId);
    yield* same(`active_subscriptions of ${thread}`, expected, seen, { anyOrder: true });
  }
}

const storedDifferences = async (
  thread: string,
  expected: readonly MessagePattern[],
  play: Play,
): Promise<readonly Found[]> => {
  const seen = storedMessages(await play.history(thread), await play.view(thread));
  const rows = align(expected, seen, { fits: matches, tellExpected: tellPattern, tellSeen: tellMessage });
  return rows.every(({ fits }) => fits) ? [] : [{ what: `stored history of ${thread}`, rows }];
};

const stopped = ({ seen }: Play, calls: CallBook): readonly string[] =>
  seen.toldToStop.map(({ thread, callId, life }) => {
    const handed = seen.dispatched.findLast((call) => call.callId === callId && call.life === life);
    // A hook that tells of a stop is no stop: the tool has to hear of it.
    const deaf = handed && !handed.signal.aborted ? " (its tool was not told)" : "";
    return `${thread} ${calls.labelOf(thread, callId)}${deaf}`;
  });

const dispatchedDifferences = (
  expected: NonNullable<Expectations["dispatched"]>,
  { seen }: Play,
  calls: CallBook,
): readonly Found[] => {
  const tell = (thread: string, tool: string, call: string | undefined, user?: string, ancestors?: readonly string[]) =>
    [thread, tool, call, user && `for ${user}`, ancestors && `under ${listed(ancestors)}`]
      .filter((part) => part)
      .join(" ");
  const rows = align(expected, seen.dispatched, {
    fits: (wanted, handed) =>
      wanted.thread === handed.thread &&
      wanted.tool === handed.tool &&
      wanted.call === calls.labelOf(handed.thread, handed.callId) &&
      (wanted.user_id === undefined || wanted.user_id === handed.userId) &&
      (wanted.ancestors === undefined || isDeepStrictEqual(wanted.ancestors, handed.ancestors)),
    tellExpected: ({ thread, tool, call, user_id, ancestors }) => tell(thread, tool, call, user_id, ancestors),
    tellSeen: ({ thread, tool, callId, userId, ancestors }) =>
      tell(thread, tool, calls.labelOf(thread, callId), userId, ancestors.length > 0 ? ancestors : undefined),
  });
  return rows.every(({ fits }) => fits) ? [] : [{ what: "dispatched", rows }];
};

const choiceDifferences = async (
  { pending_choices: pending, choice_responses: responses }: Expectations,
  play: Play,
  calls: CallBook,
): Promise<readonly Found[]> => {
  const snapshot = pending && (await (await play.thread(mainThread(play)))?.snapshot());
  const tell = (call: string | undefined, selected: number | string) => `${call}: ${selected}`;
  return [
    ...(pending ? same("pending_choices", pending, snapshot ? pendingIn(snapshot, calls) : []) : []),
    ...(responses
      ? same(
          "choice_responses",
          responses.map(({ call, selected }) => tell(call, selected)),
          play.seen.answers.map(({ thread, callId, index }) => tell(calls.labelOf(thread, callId), index)),
        )
      : []),
  ];
};

async function* found(given: Expectations, play: Play): AsyncGenerator<Found> {
  const expect = play.children.filled(given);
  const calls = await play.calls();
  yield* await requestDifferences(expect, play.seen.asked);
  yield* eventDifferences(expect, play.seen.events, calls);
  for (const [thread, patterns] of Object.entries(expect.stored ?? {}))
    yield* await storedDifferences(thread, patterns, play);
  if (expect.dispatched) yield* dispatchedDifferences(expect.dispatched, play, calls);
  if (expect.cancellations)
    yield* same(
      "cancellations",
      expect.cancellations.map(({ thread, call }) => `${thread} ${call}`),
      stopped(play, calls),
    );
  if (expect.thread_closed_notifications)
    yield* same("thread_closed_notifications", expect.thread_closed_notifications, await play.closed());
  yield* viewerDifferences(expect, play.seen.snapshots, calls);
  yield* await choiceDifferences(expect, play, calls);
  yield* states(expect, play);
  yield* waiting(expect, play, calls);
  if (expect.outcomes) {
    const tell = ([thread, outcome]: readonly [string, string]) => `${thread} ${outcome}`;
    yield* same("outcomes", expect.outcomes.map(tell), play.seen.outcomes.map(tell));
  }
  if (expect.open_requests) yield* same("open_requests", expect.open_requests, play.seen.open, { anyOrder: true });
}

/** Everything in which the runtime is not as expected now. Keys that are not listed are not looked at. */
export const differencesFrom = async (expect: Expectations, play: Play): Promise<readonly Found[]> => {
  const all: Found[] = [];
  for await (const difference of found(expect, play)) all.push(difference);
  return all;
};
