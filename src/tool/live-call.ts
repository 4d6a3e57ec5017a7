import type { CallId, ThreadId } from "../../machines/history/ids.ts";
import type { Choice, ChoiceAnswer } from "../../machines/thread/choice.ts";
import type { Call } from "../../machines/thread/commit.ts";
import type { Envelope, ResultInput } from "../../machines/thread/input.ts";
import type { Clock } from "../clock.ts";
import { QuestionError } from "../errors.ts";
import type { Logger } from "../logger.ts";
import { createAsker } from "./asker.ts";
import { type AboutCall, createToolCall, type Sender, type ToolCall } from "./call.ts";
import { failureOf, type ToolFailed } from "./failure.ts";
import { referenceFrom } from "./fresh-id.ts";
import { createOutbox, type Outbox } from "./outbox.ts";
import { type FoundResult, letRead } from "./reading.ts";
import { errorResult, resultOf, type ToolResult } from "./result.ts";
import { safeText } from "./text.ts";
import type { Tool } from "./tool.ts";

/** A call on its way to its tool, and what the tool is told about it. */
export interface HandedCall {
  readonly call: Call;
  /** Undefined: nothing in this process has that name. */
  readonly tool: Tool | undefined;
  readonly about: AboutCall;
}

/** What the calls of one registry share. */
export interface CallEnvironment {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly sender: Sender;
  /** What a tool sends itself goes through here. */
  readonly door: Sender;
  /** In [0, 1), for references. */
  readonly random: () => number;
  readonly freshId: () => string;
  /** The process stays: it can follow a producer, and wait for a person. */
  readonly stays: boolean;
  /** A result in the view of a thread, by the id under which a model knows its call. */
  readonly findResult: (threadId: ThreadId, shown: string) => Promise<FoundResult>;
  /** A question as its thread knows it; undefined when it was not asked. */
  readonly choice: (threadId: ThreadId, choiceId: string) => Promise<Choice | undefined>;
}

/** A call whose tool works in this process. */
export interface LiveCall {
  readonly callId: CallId;
  /** Its tool only starts the work: somebody else ends the call. */
  readonly isElsewhere: boolean;
  /** The process stays: it can follow a producer. */
  readonly stays: boolean;
  readonly toolCall: ToolCall;
  readonly signal: AbortSignal;
  readonly outbox: Outbox;
  readonly logger: Logger;
  /** Aborts the signal. A second call does nothing. */
  abort(reason: string): void;
  /**
   * Sends the call's result; false when it did not reach the thread. `dedupId` is fixed by how the result came about, so
   * that a repetition is one (R2). Where the result itself is refused (it is too large), an error result that says so
   * takes its place, so that the call does not wait for ever (R9).
   */
  answer(dedupId: string, result: Omit<ResultInput, "kind" | "callId">): Promise<boolean>;
  /** A question of the call has its answer, which is durable. */
  answered(choiceId: string, choices: readonly string[], answer: ChoiceAnswer): void;
  /** What the thread is told of an error; its cause goes to the log, under the reference that the model reads. */
  failed(error: unknown): ToolFailed;
  /** Called once the registry knows that the subscription is in the history. */
  listen(): void;
  readonly listening: Promise<void>;
  /** Resolves when the signal aborts. */
  readonly stopped: Promise<void>;
  /** It confirmed a subscription that is not in the history yet. */
  readonly waitsToListen: boolean;
  /** It sent, or is sending, a result of its own. */
  readonly hasResult: boolean;
}

/** Progress that waits to be stored; more is dropped, because only the latest matters to who watches. */
const progressLimit = 100;

