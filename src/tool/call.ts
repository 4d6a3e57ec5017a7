import type { CallId, ThreadId } from "../../machines/history/ids.ts";
import type { JsonObject } from "../../machines/history/json.ts";
import type { Call } from "../../machines/thread/commit.ts";
import type { Envelope } from "../../machines/thread/input.ts";
import { type EventFields, encodeAddress, eventFor, type ResultOptions, resultFor } from "./address.ts";
import type { Question, QuestionAnswer } from "./question.ts";
import type { ResultContent } from "./result.ts";

/** Delivers envelopes to threads. Resolves once durable: true for a new one, false for one that was delivered before. */
export interface Sender {
  send(envelope: Envelope): Promise<boolean>;
}

/** Where a call comes from. */
export interface AboutCall {
  readonly threadId: ThreadId;
  /** Threads from the root to this one. */
  readonly threadStack: readonly ThreadId[];
  /** The root's `metadata.user_id`, when it is a string. */
  readonly userId: string | undefined;
  readonly metadata: JsonObject;
  /** The text of the inputs that led to the call. */
  readonly message: string;
}

/** What a tool is given beside its arguments. */
export interface ToolCall extends AboutCall {
  /** Unique in the store, the same after a restart: the idempotency key of what the tool does. */
  readonly id: CallId;
  /** As the provider gave it; may be empty, may repeat. */
  readonly providerCallId: string;
  /** Aborts when nobody wants the result any more: interruption, waking early, deadline, end of a subscription, stop. */
  readonly signal: AbortSignal;
  /** Names thread and call in one opaque string, to be stored anywhere and answered from any process. */
  readonly address: string;
  /** Tells the application how far the work is; the model does not see it. Nothing is sent once `signal` aborted. */
  progress(text: string): void;
  /**
   * Asks a person, and waits for the answer: the question is durable, shown to the application, and survives a restart.
   * Several may be open at once, answered in any order. A tool with `onRestart: "again"` that begins again finds its questions
   * by their keys. Rejects with QuestionError for what cannot be asked, with the signal's reason when the call is stopped.
   * Inline tools cannot ask: the slice would wait for a person.
   */
  ask(question: Question): Promise<QuestionAnswer>;
  /** Delivers what `result` and `event` make, or any other envelope. Rejects when it was refused. */
  readonly sender: Sender;
  /** `resultFor` with this call's address. */
  result(content: ResultContent, options?: ResultOptions): Envelope;
  /** `eventFor` with this call's address. */
  event(event: EventFields): Envelope;
}

/** What a registry knows of a call when its tool is started. */
export interface CallParts {
  readonly call: Call;
  readonly about: AboutCall;
  readonly signal: AbortSignal;
  readonly sender: Sender;
  readonly progress: (text: string) => void;
  readonly ask: (question: Question) => Promise<QuestionAnswer>;
  /** A fresh id for events that have none. */
  readonly freshId: () => string;
}

/** Metadata is copied for each call, and only when it is read: what a tool changes in it stays with the tool. */
export const createToolCall = ({ call, about, signal, sender, progress, ask, freshId }: CallParts): ToolCall => {
  let metadata: JsonObject | undefined;
  let address: string | undefined;
  const addressOfCall = () => {
    address ??= encodeAddress({ threadId: about.threadId, callId: call.callId });
    return address;
  };
  return {
    id: call.callId,
    providerCallId: call.providerCallId,
    threadId: about.threadId,
    threadStack: [...about.threadStack],
    userId: about.userId,
    get metadata() {
      metadata ??= structuredClone(about.metadata);
      return metadata;
    },
    message: about.message,
    signal,
    get address() {
      return addressOfCall();
    },
    progress,
    ask,
    sender,
    result: (content, options) => resultFor(addressOfCall(), content, options),
    event: (event) => eventFor(addressOfCall(), { ...event, id: event.id ?? freshId() }),
  };
};
