import type { CallId } from "../history/ids.ts";
import { alwaysApprove, type Choice, type ChoiceAnswer, chosenOf, deny, isOpen, type View } from "./choice.ts";
import type { Call, DiscardReason, Timer } from "./commit.ts";
import type { Fact } from "./facts.ts";
import type { AnswerInput, Input, TimerInput, WaitingInput } from "./input.ts";
import { answerTo, isControl, isInterruptingText, type Ledger, type WaitingOf } from "./ledger.ts";

/** Questions to people: what answers them, and what an answer changes, beside any slice. */

type ChoiceInput = Extract<Input, { kind: "choice" }>;

/** What inputs that are acted on at once change, for one commit. */
export interface Acted {
  readonly ledger: Ledger;
  readonly approved: readonly CallId[];
  readonly opened: readonly Choice[];
  readonly moved: readonly Choice[];
  readonly views: readonly View[];
  readonly timers: readonly Timer[];
  readonly facts: readonly Fact[];
}

export const nothingActed = (ledger: Ledger): Acted => ({
  ledger,
  approved: [],
  opened: [],
  moved: [],
  views: [],
  timers: [],
  facts: [],
});

const callOf = ({ calls }: Ledger, id: string): Call | undefined => calls.find(({ callId }) => callId === id);

const asksWork = (ledger: Ledger, callId: CallId): boolean => {
  const call = callOf(ledger, callId);
  return call !== undefined && call.form !== "inline" && call.status !== "proposed" && !answerTo(ledger, callId);
};

export const judgeChoice = (ledger: Ledger, { callId, choiceId }: ChoiceInput): "hand over" | DiscardReason => {
  if (!asksWork(ledger, callId)) return "call-not-outstanding";
  return ledger.choices.some((choice) => choice.choiceId === choiceId) ? "choice-known" : "hand over";
};

/**
 * The first answer counts. A person who wrote meanwhile interrupts what waits for approval: an approval behind that is
 * late. A denial is kept, and settles its call as a result does.
 */
export const judgeAnswer = (ledger: Ledger, input: AnswerInput): "keep" | "hand over" | DiscardReason => {
  const choice = ledger.choices.find(({ choiceId }) => choiceId === input.choiceId);
  if (!choice || !callOf(ledger, choice.callId) || answerTo(ledger, choice.callId)) return "choice-closed";
  const index = chosenOf(choice, input.choice);
  if (index === undefined) return isOpen(choice) ? "no-such-choice" : "choice-closed";
  // A denial that was recorded and not yet taken into a batch is judged once more when the thread comes into memory.
  const isDenial = choice.kind === "approval" && index === deny;
  if (!isOpen(choice)) return isDenial && isRecorded(choice, index) ? "keep" : "choice-closed";
  if (choice.kind !== "approval") return "hand over";
  if (ledger.inbox.some((waiting) => isInterruptingText(waiting) || isControl(waiting))) return "choice-closed";
  return isDenial ? "keep" : "hand over";
};

const isRecorded = ({ answer }: Choice, index: number): boolean => answer?.index === index && !answer.expired;

/** A question ran out: an approval is denied by that, another question takes its default. */
export const judgeExpiry = (ledger: Ledger, { callId, due }: TimerInput): "keep" | "hand over" | DiscardReason => {
  const call = callOf(ledger, callId);
  if (!call) return "call-not-outstanding";
  if (answerTo(ledger, callId)) return "call-already-answered";
  if (call.status === "proposed") return "keep";
  return runOut(ledger, callId, due).length > 0 ? "hand over" : "not-due";
};

const runOut = ({ choices }: Ledger, callId: CallId, due: number): readonly Choice[] =>
  choices.filter(
    (choice) =>
      choice.callId === callId && isOpen(choice) && choice.default !== null && (choice.expiresAt ?? Infinity) <= due,
  );

/** What an input that was judged changes at once; nothing for those that only wait. */
export const actOn = (acted: Acted, waiting: WaitingInput): Acted => {
  const { input } = waiting;
  switch (input.kind) {
    case "progress":
      return told(acted, { type: "call.progressed", callId: input.callId, text: input.text });
    case "oauth":
      return told(acted, { type: "oauth.required", callId: input.callId, url: input.url });
    case "view": {
      const { callId, viewType, content } = input;
      const others = acted.views.filter((view) => view.viewType !== viewType);
      const shown = told(acted, { type: "view.updated", viewType, content, ...(callId !== undefined && { callId }) });
      return { ...shown, views: [...others, { viewType, content }] };
    }
    case "choice":
      return opened(acted, input);
    case "answer":
      return answered(acted, waiting as WaitingOf<AnswerInput>);
    case "timer":
      return input.purpose === "expiry" ? expired(acted, input) : acted;
    default:
      return acted;
  }
};

const told = (acted: Acted, fact: Fact): Acted => ({ ...acted, facts: [...acted.facts, fact] });

/** The fact that a question is there. */
export const openedFact = (choice: Choice, name: string): Fact => {
  const { choiceId, callId, kind, prompt, choices, expiresAt } = choice;
  return { type: "choice.opened", choiceId, callId, kind, name, prompt, choices, default: choice.default, expiresAt };
};