export const createLiveCall = ({ call, tool, about }: HandedCall, env: CallEnvironment): LiveCall => {
  const { callId, name } = call;
  const { threadId } = about;
  const { logger } = env;
  const controller = new AbortController();
  const { signal } = controller;
  const outbox = createOutbox({ ...env, signal });
  const listening = Promise.withResolvers<void>();
  const stopped = Promise.withResolvers<void>();
  let warned = false;
  let hasResult = false;
  let waitsToListen = false;
  const asker = createAsker({ threadId, callId, outbox, signal, choice: env.choice });
  const ask: ToolCall["ask"] = async (question) => {
    if (call.form === "inline")
      throw new QuestionError(`the tool ${name} runs inline, and the slice would wait for a person; use run`);
    if (!env.stays)
      throw new QuestionError(
        `the tool ${name} runs in step mode, and the process does not stay to hear the answer; use dispatch, and send a choice and then the result by hand`,
      );
    return asker.ask(question);
  };

  const progress = (text: string): void => {
    if (outbox.waiting >= progressLimit) {
      if (!warned)
        logger.warn({ threadId, callId, tool: name }, "a tool reports progress faster than it can be stored");
      warned = true;
      return;
    }
    const input = { kind: "progress" as const, callId, text: safeText(String(text)) };
    void outbox.send({ threadId, dedupId: env.freshId(), input });
  };

  return {
    callId,
    stays: env.stays,
    isElsewhere: tool?.form === "dispatch",
    signal,
    outbox,
    logger,
    listening: listening.promise,
    stopped: stopped.promise,
    toolCall: letRead(
      createToolCall({ call, about, signal, sender: env.door, progress, ask, freshId: env.freshId }),
      (shown) => env.findResult(threadId, shown),
    ),
    listen() {
      waitsToListen = false;
      listening.resolve();
    },
    abort(reason) {
      controller.abort(new DOMException(`The call was stopped: ${reason}.`, "AbortError"));
      stopped.resolve();
    },
    get hasResult() {
      return hasResult;
    },
    get waitsToListen() {
      return waitsToListen;
    },
    answered: asker.answered,
    async answer(dedupId, result) {
      hasResult = true;
      waitsToListen = result.subscription === true;
      const envelopeOf = (fields: typeof result): Envelope => ({
        threadId,
        dedupId,
        input: { kind: "result", callId, ...fields },
      });
      const sent = await outbox.send(envelopeOf(result));
      if (sent.status !== "refused") return sent.status !== "stopped";
      const instead = errorResult(`The tool has a result that was not accepted: ${sent.reason}`);
      await outbox.send(envelopeOf({ ...instead, origin: "tool" }));
      return false;
    },
    failed(error) {
      const failed = failureOf(error, referenceFrom(env.random));
      if (failed.failure)
        logger.error({ threadId, callId, tool: name, ...failed.failure, stack: stackOf(error) }, "a tool failed");
      return failed;
    },
  };
};

/** Reading an error may fail: its fields can be getters, or the value a revoked proxy. */
const stackOf = (error: unknown): string | undefined => {
  try {
    return error instanceof Error ? error.stack : undefined;
  } catch {
    return undefined;
  }
};

/** What became of a tool's function. */
export type Settled =
  | { readonly threw: false; readonly value: unknown }
  | { readonly threw: true; readonly error: unknown };

/** Starts the work now, and waits for it. Never rejects; never resolves when the work never ends. */
export const settled = async (work: () => unknown): Promise<Settled> => {
  try {
    return { threw: false, value: await work() };
  } catch (error) {
    return { threw: true, error };
  }
};

/** What a settled function says to the model. An error that is returned counts like one that is thrown. */
export const outcomeOf = (live: LiveCall, outcome: Settled): ToolResult | ToolFailed => {
  if (outcome.threw) return live.failed(outcome.error);
  return outcome.value instanceof Error ? live.failed(outcome.value) : resultOf(outcome.value);
};

/** The arguments for the tool's function, parsed again from what is stored; or why the tool cannot take the call. */
export const prepared = ({
  call,
  tool,
}: HandedCall):
  | { readonly ok: true; readonly tool: Tool; readonly args: unknown }
  | { readonly ok: false; readonly result: ToolResult & { readonly error: true } } => {
  if (!tool)
    return { ok: false, result: errorResult(`NOT executed: there is no tool ${JSON.stringify(call.name)} any more.`) };
  const parsed = tool.parse(call.args);
  if (parsed.ok) return { ok: true, tool, args: parsed.args };
  const text = `NOT executed: the tool ${tool.name} does not take these arguments any more.\n${parsed.problem}`;
  return { ok: false, result: errorResult(text) };
};
