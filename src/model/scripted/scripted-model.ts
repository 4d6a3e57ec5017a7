import type { LanguageModelV4, LanguageModelV4CallOptions } from "@ai-sdk/provider";
import type { ScriptedAnswer } from "./answer.ts";
import { ScriptError } from "./failure.ts";
import { generateFrom } from "./generate.ts";
import { Exchange, type ScriptedRequest } from "./request.ts";
import { refusalsOf, type StrictOptions } from "./strict.ts";

/** Answers one request; `undefined` leaves it open, to be answered by hand. What it throws, `doStream` rejects with. */
export type ScriptedReply = (
  request: ScriptedRequest,
) => ScriptedAnswer | undefined | Promise<ScriptedAnswer | undefined>;

/** The answers in order, or what answers every request. A list that is used up refuses with ScriptError. */
export type Script = ScriptedReply | readonly (ScriptedAnswer | ScriptedReply)[];

export interface ScriptedOptions {
  /** Refuses what real providers refuse, with an APICallError (400) that names each fault and its place. Default false. */
  readonly strict?: boolean | StrictOptions | undefined;
  /** Calls carry a signature. Default: when `strict` asks for signatures. */
  readonly signsCalls?: boolean | undefined;
  /** Default `delta`, as Anthropic's provider does it: on an empty delta before the end of the block. */
  readonly signatureOn?: "delta" | "end" | undefined;
  /** How many of the last requests `requests` holds. Default: all; what they hold stays in memory. */
  readonly keep?: number | undefined;
  /** Default `scripted`. */
  readonly provider?: string | undefined;
  /** Default `test`. */
  readonly modelId?: string | undefined;
}

export interface ScriptedModel extends LanguageModelV4 {
  /** All requests so far, oldest first, refused ones included. */
  readonly requests: readonly ScriptedRequest[];
  /** How many requests there were, whatever `keep` says. */
  readonly requestCount: number;
  /** Those that wait for an answer, oldest first. */
  readonly openRequests: readonly ScriptedRequest[];
  /** The oldest request that waits for a hand and that `next` has not returned before; resolves when there is one. */
  next(): Promise<ScriptedRequest>;
}

/** Hands open requests to whoever asks for the next, each once. */
const createHands = () => {
  const unclaimed: ScriptedRequest[] = [];
  const waiting: ((request: ScriptedRequest) => void)[] = [];
  return {
    offer: (request: ScriptedRequest): void => {
      const hand = waiting.shift();
      if (hand) hand(request);
      else unclaimed.push(request);
    },
    next: (): Promise<ScriptedRequest> => {
      for (let request = unclaimed.shift(); request; request = unclaimed.shift())
        if (request.open) return Promise.resolve(request);
      const { promise, resolve } = Promise.withResolvers<ScriptedRequest>();
      waiting.push(resolve);
      return promise;
    },
  };
};

/** The reply to the n-th request. Without a script every request is left to a hand. */
const replyOf = (script: Script | undefined, ordinal: number): ScriptedReply => {
  if (script === undefined) return () => undefined;
  if (typeof script === "function") return script;
  const entry = script[ordinal - 1];
  if (typeof entry === "function") return entry;
  if (entry !== undefined) return () => entry;
  return () => {
    throw new ScriptError(`The script has ${script.length} answers and this is request ${ordinal}. Add an answer.`);
  };
};

/**
 * A language model that says what it is told: a script given up front, or answers given by hand through `next()` and
 * `openRequests`, or both (a reply that returns `undefined`). It uses no timers: what it has to say is there at once.
 */
export function scriptedModel(script?: Script, options?: ScriptedOptions): ScriptedModel;
export function scriptedModel(options: ScriptedOptions & { readonly script?: Script | undefined }): ScriptedModel;
export function scriptedModel(
  first?: Script | (ScriptedOptions & { readonly script?: Script | undefined }),
  second: ScriptedOptions = {},
): ScriptedModel {
  const scriptFirst = first === undefined || typeof first === "function" || isList(first);
  const script = scriptFirst ? first : first.script;
  const options = scriptFirst ? second : first;
  const { provider = "scripted", modelId = "test", keep = Number.POSITIVE_INFINITY, signatureOn = "delta" } = options;
  const strict = options.strict === true ? {} : options.strict || undefined;
  const signsCalls = options.signsCalls ?? strict?.signatures ?? false;
  const requests: Exchange[] = [];
  const open = new Set<Exchange>();
  const hands = createHands();
  let count = 0;

  const leaveOpen = (request: Exchange): void => {
    if (request.open) hands.offer(request);
  };

  const respond = (request: Exchange): void => {
    try {
      const reply = replyOf(script, request.ordinal)(request);
      if (reply instanceof Promise)
        reply
          .then((answer) => (answer === undefined ? leaveOpen(request) : void request.answer(answer)))
          .catch((error) => request.fail(error));
      else if (reply === undefined) leaveOpen(request);
      else request.answer(reply);
    } catch (error) {
      request.fail(error);
    }
  };

  const doStream: LanguageModelV4["doStream"] = (asked: LanguageModelV4CallOptions) => {
    const refusals = strict ? refusalsOf(asked.prompt, { ...strict, tools: asked.tools }) : [];
    const writer = { ordinal: ++count, modelId, signsCalls, signatureOn };
    const request = new Exchange(asked, refusals, writer, (ended) => open.delete(ended));
    if (keep > 0) requests.push(request);
    if (requests.length > keep) requests.shift();
    if (request.open) {
      open.add(request);
      respond(request);
    }
    return request.response;
  };

  return {
    specificationVersion: "v4",
    provider,
    modelId,
    supportedUrls: {},
    requests,
    get requestCount() {
      return count;
    },
    get openRequests() {
      return [...open];
    },
    next: hands.next,
    doStream,
    doGenerate: async (asked) => generateFrom((await doStream(asked)).stream),
  };
}

/** `Array.isArray` does not narrow a readonly array. */
const isList = (value: object): value is readonly (ScriptedAnswer | ScriptedReply)[] => Array.isArray(value);
