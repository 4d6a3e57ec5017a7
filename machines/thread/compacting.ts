import type { RoundOutput } from "../round/turn.ts";
import { bringsInterruption } from "./decide.ts";
import { isCompact, type Ledger, summaryOf } from "./ledger.ts";
import { noted } from "./noted.ts";
import { sumOfUsage } from "./turn.ts";

/** The share of its model's window above which a conversation is summarised by itself. */
const share = 0.75;
/** How much a conversation has to grow after a summary failed before the next is tried. */
const growth = 1.05;

/** Where the part that no summary covers begins. */
const coveredUpTo = (ledger: Ledger): number => summaryOf(ledger)?.upTo ?? 0;

/**
 * Up to where a summary may go: never inside a turn with its results, and before a turn of which calls are outstanding.
 * Null where that turn is not known.
 */
const safePoint = ({ calls, record }: Ledger): number | null =>
  calls.length > 0 ? record.turnAt : record.nextPosition;

const hasSomething = (ledger: Ledger): boolean => (safePoint(ledger) ?? 0) > coveredUpTo(ledger);

const isFull = ({ record: { context } }: Ledger): boolean => {
  if (!context || context.window === null || context.tokens <= share * context.window) return false;
  return context.failedAt === null || context.tokens >= growth * context.failedAt;
};

/** The conversation takes more than its share of the window, or somebody asks; no text and no stop waits. */
export const compacts = (ledger: Ledger): boolean =>
  (isFull(ledger) || ledger.inbox.some(isCompact)) &&
  hasSomething(ledger) &&
  !ledger.record.closing &&
  !ledger.record.halted &&
  !bringsInterruption(ledger.inbox);

/** Somebody asks, and there is nothing that could be summarised. A text that waits comes first, and is something then. */
export const compactsNothing = (ledger: Ledger): boolean =>
  ledger.inbox.some(isCompact) && !compacts(ledger) && !bringsInterruption(ledger.inbox);

export const beginCompaction = (ledger: Ledger): Ledger => ({
  ...ledger,
  compaction: { upTo: safePoint(ledger) ?? 0, byHand: ledger.inbox.some(isCompact), size: 0 },
});

const textOf = ({ blocks }: RoundOutput): string =>
  blocks
    .flatMap((block) => (block.type === "text" ? [block.text] : []))
    .join("")
    .trim();

/** Why what came is no summary; null when it is one. */
const objectionTo = (output: RoundOutput, size: number): string | null => {
  if (output.outcome === "failed" || output.outcome === "postponed")
    return output.failure?.message ?? "The model did not answer.";
  if (output.outcome !== "finished") return `The turn of the model was ${output.outcome}.`;
  if (output.blocks.some(({ type }) => type === "call")) return "The model called a tool instead of summarising.";
  const text = textOf(output);
  if (text === "") return "The summary was empty.";
  return text.length >= size ? "The summary was no shorter than what it stands for." : null;
};

const asked = ({ inbox }: Ledger): readonly number[] => inbox.filter(isCompact).map(({ seq }) => seq);

const after = (ledger: Ledger): Ledger => ({ ...ledger, compaction: null });

const failed = (
  ledger: Ledger,
  outcome: "failed" | "given up",
  message?: string,
  usage = null as RoundOutput["usage"],
) => {
  const { context } = ledger.record;
  return after(
    noted(
      ledger,
      { context: context && { ...context, failedAt: context.tokens }, usage: sumOfUsage(ledger.record.usage, usage) },
      {
        consumed: asked(ledger),
        facts: [{ type: "history.compacted", outcome, upTo: null, usage, ...(message !== undefined && { message }) }],
      },
    ),
  );
};

/** The summary is kept, and the history with it; or nothing changes but what is known of the failure. */
export const closeCompaction = (ledger: Ledger, output: RoundOutput): Ledger => {
  const { compaction } = ledger;
  if (!compaction || output.outcome === "cut") return failed(ledger, "given up", undefined, output.usage);
  const objection = objectionTo(output, compaction.size);
  if (objection !== null) return failed(ledger, "failed", objection, output.usage);
  const { upTo } = compaction;
  const { usage } = output;
  const kept = noted(
    ledger,
    { summary: upTo, context: null, usage: sumOfUsage(ledger.record.usage, usage) },
    {
      consumed: asked(ledger),
      summary: { upTo, text: textOf(output) },
      facts: [{ type: "history.compacted", outcome: "done", upTo, usage }],
    },
  );
  // What is in memory begins before the summary: it is read anew.
  return { ...after(kept), configured: false };
};

/** An input came before the request went out. */
export const giveUpCompaction = (ledger: Ledger): Ledger => failed(ledger, "given up");

/** Nothing is there that could be summarised. */
export const dropCompact = (ledger: Ledger): Ledger =>
  noted(
    ledger,
    {},
    { consumed: asked(ledger), facts: [{ type: "history.compacted", outcome: "nothing", upTo: null, usage: null }] },
  );
