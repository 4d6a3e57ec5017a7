import type { CallId, ThreadId } from "../../../machines/history/ids.ts";
import type { Grove } from "./grove.ts";
import type { Sketch } from "./tree-story.ts";

/** Every call that a turn of these threads has, the latest last. */
const everyCall = (tree: Grove): readonly CallId[] =>
  tree.threads.flatMap((threadId) =>
    tree
      .fold(threadId)
      .stored.history.flatMap(({ entry }) =>
        entry.kind === "turn" ? entry.parts.flatMap((part) => (part.type === "call" ? [part.callId] : [])) : [],
      ),
  );

/** Mostly one of `own`, where there is one; else one of another thread, one long settled, one that never was. */
const callAt = (tree: Grove, own: readonly CallId[], pick: number): CallId => {
  const known = pick % 6 > 0 && own.length > 0 ? own : [...everyCall(tree), "t1#99.0" as CallId];
  return known[Math.floor(pick / 6) % known.length] as CallId;
};

/** What is sent to the thread, with `words` in it that nobody says again. `watches`: whether events follow that call. */
export const inputOf = (
  tree: Grove,
  threadId: ThreadId,
  sketch: Exclude<Sketch, { kind: "redelivered" }>,
  words: string,
  watches: (call: { readonly name: string; readonly providerCallId: string }) => boolean,
): object => {
  const { stored, opening } = tree.fold(threadId);
  switch (sketch.kind) {
    case "text":
      return { kind: "text", text: words, whileBusy: sketch.patient ? "wait" : "interrupt" };
    case "result": {
      const own = stored.calls.map(({ callId }) => callId);
      const callId = callAt(tree, own, sketch.pick);
      const opens = stored.calls.some((call) => call.callId === callId && watches(call));
      return {
        kind: "result",
        callId,
        content: [{ type: "text", text: words }],
        ...(opens && { subscription: true }),
      };
    }
    case "event": {
      const { pick, associative, final } = sketch;
      const own = [...stored.subscriptions, ...stored.calls.filter(watches)].map(({ callId }) => callId);
      return { kind: "event", callId: callAt(tree, own, pick), text: words, associative, final };
    }
    case "forged": {
      const other = tree.threads[sketch.pick % tree.threads.length] as ThreadId;
      const child = tree.childrenOf(threadId).includes(other) ? "nobody" : other;
      const parent = opening?.parent === other ? "nobody" : other;
      if (sketch.as === "message") return { kind: "message", parent, text: words };
      return { kind: sketch.as, child, text: words, report: words };
    }
    case "linger":
      return { kind: "linger", due: (stored.record.linger ?? 0) - (sketch.early ? 1 : 0) };
    default:
      return { kind: sketch.kind };
  }
};
