import type { CallId } from "../../../machines/history/ids.ts";
import type { Thread } from "../../../src/system/api.ts";
import type { Sketch } from "./story.ts";

/** Where calls are found that an input can be about. */
interface Known {
  readonly threads: readonly Thread[];
  /** The latest first, also those that were settled at once. */
  readonly everyCall: readonly CallId[];
}

/** What is sent, with `name` as its words. */
export const inputOf = (known: Known, sketch: Sketch, name: string): unknown => {
  switch (sketch.kind) {
    case "text":
      return { kind: "text", text: name, whileBusy: sketch.patient ? "wait" : "interrupt" };
    case "interrupt":
      return { kind: "interrupt" };
    case "result": {
      const { pick, subscription, error } = sketch;
      const more = { ...(subscription && { subscription: true }), ...(error && { error: true }) };
      return { kind: "result", callId: callAt(known, pick), content: [{ type: "text", text: name }], ...more };
    }
    case "event":
      return { kind: "event", callId: callAt(known, sketch.pick), text: name, associative: true, final: sketch.final };
    case "timer":
      return {
        kind: "timer",
        callId: callAt(known, sketch.pick),
        purpose: sketch.deadline ? "deadline" : "wake",
        due: 0,
      };
    case "progress":
      return { kind: "progress", callId: callAt(known, sketch.pick), text: name };
  }
};

/**
 * Even picks are calls and subscriptions that live, where there are any. The others are near misses too: calls long
 * settled, calls of the other thread, one that never was.
 */
const callAt = ({ threads, everyCall }: Known, pick: number): CallId => {
  const live = threads.flatMap((thread) => {
    const { calls, subscriptions } = thread.view();
    return [...calls, ...subscriptions].map(({ callId }) => callId);
  });
  const known = pick % 2 === 0 && live.length > 0 ? live : [...everyCall, "t0#99.0" as CallId];
  return known[(pick >> 1) % known.length] ?? ("t0#99.0" as CallId);
};
