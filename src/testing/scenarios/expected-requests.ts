import { align, type Row } from "./align.ts";
import type { Difference } from "./difference.ts";
import type { Expectations, MessagePattern, RequestExpectation } from "./expectation-schema.ts";
import { matches, type SeenMessage, tellMessage, tellPattern } from "./messages.ts";
import type { Asked } from "./observed.ts";
import { requestMessages } from "./request-messages.ts";

type Found = Omit<Difference, "where">;

const telling = { fits: matches, tellExpected: tellPattern, tellSeen: tellMessage };

export const messagesOf = async ({ prompt, entries }: Asked): Promise<readonly SeenMessage[]> =>
  requestMessages(prompt, await entries);

const isSubsequence = (patterns: readonly MessagePattern[], messages: readonly SeenMessage[]): boolean => {
  let next = 0;
  for (const message of messages) {
    const pattern = patterns[next];
    if (pattern && matches(pattern, message)) next++;
  }
  return next === patterns.length;
};

/** The comparison where it fails; undefined where the messages are as they should be. */
const comparison = (
  { messages: patterns, match }: RequestExpectation,
  seen: readonly SeenMessage[],
): readonly Row[] | undefined => {
  if (!patterns) return undefined;
  if (match === "subsequence") return isSubsequence(patterns, seen) ? undefined : align(patterns, seen, telling);
  const compared = match === "tail" ? seen.slice(Math.max(0, seen.length - patterns.length)) : seen;
  const fits =
    compared.length === patterns.length &&
    patterns.every((pattern, at) => matches(pattern, compared[at] as SeenMessage));
  if (fits) return undefined;
  // What stands before a tail may be anything: it is shown, for the reader to see how it came to this.
  const before: Row[] =
    match === "tail"
      ? seen
          .slice(0, seen.length - compared.length)
          .map((message) => ({ fits: true, expected: "…", seen: tellMessage(message) }))
      : [];
  return [...before, ...align(patterns, compared, telling)];
};

function* differencesOf(expected: RequestExpectation, request: Asked, seen: readonly SeenMessage[]): Generator<Found> {
  const name = `model_requests, request ${request.nth} of ${request.thread}`;
  const rows = comparison(expected, seen);
  if (rows) yield { what: `${name} (${expected.match})`, rows };
  for (const pattern of expected.absent ?? []) {
    const present = seen.find((message) => matches(pattern, message));
    if (present) yield { what: `${name}, absent`, expected: `no ${tellPattern(pattern)}`, seen: tellMessage(present) };
  }
  if (expected.model !== undefined && expected.model !== request.model)
    yield { what: `${name}, model`, expected: expected.model, seen: request.model };
}

const inShort = async (request: Asked): Promise<string> => {
  const last = (await messagesOf(request)).at(-1);
  return `${request.thread}, request ${request.nth}${last ? `, ending in ${tellMessage(last)}` : ""}`;
};

/** Compares all requests so far: the n-th entry of a thread is its n-th request, and none may be missing or too many. */
export const requestDifferences = async (
  { model_requests: expected, model_request_count: count }: Expectations,
  asked: readonly Asked[],
): Promise<readonly Found[]> => {
  const all: Found[] = [];
  if (count !== undefined && count !== asked.length)
    all.push({ what: "model_request_count", expected: String(count), seen: String(asked.length) });
  if (!expected) return all;
  const nthOf = new Map<string, number>();
  const missing: string[] = [];
  for (const expectation of expected) {
    const nth = (nthOf.get(expectation.thread) ?? 0) + 1;
    nthOf.set(expectation.thread, nth);
    const request = asked.find((one) => one.thread === expectation.thread && one.nth === nth);
    if (request) all.push(...differencesOf(expectation, request, await messagesOf(request)));
    else missing.push(`${expectation.thread}, request ${nth}`);
  }
  const unexpected = asked.filter(({ thread, nth }) => nth > (nthOf.get(thread) ?? 0));
  const rows = [
    ...missing.map((wanted) => ({ fits: false, expected: wanted })),
    ...(await Promise.all(unexpected.map(async (request) => ({ fits: false, seen: await inShort(request) })))),
  ];
  if (rows.length > 0) all.push({ what: "model_requests, how many of each thread", rows });
  return all;
};
