import type { CallPart, PlacedEntry, ResultEntry, TurnPart } from "../history/entry.ts";
import { callIdOf } from "../history/ids.ts";
import type { Json } from "../history/json.ts";
import { displayForm, notExecutedText } from "../history/wording.ts";
import type { Block, Failure, RoundOutput, Usage } from "../round/turn.ts";
import { type Asked, actsOf, spawnedChildren } from "./acts.ts";
import { approvalChoices, type Choice, deny } from "./choice.ts";
import type { Call, Subscription, ThreadRecord, Timer } from "./commit.ts";
import { bringsInterruption } from "./decide.ts";
import type { Child, NewThread } from "./family.ts";
import type { Envelope } from "./input.ts";
import type { Ledger } from "./ledger.ts";
import { resultEntryOf } from "./settle.ts";

type CallBlock = Extract<Block, { type: "call" }>;

/** What the thread makes of a round: entries, calls that stay outstanding, and how the record goes on. */
export interface ClosedTurn {
  readonly entries: readonly PlacedEntry[];
  readonly made: readonly Call[];
  /** The calls of the turn, also those that are settled already, but for unknown and reserved tools. */
  readonly shown: readonly CallPart[];
  readonly timers: readonly Timer[];
  /** What calls of the turn ask before they are made. */
  readonly asked: readonly Choice[];
  readonly record: ThreadRecord;
  readonly failure: Failure | null;
  readonly text: string;
  /** What the built-in tools of the turn did. */
  readonly threads: readonly NewThread[];
  readonly children: readonly Child[];
  readonly sent: readonly Envelope[];
  readonly cancelled: readonly Subscription[];
}

/** Blank text is never stored (R5); reasoning at the end of a turn that did not finish is dropped with what it led to. */
const keptBlocks = ({ outcome, blocks }: RoundOutput): readonly Block[] => {
  const kept = blocks.filter((block) => {
    if (block.type === "text") return block.text.trim() !== "";
    // Reasoning without text can still carry what a provider wants back, e.g. thinking that it hides.
    return block.type !== "reasoning" || (block.keep && (block.text !== "" || block.providerMetadata !== undefined));
  });
  if (outcome !== "cut" && outcome !== "failed") return kept;
  const last = kept.findLastIndex(({ type }) => type !== "reasoning");
  return kept.slice(0, last + 1);
};

/**
 * How often the same non-passive call was made in a row, this turn included; passive calls do not count. `most`: the
 * longest row that reaches into this turn.
 */
const countRepeats = (before: ThreadRecord["repeated"], calls: readonly CallBlock[]) => {
  let repeated = before;
  let most = 0;
  for (const { name, args, raw, verdict } of calls) {
    if (verdict.as === "accepted" && verdict.passive) continue;
    const call = JSON.stringify([name, raw ?? args]);
    repeated = repeated?.call === call ? { call, times: repeated.times + 1 } : { call, times: 1 };
    most = Math.max(most, repeated.times);
  }
  return { repeated, most };
};

const failureOf = (ledger: Ledger, output: RoundOutput, calls: number, repeats: number): Failure | null => {
  const { outcome, at } = output;
  const { equalCalls } = ledger.limits;
  if (outcome === "failed" || outcome === "postponed") {
    const { code, message } = output.failure ?? { code: "MODEL_FAILED", message: "The model did not answer." };
    return { code, message, at };
  }
  if (outcome === "filtered")
    return { code: "TURN_FILTERED", message: "The provider's filter ended the turn before the model did.", at };
  if (outcome === "truncated" && calls === 0)
    return { code: "TURN_TRUNCATED", message: "The turn reached the model's output limit before it ended.", at };
  if (outcome === "finished" && repeats > equalCalls)
    return {
      code: "REPEATED_CALL",
      message: `The model made the same call ${repeats} times in a row; ${equalCalls} are allowed. Write to the thread to go on.`,
      at,
    };
  return null;
};

