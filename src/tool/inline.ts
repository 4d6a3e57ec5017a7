import { type Interrupter, interruptedText } from "../../machines/history/wording.ts";
import type { InlineResult } from "../../machines/thread/close.ts";
import type { Clock } from "../clock.ts";
import type { ToolFailed } from "./failure.ts";
import { type HandedCall, type LiveCall, outcomeOf, prepared, type Settled, settled } from "./live-call.ts";
import { errorResult, type ToolResult, textItem } from "./result.ts";

export interface InlineOptions {
  /** ms a tool may take. A tool's own deadline counts where it is shorter. */
  readonly limit: number;
  /** Aborts when an input interrupts the slice. */
  readonly cut: AbortSignal;
  /** ms that a tool which was told to stop may still take. Default 1,000. */
  readonly grace?: number;
}

interface InlineParts extends InlineOptions {
  readonly clock: Clock;
  /** Called once for each call, with the ms it took. */
  readonly took: (name: string, ms: number) => void;
}

const seconds = (ms: number): string => `${ms / 1000} s`;

const inlineResult = ({ callId }: LiveCall, outcome: ToolResult | ToolFailed): InlineResult => {
  const origin = "origin" in outcome && outcome.origin === "http_error" ? "http_error" : "sync";
  return { callId, ...outcome, origin };
};

/** A tool that returns nothing has forgotten something: the model would wait for an answer that says nothing. */
const finished = (live: LiveCall, outcome: Settled): InlineResult => {
  const isNothing = !outcome.threw && outcome.value === undefined;
  return inlineResult(live, isNothing ? errorResult("The tool returned nothing.") : outcomeOf(live, outcome));
};

const isInterrupter = (reason: unknown): reason is Interrupter =>
  reason === "text" || reason === "control" || reason === "stop";

/** `cut` says by its reason what interrupted. */
const interrupted = ({ callId }: LiveCall, { reason }: AbortSignal): InlineResult => ({
  callId,
  origin: "interrupted",
  content: interruptedText(isInterrupter(reason) ? reason : "text"),
});

/** What a tool threw may be unreadable; its call has a result all the same. */
const told = (live: LiveCall, result: () => InlineResult): InlineResult => {
  try {
    return result();
  } catch {
    return inlineResult(live, errorResult("The tool failed in a way that cannot be told."));
  }
};

const neverBegun = ({ callId }: LiveCall): InlineResult => ({
  callId,
  origin: "interrupted",
  content: [textItem("Interrupted before it began: NOT executed.")],
});

/**
 * Runs one inline call to its result. Never rejects, and never takes longer than limit and grace together: what comes
 * after that goes nowhere. What the tool returns after it was told to stop still counts; what it throws then is the
 * stopping.
 */
export const runInlineCall = (handed: HandedCall, live: LiveCall, parts: InlineParts): Promise<InlineResult> => {
  const { clock, limit, cut, grace = 1_000, took } = parts;
  if (cut.aborted || live.signal.aborted) return Promise.resolve(neverBegun(live));
  const ready = prepared(handed);
  if (!ready.ok) return Promise.resolve(inlineResult(live, ready.result));
  const { tool, args } = ready;
  if (tool.form !== "inline")
    return Promise.resolve(
      inlineResult(live, errorResult(`NOT executed: the tool ${tool.name} does not run inline any more.`)),
    );

  const began = clock.now();
  const most = Math.min(limit, tool.deadline ?? limit);
  return new Promise((resolve) => {
    let timer: unknown;
    let isOver = false;
    const end = (result: () => InlineResult) => {
      if (isOver) return;
      isOver = true;
      clock.clearTimeout(timer);
      cut.removeEventListener("abort", onCut);
      live.signal.removeEventListener("abort", onAbort);
      took(tool.name, clock.now() - began);
      resolve(told(live, result));
    };
    const onCut = () => live.abort("interrupted");
    const onAbort = () => {
      clock.clearTimeout(timer);
      timer = clock.setTimeout(() => end(() => interrupted(live, cut)), grace);
    };
    const onLimit = () => {
      end(() =>
        inlineResult(
          live,
          errorResult(`The tool took longer than ${seconds(most)} and was stopped. It may have taken effect.`),
        ),
      );
      live.abort("it took too long");
    };
    cut.addEventListener("abort", onCut);
    live.signal.addEventListener("abort", onAbort);
    timer = clock.setTimeout(onLimit, most);
    void settled(() => tool.inline(args, live.toolCall)).then((outcome) =>
      end(() => (outcome.threw && live.signal.aborted ? interrupted(live, cut) : finished(live, outcome))),
    );
  });
};
