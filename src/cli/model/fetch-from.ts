import { APICallError } from "@ai-sdk/provider";

/** Statuses below 500 that a gateway's own page may come with, and that pass. */
const passing = [408, 425, 429];

interface Address {
  /** The variable that says where requests go; undefined: the provider's own address. */
  readonly variable: string | undefined;
}

const isPage = (response: Response): boolean =>
  response.status < 500 &&
  !passing.includes(response.status) &&
  /^\s*text\/html\b/i.test(response.headers.get("content-type") ?? "");

/** What a failed `fetch` has to say is in its causes, the last of them most of all. */
const reasonOf = (error: unknown): string => {
  let last = error as { message?: string; code?: string; cause?: unknown; errors?: readonly unknown[] };
  for (;;) {
    const next = last.cause ?? last.errors?.at(-1);
    if (typeof next !== "object" || next === null) return last.message || last.code || "no reason given";
    last = next;
  }
};

/**
 * `fetch` for somebody who may have mistyped an address. A web page is no answer of a model, and asking again would bring
 * it again; so would asking an address that has never answered. Once it has, a connection that breaks may be tried again.
 */
export const fetchFrom = ({ variable }: Address, send: typeof fetch = fetch): typeof fetch => {
  let hasAnswered = false;
  return async (input, init) => {
    const { origin, pathname } = new URL(input instanceof Request ? input.url : input);
    // Without the cause: the SDK takes an error for one that may be tried again when it finds a network's below it.
    const final = (problem: string) =>
      new APICallError({
        message: variable === undefined ? problem : `${problem} Is ${variable} right?`,
        url: origin + pathname,
        requestBodyValues: {},
        isRetryable: false,
      });
    try {
      const response = await send(input, init);
      if (isPage(response)) {
        await response.body?.cancel();
        throw final(`${origin}${pathname} answers with a web page (HTTP ${response.status}), not as a model does.`);
      }
      hasAnswered = true;
      return response;
    } catch (error) {
      if (hasAnswered || !(error instanceof TypeError)) throw error;
      throw final(`${origin} cannot be reached: ${reasonOf(error)}.`);
    }
  };
};