/** Why every call of the turn is settled unexecuted (R7: no tool sees a call of a turn that did not finish). */
const blanketResult = (ledger: Ledger, output: RoundOutput, failure: Failure | null) => {
  if (output.outcome === "cut") {
    const why = ledger.stopping && !bringsInterruption(ledger.inbox) ? "stopped" : "interrupted";
    return { origin: "interrupted" as const, content: notExecutedText(why) };
  }
  if (output.outcome === "postponed") return null;
  const reason = failure?.code === "REPEATED_CALL" ? "repeated" : output.outcome === "finished" ? null : output.outcome;
  return reason && { origin: "not_executed" as const, error: true as const, content: notExecutedText(reason) };
};

/**
 * Turns the blocks of a round into a turn with its places: the turn at the next position, then one place for the result
 * of each call. Refused calls settle here; with a refusal and no active call beside it, waits are not started, so that
 * the model reads its error at once.
 */
export const closedTurn = (ledger: Ledger, output: RoundOutput): ClosedTurn => {
  const { threadId, record } = ledger;
  const blocks = keptBlocks(output);
  const calls = blocks.filter((block) => block.type === "call");
  const { repeated, most } = countRepeats(record.repeated, calls);
  const failure = failureOf(ledger, output, calls.length, most);
  const blanket = blanketResult(ledger, output, failure);
  const turn = record.turns + 1;
  const place = record.nextPosition;
  const { at } = output;

  const parts: TurnPart[] = [];
  const results: PlacedEntry[] = [];
  const made: Call[] = [];
  const timers: Timer[] = [];
  const shown: CallPart[] = [];
  const asked: Choice[] = [];
  const callParts = calls.map((block, index) => callPartOf(block, callIdOf(threadId, turn, index)));
  const acts = actsOf(ledger, blanket ? [] : callParts.flatMap((part, index) => askedOf(part, calls[index])));
  const isRefused = (part: CallPart, { verdict }: CallBlock) =>
    verdict.as === "refused" || acts.answers.get(part.callId)?.origin === "validation";
  const refusal = callParts.some((part, index) => isRefused(part, calls[index] as CallBlock));
  const active = calls.some(
    ({ name, verdict }) =>
      verdict.as === "accepted" &&
      (asks(record, name, verdict) || (!verdict.passive && !verdict.act && verdict.form !== "inline")),
  );
  for (const block of blocks) {
    if (block.type !== "call") {
      parts.push(partOf(block));
      continue;
    }
    const index = made.length + results.length;
    const { verdict } = block;
    const part = callParts[index] as CallPart;
    const position = place + 1 + index;
    const settle = (settlement: Omit<ResultEntry, "kind" | "callId" | "name" | "at">) =>
      results.push({ position, entry: resultEntryOf(part, { at, ...settlement }) });
    const answer = acts.answers.get(part.callId);
    parts.push(part);
    if (verdict.as === "accepted" || verdict.origin === "validation") shown.push(part);
    // A turn that did not end settles all its calls alike, whatever they name.
    if (blanket && (verdict.as === "accepted" || output.outcome !== "finished")) settle(blanket);
    else if (verdict.as === "refused")
      settle({ origin: verdict.origin, error: true, content: [{ type: "text", text: verdict.text }] });
    else if (answer)
      settle({
        origin: answer.origin,
        content: [...answer.content],
        ...(answer.origin === "validation" && { error: true as const }),
      });
    else if (acts.closing && verdict.form !== "inline")
      settle({ origin: "not_executed", error: true, content: notExecutedText("closing") });
    else if (asks(record, part.name, verdict)) {
      const due = at + ledger.limits.approval;
      made.push({ ...callOf(part, position, verdict), status: "proposed" });
      asked.push(approvalOf(part, due));
      timers.push({ callId: part.callId, purpose: "expiry", due });
    } else if (verdict.passive && refusal && !active)
      settle({ origin: "not_executed", error: true, content: notExecutedText("notStarted") });
    else {
      made.push(callOf(part, position, verdict));
      const wake = verdict.wakeAt ?? (verdict.wakeAfter === undefined ? undefined : at + verdict.wakeAfter);
      if (wake !== undefined) timers.push({ callId: part.callId, purpose: "wake", due: wake });
      if (verdict.deadline !== undefined)
        timers.push({ callId: part.callId, purpose: "deadline", due: at + verdict.deadline });
    }
  }

  const entries: PlacedEntry[] = parts.length
    ? [{ position: place, entry: { kind: "turn", at, parts } }, ...results]
    : [];
  const readsResults = output.outcome === "finished" || output.outcome === "truncated";
  const { threads, children } = spawnedChildren(ledger, acts, { place, calls: callParts, turns: turn, at });
  return {
    entries,
    made,
    shown,
    timers,
    asked,
    failure,
    text: textOfParts(parts),
    threads,
    children,
    sent: acts.sent,
    cancelled: acts.cancelled,
    record: {
      ...record,
      nextPosition: parts.length ? place + 1 + calls.length : place,
      turns: parts.length ? turn : record.turns,
      turnAt: parts.length ? place : record.turnAt,
      context: contextAfter(ledger, output),
      tooLong: null,
      rounds: output.retry ? record.rounds : record.rounds + 1,
      repeated,
      roundDue: readsResults && failure === null && calls.length > 0 && made.length === 0 && !acts.closing,
      lastFailure: failure,
      retry: output.retry ?? null,
      usage: sumOfUsage(record.usage, output.usage),
      closing: acts.closing ? { ...acts.closing, told: false } : record.closing,
    },
  };
};

