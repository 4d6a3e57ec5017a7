import { type ContentItem, textOf } from "../../../machines/history/entry.ts";
import { endedText } from "../../../machines/history/family-wording.ts";
import type { NewThread } from "../../../machines/thread/family.ts";
import type { WaitingInput } from "../../../machines/thread/input.ts";
import type { Update } from "../../thread/update.ts";
import type { CallBook } from "./calls.ts";
import type { EventPattern, eventTypes } from "./expectation-schema.ts";

/** What an observer saw, in the words of the format. Calls by our id: their names are looked up when it is compared. */
export interface SeenEvent {
  readonly thread: string;
  readonly type: (typeof eventTypes)[number];
  readonly text?: string;
  readonly callId?: string;
  readonly name?: string;
  readonly id?: string;
  /** Of a question; one that has the id of its call is named as the call is. */
  readonly choiceId?: string;
  /** Tokens in all; null: the provider did not say. */
  readonly usage?: number | null;
  readonly sourceCallId?: string;
  readonly url?: string;
  readonly viewType?: string;
}

type Seen = Omit<SeenEvent, "thread">;

/** The call under which a child is heard by its parent, and hears of it; undefined for a thread that is no child. */
export type SourceOf = (thread: string) => string | undefined;

/** Results that no input brings: inline ones and refusals. They are seen when they settle. */
const settledAtOnce: ReadonlySet<string> = new Set([
  "sync",
  "ack",
  "spawned",
  "validation",
  "unknown_tool",
  "reserved_tool",
  "not_executed",
]);

const text = (content: readonly ContentItem[]) => ({ text: textOf(content) });

const from = (source: string | undefined) => (source === undefined ? {} : { callId: source, sourceCallId: source });

/** What is seen of the inputs that a batch of `thread` brings in. */
const eventOfInput = ({ dedupId: id, input }: WaitingInput, thread: string, sourceOf: SourceOf): readonly Seen[] => {
  switch (input.kind) {
    case "text":
      return [{ type: "user_input", id, text: input.text }];
    case "event":
      return [{ type: "subscription_event", id, text: input.text, callId: input.callId, sourceCallId: input.callId }];
    case "result":
      return [{ type: "tool_result", id, callId: input.callId, ...text(input.content) }];
    case "report":
      return [{ type: "subscription_event", id, text: input.text, ...from(sourceOf(input.child)) }];
    case "ended": {
      const text = endedText(input.child, input.report);
      return [{ type: "subscription_event", id, text, ...from(sourceOf(input.child)) }];
    }
    case "message":
      return [{ type: "subscription_event", id, text: input.text, ...from(sourceOf(thread)) }];
    case "timer":
      return [{ type: "tool_result", id, callId: input.callId }];
    default:
      return [];
  }
};

/** What an observer of the format sees in one of our updates; most updates are nothing to it. */
const eventsOf = (update: Update, sourceOf: SourceOf): readonly Seen[] => {
  switch (update.type) {
    case "round.started": {
      const inputs = update.inputs.flatMap((input) => eventOfInput(input, update.threadId, sourceOf));
      return [...inputs, { type: "completion_started" }];
    }
    case "round.retried":
      return [{ type: "info", text: update.message }];
    case "round.ended": {
      const { usage } = update;
      const tokens = usage && usage.inputTokens + usage.outputTokens;
      return [{ type: "completion_finished", usage: tokens, text: update.text }];
    }
    case "history.compacted":
      return update.outcome === "done" ? [{ type: "compaction_applied" }] : [];
    case "text.delta":
      return [{ type: "text", text: update.text }];
    case "thinking.started":
      return [{ type: "thinking_started" }];
    case "thinking.delta":
      return [{ type: "thinking", text: update.text }];
    case "thinking.ended":
      return [{ type: "thinking_ended" }];
    case "call.made":
      return [{ type: "tool_call", callId: update.callId, name: update.name, text: update.display }];
    case "call.settled":
      if (!settledAtOnce.has(update.origin)) return [];
      return [{ type: "tool_result", callId: update.callId, name: update.name, ...text(update.content) }];
    case "failure":
      return [{ type: "info", text: update.message, ...(update.callId && { callId: update.callId }) }];
    case "choice.opened":
      return [{ type: "user_choice_required", callId: update.callId, text: update.prompt, choiceId: update.choiceId }];
    case "choice.closed":
      return [{ type: "user_choice_dismissed", callId: update.callId, choiceId: update.choiceId }];
    case "oauth.required":
      return [{ type: "oauth_required", callId: update.callId, url: update.url }];
    case "view.updated":
      return [{ type: "view_update", viewType: update.viewType, ...(update.callId && { callId: update.callId }) }];
    case "input.discarded":
      return [
        {
          type: "input_discarded",
          id: update.dedupId,
          text: update.reason,
          ...(update.callId && { callId: update.callId }),
        },
      ];
    default:
      return [];
  }
};

