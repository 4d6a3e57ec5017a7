import type { RoundOutput } from "../round/turn.ts";
import { commitOf } from "./close.ts";
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
const safePoint = ({ calls, record }: Ledger): number | null => {
  if (record.tooLong && !record.tooLong.tried) return record.tooLong.upTo;
  return calls.length > 0 ? record.turnAt : record.nextPosition;
};

const hasSomething = (ledger: Ledger): boolean => (safePoint(ledger) ?? 0) > coveredUpTo(ledger);

/**
 * Where the part begins that was asked about when the request was refused: what waited, or the turn whose results were to be
 * read. A summary of everything would be refused for its length too.
 */
const beginningOfBatch = ({ slice, record }: Ledger): number | null => {
  const [first] = slice.entries;
  return first && first.entry.kind !== "result" ? first.position : record.turnAt;
};

/** The model refused the request for its length, and there is something before it that could be summarised. */
export const isTooLong = (ledger: Ledger, { outcome, failure }: RoundOutput): boolean =>
  outcome === "failed" &&
  failure?.code === "CONTEXT_TOO_LONG" &&
  !ledger.record.tooLong?.tried &&
  ledger.keepsSummaries &&
  !ledger.stopping &&
  (beginningOfBatch(ledger) ?? 0) > coveredUpTo(ledger);

/** The batch goes into the history, and is asked about once the beginning was summarised. */
export const closeTooLong = (ledger: Ledger, { outcome, usage, model, at }: RoundOutput): Ledger =>
  commitOf(
    { ...ledger, now: at },
    {
      record: {
        ...ledger.record,
        roundDue: true,
        retry: null,
        rounds: ledger.record.rounds + 1,
        tooLong: { upTo: beginningOfBatch(ledger) ?? 0, tried: false },
      },
      facts: [{ type: "round.ended", outcome, usage, model, text: "" }],
    },
  );

const isFull = ({ record: { context, tooLong } }: Ledger): boolean => {
  if (tooLong && !tooLong.tried) return true;
  if (!context || context.window === null || context.tokens <= share * context.window) return false;
  return context.failedAt === null || context.tokens >= growth * context.failedAt;
};

/** The conversation takes more than its share of the window, or somebody asks; no text and no stop waits. */
export const compacts = (ledger: Ledger): boolean =>
  (isFull(ledger) || ledger.inbox.some(isCompact)) &&
  ledger.keepsSummaries &&
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

/** Nothing makes the request shorter: the thread rests with that. */
const leftTooLong = (ledger: Ledger, message: string, output: RoundOutput): Ledger => {
  const failure = {
    code: "CONTEXT_TOO_LONG",
    message: `The conversation is longer than this model takes, and could not be summarised: ${message} Use a model with a larger context window, or write to another thread.`,
    at: output.at,
  } as const;
  const requests = asked(ledger);
  return after(
    commitOf(
      { ...ledger, now: output.at, inbox: ledger.inbox.filter((waiting) => !isCompact(waiting)) },
      {
        consumed: requests,
        record: {
          ...ledger.record,
          roundDue: false,
          tooLong: null,
          lastFailure: failure,
          usage: sumOfUsage(ledger.record.usage, output.usage),
        },
        failure,
        facts: [{ type: "history.compacted", outcome: "failed", upTo: null, usage: output.usage, message }],
      },
    ),
  );
};

/** The summary is kept, and the history with it; or nothing changes but what is known of the failure. */
export const closeCompaction = (ledger: Ledger, output: RoundOutput): Ledger => {
  const { compaction } = ledger;
  if (!compaction || output.outcome === "cut") return failed(ledger, "given up", undefined, output.usage);
  const objection = objectionTo(output, compaction.size);
  if (objection !== null && ledger.record.tooLong) return leftTooLong(ledger, objection, output);
  if (objection !== null) return failed(ledger, "failed", objection, output.usage);
  const { upTo } = compaction;
  const { usage } = output;
  const kept = noted(
    ledger,
    {
      summary: upTo,
      context: null,
      tooLong: ledger.record.tooLong && { ...ledger.record.tooLong, tried: true },
      usage: sumOfUsage(ledger.record.usage, usage),
    },
    {
      consumed: asked(ledger),
      summary: { upTo, text: textOf(output) },
      facts: [{ type: "history.compacted", outcome: "done", upTo, usage }],
    },
  );
  return { ...after(kept), reread: true };
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
