import { textOf } from "../../../machines/history/entry.ts";
import { displayForm } from "../../../machines/history/wording.ts";
import type { Failure, Usage } from "../../../machines/round/turn.ts";
import type { Choice } from "../../../machines/thread/choice.ts";
import type { CallStatus, Subscription, Timer } from "../../../machines/thread/commit.ts";
import type { Child, Opening } from "../../../machines/thread/family.ts";
import { type Input, sourceOf } from "../../../machines/thread/input.ts";
import type { RowSetAside } from "../../store/store.ts";
import { fromNow, moment } from "../moments.ts";
import { offered } from "../run/questions.ts";
import { runnerName } from "../runner.ts";
import { callText } from "./entries.ts";
import { type Paper, shortLine, shortText } from "./paper.ts";
import type { Reading } from "./reading.ts";
import type { Ending, StandingCall, StandingInput, Standings } from "./standing.ts";

/** What there is to know of a thread but its history, in words. Instants are told in this process's time zone. */

export const writeHead = (paper: Paper, { thread, runner }: Reading, now: number): void => {
  const { threadId, spec, record, opening } = thread;
  const { lastFailure } = record;
  const hasMetadata = Object.keys(spec.metadata).length > 0;
  paper.add(threadId);
  const more = record.quarantined ? ", set aside" : record.halted ? `, halted ${untilWhat(lastFailure)}` : "";
  paper.fact("state", `${record.state}${more}`);
  if (opening) paper.fact("parent", `${opening.parent}, ${openedBy(opening)}`);
  paper.fact("run by", runner ? runnerName(runner) : "nobody now");
  paper.fact("instructions", shortText(spec.instructions) || "none of its own");
  paper.fact("tools", spec.tools.map(shortLine).join(", ") || "none of its own");
  paper.fact("metadata", hasMetadata ? shortLine(JSON.stringify(spec.metadata)) : "none");
  paper.fact("usage", usageText(record.usage));
  paper.fact(
    "last failure",
    lastFailure ? `${lastFailure.code}, ${moment(lastFailure.at, now)}: ${shortText(lastFailure.message)}` : "none",
  );
};

const untilWhat = (failure: Failure | null): string =>
  failure?.code === "BUDGET_REACHED" ? "until its budget is raised and somebody writes" : "until somebody writes";

const openedBy = ({ kind, source }: Pick<Opening, "kind" | "source">): string =>
  kind === "spawned" ? `spawned by ${shortLine(source.callId)}` : `for an event of ${shortLine(source.name)}`;

const grouped = (count: number): string => count.toLocaleString("en-US");

const costText = (cost: number): string => cost.toLocaleString("en-US", { maximumFractionDigits: 6 });

const usageText = ({ inputTokens, outputTokens, cachedInputTokens = 0, reasoningTokens = 0, cost }: Usage): string => {
  const part = (count: number, what: string) => (count === 0 ? "" : ` (${grouped(count)} ${what})`);
  return `${grouped(inputTokens)} tokens in${part(cachedInputTokens, "cached")}, ${grouped(outputTokens)} out${part(reasoningTokens, "thinking")}${cost === undefined ? "" : `, a cost of ${costText(cost)}`}`;
};

/** Rows that repairs changed or took out; nothing where there are none. */
export const writeSetAside = (paper: Paper, rows: readonly RowSetAside[], now: number): void => {
  if (rows.length === 0) return;
  paper.blank();
  paper.add(
    `Set aside by repairs: ${rows.length === 1 ? "1 row, as it was" : `${rows.length} rows, as they were`} (--json has them whole)`,
  );
  for (const { position, stored, at } of rows) paper.add(`[${position}] ${shortLine(stored)}, ${fromNow(at, now)}`, 1);
};

/** A heading, and what stands under it; `none` beside it when that is nothing. */
const section = <T>(paper: Paper, heading: string, items: readonly T[], write: (item: T) => void): void => {
  paper.blank();
  paper.add(items.length === 0 ? `${heading}: none` : heading);
  for (const item of items) write(item);
};

export const writeRest = (
  paper: Paper,
  { thread, timers, runner }: Reading,
  { calls, waiting }: Standings,
  now: number,
): void => {
  section(paper, "Outstanding calls", calls, (call) => writeCall(paper, call, now));
  if (thread.choices.length > 0)
    section(paper, "Questions", thread.choices, (choice) => writeChoice(paper, choice, now));
  section(paper, "Inputs that wait", waiting, (input) => writeWaiting(paper, input, calls, runner !== null, now));
  section(paper, "Subscriptions", thread.subscriptions, (subscription) => writeSubscription(paper, subscription));
  section(paper, "Timers", timers, (timer) => writeTimer(paper, timer, now));
  section(paper, "Children", thread.children, (child) => writeChild(paper, child));
};

