import { assign, fromCallback, sendTo, setup } from "xstate";
import type { BrokenTry, RoundCommand, StreamCommand, StreamEvent } from "./events.ts";
import { failureOf, mayRefuseEventCalls } from "./refusal.ts";
import { isPostponed, postponedAfter, triesAgain, waitBefore } from "./retry.ts";
import type { Block, RoundLimits, RoundOutput } from "./turn.ts";

/** What a round is created with. `request` is passed on to the stream and not looked at. */
export interface RoundInput {
  readonly threadId: string;
  readonly request: unknown;
  readonly limits: RoundLimits;
  /** The number of the first try. Default 1; above that when rounds before were postponed. */
  readonly attempt?: number;
}

/**
 * What one try is made with. `attempt` counts from 1; `silence`: ms without a sign until the try has stalled. `eventsAs`:
 * how events look to the model from now on, whatever the request says; unset when that is as it was.
 */
export interface StreamInput {
  readonly request: unknown;
  readonly attempt: number;
  readonly silence: number;
  readonly eventsAs?: "text";
}

export interface RoundContext extends RoundInput {
  /** The try that is under way or waited for. */
  readonly attempt: number;
  /** Whole blocks of this try; those of earlier tries are gone. */
  readonly blocks: readonly Block[];
  /** Set once the provider refused the request with its events as calls. */
  readonly eventsAs: "text" | null;
  /** ms until the next try. */
  readonly wait: number;
  /** The model of the last try. */
  readonly model: string;
  /** How the round ended; null until then. */
  readonly end: Omit<RoundOutput, "blocks" | "model"> | null;
}

type Ended = Pick<Extract<StreamEvent, { type: "stream.ended" }>, "outcome" | "usage" | "at" | "model">;
type Stopped = { readonly visible: string; readonly at: number; readonly model?: string };

const textBlock = (text: string): readonly Block[] => (text.trim() === "" ? [] : [{ type: "text", text }]);

const outputOf = ({ end, blocks, model }: RoundContext): RoundOutput => ({
  ...(end ?? { outcome: "cut", usage: null, at: 0 }),
  blocks,
  model,
});

/**
 * One request to a model, tried until it is answered, cut or given up. It ends in exactly one output and never in an
 * error. `stream` and `announceRetry` are effects that the runtime provides.
 */