const nobody: SourceOf = () => undefined;

export const seenIn = (update: Update, sourceOf: SourceOf = nobody): readonly SeenEvent[] =>
  eventsOf(update, sourceOf).map((event) => ({ thread: update.threadId, ...event }));

/** What is seen as a thread begins: the event it was opened for. No batch brings that in. */
export const seenAtOpening = ({ threadId: thread, entries }: NewThread): readonly SeenEvent[] =>
  entries.flatMap(({ entry }) =>
    entry.kind === "event"
      ? [{ thread, type: "subscription_event", text: entry.text, ...from(entry.source.callId) }]
      : [],
  );

const idOf = ({ thread, id, callId, choiceId }: SeenEvent, calls: CallBook): string | undefined =>
  choiceId !== undefined && choiceId === callId ? calls.labelOf(thread, callId) : (choiceId ?? id);

export const matchesEvent = (pattern: EventPattern, seen: SeenEvent, calls: CallBook): boolean => {
  const { usage } = pattern;
  const tokens = typeof usage === "object" && usage !== null ? usage.total_tokens : usage;
  const same = (expected: unknown, value: unknown) => expected === undefined || expected === value;
  return (
    same(pattern.thread, seen.thread) &&
    same(pattern.type, seen.type) &&
    same(pattern.name, seen.name ?? calls.toolOf(seen.thread, seen.callId)) &&
    same(pattern.id, idOf(seen, calls)) &&
    same(tokens, seen.usage) &&
    same(pattern.call, calls.labelOf(seen.thread, seen.callId)) &&
    same(pattern.source_call, calls.labelOf(seen.thread, seen.sourceCallId)) &&
    same(pattern.url, seen.url) &&
    same(pattern.view_type, seen.viewType) &&
    (pattern.text_contains === undefined || (seen.text?.includes(pattern.text_contains) ?? false))
  );
};

const line = (parts: readonly (string | undefined)[]): string => parts.filter((part) => part).join(" ");

/** An event in one line, e.g. `t1 tool_result c1 "done"`. */
export const tellEvent = (
  { thread, type, name, callId, usage, text, url, viewType }: SeenEvent,
  calls: CallBook,
): string =>
  line([
    thread,
    type,
    name ?? calls.toolOf(thread, callId),
    calls.labelOf(thread, callId),
    url ?? viewType,
    usage === undefined ? undefined : `${usage} tokens`,
    text === undefined || text === "" ? undefined : JSON.stringify(text),
  ]);

export const tellEventPattern = ({ text_contains: text, usage, ...rest }: EventPattern): string =>
  line([
    rest.thread,
    rest.type,
    rest.name,
    rest.call ?? rest.source_call,
    rest.id,
    rest.url ?? rest.view_type,
    usage === undefined ? undefined : `${JSON.stringify(usage)} tokens`,
    text === undefined ? undefined : `"…${JSON.stringify(text).slice(1, -1)}…"`,
  ]) || "anything";