const writeChoice = (paper: Paper, choice: Choice, now: number): void => {
  const { choiceId, prompt, choices, answer, expiresAt } = choice;
  paper.add(shortLine(prompt), 1);
  if (answer)
    paper.add(
      `answered: ${shortLine(choices[answer.index] ?? "")}${answer.by ? ` by ${shortLine(answer.by)}` : ""}`,
      2,
    );
  else paper.add(`wakeful answer '${shortLine(choiceId)}' takes ${shortLine(offered(choice))}`, 2);
  if (!answer && expiresAt !== null) paper.add(`runs out ${moment(expiresAt, now)}`, 2);
};

const writeChild = (paper: Paper, child: Child): void =>
  paper.add(`${child.threadId}, ${openedBy(child)}${child.rested ? ", at rest" : ""}`, 1);

const statuses: Record<CallStatus, string> = {
  proposed: "proposed: waits for approval",
  committed: "committed: not handed over yet",
  started: "started: handed over",
  acknowledged: "acknowledged: handed over, and taken on",
};

const writeCall = (paper: Paper, call: StandingCall, now: number): void => {
  const { callId, name, args, display, form, status, passive, since, isAnswered, isLost, endedBy } = call;
  paper.add(`${callText(name, args)}, ${shortLine(callId)}`, 1);
  if (display !== undefined && display !== displayForm(name, args)) paper.add(shortLine(display), 2);
  const what = form === "builtin" ? "a wait" : `${statuses[status]}${passive ? "; a wait" : ""}`;
  paper.add(`${what}, since ${since === null ? "an unknown instant" : moment(since, now)}`, 2);
  if (isAnswered) paper.add("what ends it is here already, among the inputs that wait", 2);
  else if (isLost) paper.add("its process is gone: the next start settles it as lost", 2);
  else paper.add(`ends with ${endedBy.map((ending) => endingText(ending, now)).join("; or ")}`, 2);
};

const endingText = (ending: Ending, now: number): string => {
  switch (ending.by) {
    case "result":
      return ending.from === "anybody" ? "a result that somebody delivers" : "the result of its tool";
    case "wake":
      return `its time, ${moment(ending.due, now)}`;
    case "expiry":
      return `the end of its question, ${moment(ending.due, now)}`;
    case "approval":
      return "a person's word: `wakeful answer` gives it";
    case "deadline":
      return `its deadline, ${moment(ending.due, now)}`;
    case "input":
      return "any input that wakes the thread";
    case "interruption":
      return "text of the user or an interrupt";
    case "restart":
      return "a restart, which settles it as lost";
  }
};

const writeWaiting = (
  paper: Paper,
  waiting: StandingInput,
  calls: readonly StandingCall[],
  isRun: boolean,
  now: number,
): void => {
  const { input, at, dedupId } = waiting;
  paper.add(`${inputName(input)}, id ${shortLine(dedupId)}, ${fromNow(at, now)}`, 1);
  paper.add(standingText(waiting, calls, isRun), 2);
  const text = inputText(input);
  if (text !== "") paper.add(shortText(text), 2);
};

const inputName = (input: Input): string => {
  const from = shortLine(sourceOf(input));
  if (input.kind === "text") return `text of ${from}${input.whileBusy === "wait" ? ", which does not interrupt" : ""}`;
  if (input.kind === "timer") return `${input.purpose === "wake" ? "end of the time" : "deadline"} of ${from}`;
  if (input.kind === "event") return `${input.final ? "last event" : "event"} of ${from}`;
  if (input.kind === "ended") return `end of ${from}`;
  if (input.kind === "rested") return `rest of ${from}`;
  return `${input.kind} of ${from}`;
};

const inputText = (input: Input): string => {
  if (input.kind === "result") return textOf(input.content);
  return "text" in input ? input.text : "";
};

const standingText = (waiting: StandingInput, calls: readonly StandingCall[], isRun: boolean): string => {
  switch (waiting.standing) {
    case "deferred":
    case "kept": {
      const named = waiting.whileOutstanding.map((id) =>
        shortLine(calls.find(({ callId }) => callId === id)?.name ?? id),
      );
      const [is, are] = named.length === 1 ? ["an active call is", ""] : ["active calls are", ""];
      return `${waiting.standing.toUpperCase()}: ${is}${are} outstanding, ${named.join(", ")}`;
    }
    case "next":
      return isRun ? "NEXT: in the slice that is under way, or in the next" : "NEXT: once somebody runs this database";
    case "handed over":
      return "to be handed to the application";
    case "discarded":
      return `to be discarded: ${waiting.reason}`;
  }
};

const writeSubscription = (paper: Paper, { callId, name, args, lastEventId }: Subscription): void => {
  paper.add(`${callText(name, args)}, ${shortLine(callId)}`, 1);
  paper.add(
    lastEventId === undefined ? "no event yet" : `the last event it handled has the id ${shortLine(lastEventId)}`,
    2,
  );
};

const writeTimer = (paper: Paper, { callId, purpose, due }: Timer, now: number): void =>
  paper.add(`${timerNames[purpose]}${callId === null ? "" : ` of ${shortLine(callId)}`}: ${moment(due, now)}`, 1);

const timerNames = {
  wake: "end of the time",
  deadline: "deadline",
  expiry: "a question runs out",
  retry: "the model is asked again",
  linger: "it closes by itself",
} as const satisfies Record<Timer["purpose"], string>;
