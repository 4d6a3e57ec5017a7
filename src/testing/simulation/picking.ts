import type { CallId } from "../../../machines/history/ids.ts";
import { Envelope } from "../../../machines/thread/input.ts";
import type { Record } from "./record.ts";
import type { Addressed, Sketch } from "./step.ts";

/** What is sent, to whom, and about which call: near misses among them. `word` is said once in a story. */
export const envelopeOf = (record: Record, { thread, id, sketch }: Addressed, word: string): Envelope => {
  const threads = [...record.pages.keys()];
  const input = inputOf(record, sketch, word);
  const about = "callId" in input ? (input.callId as string) : undefined;
  const asker = "choiceId" in input ? record.questions.asked.get(input.choiceId as string)?.threadId : undefined;
  // One in seven goes to another thread than the one the call is of.
  const threadId =
    asker !== undefined && thread % 7 !== 1
      ? asker
      : about !== undefined && thread % 7 !== 1
        ? about.slice(0, about.lastIndexOf("#"))
        : threads[thread % threads.length];
  return Envelope.parse({ threadId: threadId ?? "t0", dedupId: id === null ? word : `d${id}`, input });
};

const inputOf = (record: Record, sketch: Sketch, word: string): { readonly kind: string } => {
  switch (sketch.kind) {
    case "text":
      return { kind: "text", text: word, whileBusy: sketch.waits ? "wait" : "interrupt" } as never;
    case "result": {
      const { pick, subscription, error } = sketch;
      const more = { ...(subscription && { subscription: true }), ...(error && { error: true }) };
      return {
        kind: "result",
        callId: callAt(record, pick),
        content: [{ type: "text", text: word }],
        ...more,
      } as never;
    }
    case "event": {
      const { pick, associative, final } = sketch;
      return { kind: "event", callId: callAt(record, pick), text: word, associative, final } as never;
    }
    case "progress":
      return { kind: "progress", callId: callAt(record, sketch.pick), text: word } as never;
    case "answer": {
      const { pick, choice } = sketch;
      // Who answers is said by nobody else: it tells the answers apart.
      return { kind: "answer", choiceId: questionAt(record, pick), choice, by: word } as never;
    }
    default:
      return { kind: sketch.kind };
  }
};

/** Two in three are open, where there are any. The others were answered, have ended, or never were. */
const questionAt = ({ questions }: Record, pick: number): string => {
  const every = [...questions.asked.values()];
  const open = every.filter(({ answer, closed }) => answer === null && closed === 0);
  const known = pick % 3 !== 0 && open.length > 0 ? open : every.toReversed();
  return known[(pick >> 1) % Math.max(known.length, 1)]?.choice.choiceId ?? "t0#99.0";
};

/**
 * Three in four are calls and subscriptions that live, where there are any. The others are near misses too: calls long
 * settled, one that never was.
 */
const callAt = (record: Record, pick: number): CallId => {
  const pages = [...record.pages.values()];
  const live = pages.flatMap(({ calls, subscriptions }) => [...calls.keys(), ...subscriptions]);
  const every = [...pages.flatMap(({ made }) => [...made.keys()]).reverse(), "t0#99.0" as CallId];
  const known = pick % 4 !== 0 && live.length > 0 ? live : every;
  return known[(pick >> 1) % known.length] ?? ("t0#99.0" as CallId);
};