export const roundMachine = setup({
  types: {
    context: {} as RoundContext,
    events: {} as StreamEvent | RoundCommand,
    input: {} as RoundInput,
    output: {} as RoundOutput,
  },
  actors: {
    /** Effect: one try. Sends whole blocks and then one end, also when it is told to stop. */
    stream: fromCallback<StreamCommand, StreamInput>(() => {
      throw new Error('The actor "stream" is not provided: run the chart with roundMachine.provide({ actors }).');
    }),
  },
  guards: {
    mayTryAgain: ({ context }, { broken }: { broken: BrokenTry }) =>
      triesAgain(context.attempt, broken, context.limits),
    mayRefuseEventCalls: ({ context }, { broken }: { broken: BrokenTry }) =>
      mayRefuseEventCalls(broken, context.eventsAs),
    /** The provider is to be left alone for longer than a round lasts. */
    isPostponed: ({ context }, { broken }: { broken: BrokenTry }) =>
      isPostponed(context.attempt, broken, context.limits),
    isTruncated: (_, { outcome }: { outcome: Ended["outcome"] }) => outcome === "truncated",
    isFiltered: (_, { outcome }: { outcome: Ended["outcome"] }) => outcome === "filtered",
  },
  actions: {
    keepBlock: assign(({ context }, { block }: { block: Block }) => ({ blocks: [...context.blocks, block] })),
    /** Nothing of the try that broke survives: the same request is asked again. */
    planRetry: assign(({ context }, { broken }: { broken: BrokenTry }) => ({
      blocks: [],
      wait: waitBefore(context.attempt, broken),
      attempt: context.attempt + 1,
      model: broken.model,
    })),
    /** The same request in other words, at once. It counts as the same try: the provider was there. */
    showEventsAsText: assign((_, { broken }: { broken: BrokenTry }) => ({
      blocks: [],
      wait: 0,
      eventsAs: "text" as const,
      model: broken.model,
    })),
    /** Effect: tells who watches that what the try had shown is void. `attempt` and `wait` speak of the next one. */
    announceRetry: (_, _params: { message: string }) => {
      throw new Error(
        'The action "announceRetry" is not provided: run the chart with roundMachine.provide({ actions }).',
      );
    },
    stopStream: sendTo("stream", { type: "stream.stop" }),
    end: assign((_, { outcome, usage, at, model }: Ended) => ({ model, end: { outcome, usage, at } })),
    endCut: assign(({ context }, { visible, at, model = context.model }: Stopped) => ({
      blocks: [...context.blocks, ...textBlock(visible)],
      model,
      end: { outcome: "cut" as const, usage: null, at },
    })),
    endPostponed: assign(({ context }, { broken }: { broken: BrokenTry }) => ({
      blocks: [],
      model: broken.model,
      end: {
        outcome: "postponed" as const,
        usage: null,
        at: broken.at,
        ...postponedAfter(context.attempt, broken),
      },
    })),
    endFailed: assign(({ context }, { broken }: { broken: BrokenTry }) => ({
      blocks: [...context.blocks, ...textBlock(broken.visible)],
      model: broken.model,
      end: {
        outcome: "failed" as const,
        usage: null,
        at: broken.at,
        failure: failureOf(context.attempt, broken, context.limits),
      },
    })),
  },
  delays: {
    /** What the provider asked for, or the backoff; on the clock of the actor system. */
    retry: ({ context }) => context.wait,
  },
}).createMachine({
  id: "round",
  context: ({ input }) => ({
    ...input,
    attempt: input.attempt ?? 1,
    eventsAs: null,
    blocks: [],
    wait: 0,
    model: "",
    end: null,
  }),
  initial: "streaming",
  output: ({ context }) => outputOf(context),
  states: {
    streaming: {
      description: "A request is open. Nothing of its turn is acted on before its end mark.",
      invoke: {
        id: "stream",
        src: "stream",
        input: ({ context }) => ({
          request: context.request,
          attempt: context.attempt,
          silence: context.limits.silence,
          ...(context.eventsAs && { eventsAs: context.eventsAs }),
        }),
      },
      initial: "open",
      on: {
        "block.ended": { actions: { type: "keepBlock", params: ({ event }) => ({ block: event.block }) } },
        "stream.ended": [
          {
            guard: { type: "isTruncated", params: ({ event }) => event },
            target: "truncated",
            actions: { type: "end", params: ({ event }) => event },
          },
          {
            guard: { type: "isFiltered", params: ({ event }) => event },
            target: "filtered",
            actions: { type: "end", params: ({ event }) => event },
          },
          { target: "finished", actions: { type: "end", params: ({ event }) => event } },
        ],
      },
      states: {
        open: {
          description: "Blocks come in, each once it is whole.",
          on: {
            "round.cut": { target: "stopping", actions: "stopStream" },
            "stream.failed": [
              {
                guard: { type: "mayRefuseEventCalls", params: ({ event }) => ({ broken: event }) },
                target: "#round.streaming",
                description: "Some models refuse calls that they did not sign: they read events as text.",
                actions: [
                  { type: "showEventsAsText", params: ({ event }) => ({ broken: event }) },
                  { type: "announceRetry", params: ({ event }) => event },
                ],
              },
              {
                guard: { type: "mayTryAgain", params: ({ event }) => ({ broken: event }) },
                target: "#round.waiting",
                actions: [
                  { type: "planRetry", params: ({ event }) => ({ broken: event }) },
                  { type: "announceRetry", params: ({ event }) => event },
                ],
              },
              {
                guard: { type: "isPostponed", params: ({ event }) => ({ broken: event }) },
                target: "#round.postponed",
                actions: { type: "endPostponed", params: ({ event }) => ({ broken: event }) },
              },
              { target: "#round.failed", actions: { type: "endFailed", params: ({ event }) => ({ broken: event }) } },
            ],
            "stream.dropped": [
              {
                guard: { type: "mayTryAgain", params: ({ event }) => ({ broken: event }) },
                target: "#round.waiting",
                actions: [
                  { type: "planRetry", params: ({ event }) => ({ broken: event }) },
                  { type: "announceRetry", params: ({ event }) => event },
                ],
              },
              {
                guard: { type: "isPostponed", params: ({ event }) => ({ broken: event }) },
                target: "#round.postponed",
                actions: { type: "endPostponed", params: ({ event }) => ({ broken: event }) },
              },
              { target: "#round.failed", actions: { type: "endFailed", params: ({ event }) => ({ broken: event }) } },
            ],
            "stream.stalled": [
              {
                guard: { type: "mayTryAgain", params: ({ event }) => ({ broken: event }) },
                target: "#round.waiting",
                actions: [
                  { type: "planRetry", params: ({ event }) => ({ broken: event }) },
                  { type: "announceRetry", params: ({ event }) => event },
                ],
              },
              {
                guard: { type: "isPostponed", params: ({ event }) => ({ broken: event }) },
                target: "#round.postponed",
                actions: { type: "endPostponed", params: ({ event }) => ({ broken: event }) },
              },
              { target: "#round.failed", actions: { type: "endFailed", params: ({ event }) => ({ broken: event }) } },
            ],
          },
        },
        stopping: {
          description: "The stream was told to stop; it lives until it has handed back what is kept.",
          on: {
            "stream.stopped": { target: "#round.cut", actions: { type: "endCut", params: ({ event }) => event } },
            "stream.failed": {
              target: "#round.cut",
              description: "A failure that crosses the cut changes nothing: what was visible is kept.",
              actions: { type: "endCut", params: ({ event }) => event },
            },
            "stream.dropped": { target: "#round.cut", actions: { type: "endCut", params: ({ event }) => event } },
            "stream.stalled": { target: "#round.cut", actions: { type: "endCut", params: ({ event }) => event } },
          },
        },
      },
    },
    waiting: {
      description: "A short wait before the same request is asked again. Longer ones end the round.",
      after: { retry: "streaming" },
      on: {
        "round.cut": {
          target: "cut",
          description: "Between two tries nothing is kept.",
          actions: { type: "endCut", params: ({ event }) => ({ visible: "", at: event.at }) },
        },
      },
    },
    finished: { type: "final", description: "The model ended its turn, perhaps with nothing in it." },
    truncated: { type: "final", description: "The provider ended the turn at the model's output limit." },
    filtered: { type: "final", description: "The provider's filter ended the turn." },
    cut: { type: "final", description: "An input interrupted the turn; what was complete or visible is kept." },
    postponed: {
      type: "final",
      description: "The wait before the next try is too long to sit out: nothing is kept, the thread rests meanwhile.",
    },
    failed: { type: "final", description: "The error was fatal, or the tries ran out." },
  },
});