const opened = (acted: Acted, input: ChoiceInput): Acted => {
  const { ledger } = acted;
  const { callId, choiceId, form, prompt, choices, expiresAt } = input;
  const usual = input.default !== null && input.default < choices.length ? input.default : null;
  const choice: Choice = {
    choiceId,
    callId,
    kind: form,
    prompt,
    choices,
    default: usual,
    expiresAt: usual === null ? null : expiresAt,
    answer: null,
  };
  const next = { ...ledger, choices: [...ledger.choices, choice] };
  const name = callOf(ledger, callId)?.name ?? "";
  return rearmed(told({ ...acted, ledger: next, opened: [...acted.opened, choice] }, openedFact(choice, name)), callId);
};

/** A call has one timer for the question of it that runs out next. */
const rearmed = (acted: Acted, callId: CallId): Acted => {
  const instants = acted.ledger.choices.flatMap((choice) =>
    choice.callId === callId && isOpen(choice) && choice.expiresAt !== null ? [choice.expiresAt] : [],
  );
  if (instants.length === 0) return acted;
  const others = acted.timers.filter((timer) => timer.callId !== callId || timer.purpose !== "expiry");
  return { ...acted, timers: [...others, { callId, purpose: "expiry", due: Math.min(...instants) }] };
};

const withAnswer = (acted: Acted, open: Choice, answer: ChoiceAnswer): Acted => {
  const choice = { ...open, answer };
  const isOther = ({ choiceId }: Choice) => choiceId !== open.choiceId;
  const { choiceId, callId } = open;
  const words = { choiceId, callId, choice: open.choices[answer.index] ?? "", answer };
  return {
    ...acted,
    ledger: { ...acted.ledger, choices: acted.ledger.choices.map((other) => (isOther(other) ? other : choice)) },
    // A question that is opened and answered by one commit is there only as it is then.
    opened: acted.opened.map((other) => (isOther(other) ? other : choice)),
    moved: acted.opened.every(isOther) ? [...acted.moved.filter(isOther), choice] : acted.moved,
    facts: [
      ...acted.facts,
      open.kind === "choice"
        ? { type: "choice.answered", ...words }
        : { type: "choice.closed", outcome: answer.expired ? "expired" : "answered", ...words },
    ],
  };
};

const answered = (acted: Acted, { input, at }: WaitingOf<AnswerInput>): Acted => {
  const open = acted.ledger.choices.find(({ choiceId }) => choiceId === input.choiceId);
  const index = open && chosenOf(open, input.choice);
  if (!open || index === undefined || !isOpen(open)) return acted;
  const { by, reason } = input;
  const after = withAnswer(acted, open, { index, by, reason });
  return open.kind === "approval" && index !== deny ? approved(after, open, index, at) : after;
};

const approved = (acted: Acted, { callId }: Choice, index: number, at: number): Acted => {
  const { ledger, timers } = acted;
  const call = callOf(ledger, callId);
  if (!call) return acted;
  const { record } = ledger;
  const forGood = index === alwaysApprove && !record.allowed.includes(call.name);
  const late = call.deadline === undefined ? [] : [{ callId, purpose: "deadline" as const, due: at + call.deadline }];
  return {
    ...acted,
    approved: [...acted.approved, callId],
    timers: [...timers, ...late],
    ledger: {
      ...ledger,
      calls: ledger.calls.map((other) => (other === call ? { ...call, status: "committed" } : other)),
      record: forGood ? { ...record, allowed: [...record.allowed, call.name] } : record,
    },
  };
};

const expired = (acted: Acted, { callId, due }: TimerInput): Acted => {
  const call = callOf(acted.ledger, callId);
  if (call?.status === "proposed") {
    const open = acted.ledger.choices.find((choice) => choice.choiceId === callId && isOpen(choice));
    return open ? withAnswer(acted, open, { index: deny, by: null, reason: null, expired: true }) : acted;
  }
  const after = runOut(acted.ledger, callId, due).reduce(
    (current, choice) =>
      withAnswer(current, choice, { index: choice.default ?? 0, by: null, reason: null, expired: true }),
    acted,
  );
  return rearmed(after, callId);
};

/** The questions of calls that are settled: those that nobody answered are withdrawn. */
export const choicesOf = (
  { choices }: Ledger,
  settled: readonly CallId[],
): { readonly left: readonly Choice[]; readonly facts: readonly Fact[] } => {
  if (choices.length === 0 || settled.length === 0) return { left: choices, facts: [] };
  const ended = choices.filter(({ callId }) => settled.includes(callId));
  return {
    left: choices.filter((choice) => !ended.includes(choice)),
    facts: ended.flatMap((choice): Fact[] => {
      const { choiceId, callId, kind, answer } = choice;
      if (answer === null) return [{ type: "choice.closed", choiceId, callId, outcome: "withdrawn" }];
      if (kind !== "choice") return [];
      const words = { choice: choice.choices[answer.index] ?? "", answer };
      return [{ type: "choice.closed", choiceId, callId, outcome: "answered", ...words }];
    }),
  };
};
