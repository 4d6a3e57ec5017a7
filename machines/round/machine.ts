import { assign, fromCallback, sendTo, setup } from "xstate";
import type { RoundCommand, StreamCommand, StreamEvent } from "./events.ts";
import type { Block, RoundLimits, RoundOutput } from "./turn.ts";

/** What a round is created with. `request` is passed on to the stream and not looked at. */
export interface RoundInput {
  readonly threadId: string;
  readonly request: unknown;
  readonly limits: RoundLimits;
}

/** What one try is made with. `attempt` counts from 1. */
export interface StreamInput {
  readonly request: unknown;
  readonly attempt: number;
  readonly silence: number;
}

interface RoundContext extends RoundInput {
  readonly attempt: number;
  readonly blocks: readonly Block[];
  /** ms until the next try. */
  readonly wait: number;
  /** The model of the last try. */
  readonly model: string;
  /** How the round ended; null until then. */
  readonly end: Omit<RoundOutput, "blocks" | "model"> | null;
}

type Failed = Extract<StreamEvent, { type: "stream.failed" }>;
type Ended = Pick<Extract<StreamEvent, { type: "stream.ended" }>, "outcome" | "usage" | "at" | "model">;
type Stopped = { readonly visible: string; readonly at: number; readonly model?: string };

const firstWait = 500;
const longestBackoff = 32_000;

/** The provider's wait where it named one; else 0.5 s doubled with each try, spread by the jitter over half to all of it. */
export const waitBefore = (attempt: number, { retryAfter, jitter }: Pick<Failed, "retryAfter" | "jitter">): number => {
  if (retryAfter !== undefined) return retryAfter;
  const backoff = Math.min(firstWait * 2 ** (attempt - 1), longestBackoff);
  return Math.round(backoff / 2 + (backoff / 2) * jitter);
};

const textBlock = (text: string): readonly Block[] => (text.trim() === "" ? [] : [{ type: "text", text }]);

const failureOf = ({ attempt, limits }: RoundContext, failed: Failed): NonNullable<RoundOutput["failure"]> => {
  if (!failed.retryable) return { code: "MODEL_FAILED", message: failed.message };
  const wait = waitBefore(attempt, failed);
  if (attempt < limits.tries && wait > limits.slowRetry)
    return {
      code: "MODEL_UNAVAILABLE",
      message: `${failed.message} It may be asked again at ${new Date(failed.at + wait).toISOString()}.`,
    };
  return { code: "MODEL_UNAVAILABLE", message: `${failed.message} That was try ${attempt} of ${limits.tries}.` };
};

const outputOf = ({ end, blocks, model }: RoundContext): RoundOutput => ({
  ...(end ?? { outcome: "cut", usage: null, at: 0 }),
  blocks,
  model,
});

export const roundMachine = setup({
  types: {
    context: {} as RoundContext,
    events: {} as StreamEvent | RoundCommand,
    input: {} as RoundInput,
    output: {} as RoundOutput,
  },
  actors: {
    stream: fromCallback<StreamCommand, StreamInput>(() => {
      throw new Error('The actor "stream" is not provided: run the chart with roundMachine.provide({ actors }).');
    }),
  },
  guards: {
    mayTryAgain: ({ context }, { failed }: { failed: Failed }) =>
      failed.retryable &&
      context.attempt < context.limits.tries &&
      waitBefore(context.attempt, failed) <= context.limits.slowRetry,
  },
  actions: {
    keepBlock: assign(({ context }, { block }: { block: Block }) => ({ blocks: [...context.blocks, block] })),
    /** Nothing of the try that failed survives: the same request is asked again. */
    planRetry: assign(({ context }, { failed }: { failed: Failed }) => ({
      blocks: [],
      wait: waitBefore(context.attempt, failed),
      attempt: context.attempt + 1,
      model: failed.model,
    })),
    /** Effect: tells who watches that what the try had shown is void, and when the next one begins. */
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
    endFailed: assign(({ context }, { failed }: { failed: Failed }) => ({
      blocks: [...context.blocks, ...textBlock(failed.visible)],
      model: failed.model,
      end: { outcome: "failed" as const, usage: null, at: failed.at, failure: failureOf(context, failed) },
    })),
  },
  delays: { retry: ({ context }) => context.wait },
}).createMachine({
  id: "round",
  context: ({ input }) => ({ ...input, attempt: 1, blocks: [], wait: 0, model: "", end: null }),
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
        }),
      },
      initial: "open",
      states: {
        open: {
          on: { "round.cut": { target: "stopping", actions: "stopStream" } },
        },
        stopping: {
          description: "The stream was told to stop and hands back the visible text of the block that was open.",
          on: {
            "stream.failed": {
              target: "#round.done",
              description: "A failure that crosses the cut changes nothing: what was visible is kept.",
              actions: { type: "endCut", params: ({ event }) => event },
            },
          },
        },
      },
      on: {
        "block.ended": { actions: { type: "keepBlock", params: ({ event }) => ({ block: event.block }) } },
        "stream.ended": { target: "done", actions: { type: "end", params: ({ event }) => event } },
        "stream.stopped": { target: "done", actions: { type: "endCut", params: ({ event }) => event } },
        "stream.failed": [
          {
            guard: { type: "mayTryAgain", params: ({ event }) => ({ failed: event }) },
            target: "waiting",
            actions: [
              { type: "planRetry", params: ({ event }) => ({ failed: event }) },
              { type: "announceRetry", params: ({ event }) => ({ message: event.message }) },
            ],
          },
          { target: "done", actions: { type: "endFailed", params: ({ event }) => ({ failed: event }) } },
        ],
      },
    },
    waiting: {
      description: "A short wait before the same request is asked again. Longer ones end the round.",
      after: { retry: "streaming" },
      on: {
        "round.cut": {
          target: "done",
          actions: { type: "endCut", params: ({ event }) => ({ visible: "", at: event.at }) },
        },
      },
    },
    done: { type: "final" },
  },
});