type Accepted = Extract<CallBlock["verdict"], { as: "accepted" }>;

/** A person has to approve the call first, and did not do so for good. */
const asks = ({ allowed }: ThreadRecord, name: string, { asks: isAsked }: Accepted): boolean =>
  isAsked === true && !allowed.includes(name);

const approvalOf = (
  { callId, name, args, display = displayForm(name, args) }: CallPart,
  expiresAt: number,
): Choice => ({
  choiceId: callId,
  callId,
  kind: "approval",
  prompt: display,
  choices: approvalChoices,
  default: deny,
  expiresAt,
  answer: null,
});

/** What a call asks a built-in tool to do; nothing for all other calls. */
const askedOf = (part: CallPart, block: CallBlock | undefined): readonly Asked[] => {
  const act = block?.verdict.as === "accepted" ? block.verdict.act : undefined;
  return act ? [{ part, act }] : [];
};

const partOf = (block: Exclude<Block, { type: "call" }>): TurnPart => {
  if (block.type === "provided") return { type: "provided", part: block.part as Json };
  const { type, text, providerMetadata } = block;
  return { type, text, ...(providerMetadata && { providerMetadata }) };
};

const callPartOf = (block: CallBlock, callId: CallPart["callId"]): CallPart => {
  const { providerCallId, name, args, raw, display, providerMetadata } = block;
  return {
    type: "call",
    callId,
    providerCallId,
    name,
    args,
    ...(raw !== undefined && { raw }),
    ...(display !== undefined && { display }),
    ...(providerMetadata && { providerMetadata }),
  };
};

const callOf = (part: CallPart, position: number, verdict: Accepted): Call => {
  const { callId, providerCallId, name, args, display } = part;
  const { form, passive, onRestart, note, deadline } = verdict;
  return {
    callId,
    providerCallId,
    name,
    args,
    ...(display !== undefined && { display }),
    position,
    form,
    passive,
    onRestart,
    status: "committed",
    ...(note !== undefined && { note }),
    ...(verdict.asks && deadline !== undefined && { deadline }),
  };
};

const textOfParts = (parts: readonly TurnPart[]): string =>
  parts.map((part) => (part.type === "text" ? part.text : "")).join("");

/** A round that brought no count leaves what was known. */
const contextAfter = ({ record, window }: Ledger, { usage }: RoundOutput): ThreadRecord["context"] =>
  usage
    ? { tokens: usage.inputTokens + usage.outputTokens, window, failedAt: record.context?.failedAt ?? null }
    : record.context;

/** Both together; a part that neither counted is 0, or left out. */
export const sumOfUsage = (total: Usage, usage: Usage | null): Usage => {
  if (!usage) return total;
  const sum = (a = 0, b = 0) => a + b;
  const cost = total.cost ?? usage.cost;
  return {
    inputTokens: total.inputTokens + usage.inputTokens,
    outputTokens: total.outputTokens + usage.outputTokens,
    cachedInputTokens: sum(total.cachedInputTokens, usage.cachedInputTokens),
    reasoningTokens: sum(total.reasoningTokens, usage.reasoningTokens),
    ...(cost !== undefined && { cost: sum(total.cost, usage.cost) }),
  };
};
