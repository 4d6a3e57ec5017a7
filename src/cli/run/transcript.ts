import type { TurnEntry } from "../../../machines/history/entry.ts";
import { approvalChoices, deny } from "../../../machines/thread/choice.ts";
import type { Fact } from "../../../machines/thread/facts.ts";
import type { Input } from "../../../machines/thread/input.ts";
import type { ThreadView } from "../../system/api.ts";
import type { Update } from "../../thread/update.ts";
import { jsonText } from "../output.ts";
import { displayOf } from "./display-of.ts";
import { asItComes, type Layout } from "./layout.ts";
import { createNames, type Names } from "./names.ts";
import type { Kind, Paint } from "./paint.ts";
import { offered } from "./questions.ts";
import { type Result, resultOfTimer, shownOf } from "./shown-result.ts";
import { excerpt, oneLine, terminalStream, terminalText } from "./terminal-text.ts";

/** Turns updates, in their order, into text for stdout. A piece may be empty, and need not end with its line. */
export interface Transcript {
  next(update: Update): string;
  /** Whether the last line is still open, as it is while the agent speaks. */
  readonly midLine: boolean;
}

/** One update a line, as JSON. */
export const jsonTranscript = (): Transcript => ({ next: (update) => `${jsonText(update)}\n`, midLine: false });

interface OpenCall {
  readonly name: string;
  readonly display: string;
  readonly passive: boolean;
  /** Its result arrived, or it was interrupted, and that was shown; the commit that settles it follows. */
  readonly answered: boolean;
  /** It waits for a person's word. */
  readonly proposed?: boolean;
}

export interface TranscriptOptions {
  readonly paint: Paint;
  /** Whether the user's text is shown; on a terminal it is there already. */
  readonly echo: boolean;
  /** A talk has no states; it has what the model thinks where `thoughts`, and says where an answer was cut short. */
  readonly talk?: { readonly thoughts: boolean };
  readonly layout?: Layout;
  /** The thread as it is when the transcript begins: what its calls and subscriptions are called. */
  readonly view?: Pick<ThreadView, "calls" | "subscriptions">;
  /** What other threads are called. */
  readonly names?: Names;
  /** Several speak at once: what the agent says is shown when it is whole, and not that it runs. */
  readonly isChild?: boolean;
}

const linesOf = (text: string): string[] => terminalText(text).trimEnd().split("\n");

const denies = (choice: string | number): boolean => choice === deny || choice === approvalChoices[deny];

const inSeconds = (ms: number): string => `${Math.round(ms / 100) / 10} s`;

/**
 * A conversation to read:
 *
 *     > what the user said
 *     · a call in its display form
 *       ⇒ its result (✗ when it is an error), which names the call where several were open
 *     ~ count_up: an event
 *     ~ child 1 reports: what a child tells
 *     + child 1 begins
 *     what the agent says, as it comes
 *     [the state the thread comes to]
 *     ! a failure
 *
 * Results and events are cut to a few lines, and no text can do anything to the terminal.
 */
export const plainTranscript = ({
  paint,
  echo,
  talk,
  layout = asItComes(),
  view,
  names = createNames(),
  isChild = false,
}: TranscriptOptions): Transcript => {
  /** Calls that are not settled. */
  const open = new Map<string, OpenCall>(
    view?.calls.map((call) => [call.callId, { ...call, display: displayOf(call), answered: false }]),
  );
  /** Another call was open when the last one was made: results say whose they are. */
  let isOneOfSeveral = false;
  /** The children that calls have made, told where the call's result is. */
  const spawned = new Map<string, string>();
  const subscriptions = new Map(view?.subscriptions.map(({ callId, name }) => [callId as string, name]));
  const speech = terminalStream();
  let voice: Kind = "speech";
  let hasSpoken = false;

  const block = (kind: Kind, sign: string, lines: readonly string[], indent = "  "): string => {
    const folded = lines.flatMap((line) => layout.fold(line, Math.max(sign.length, indent.length)));
    const text = folded.map((line, index) => paint(kind, `${index === 0 ? sign : indent}${line}`)).join("\n");
    return `${endOfSpeech()}${text}\n`;
  };
  const said = (text: string): string => paint(voice, layout.next(text));
  const says = (kind: Kind, text: string): string => {
    const before = kind === voice ? "" : endOfSpeech();
    voice = kind;
    return before + said(speech.next(text));
  };
  const endOfSpeech = (): string => said(speech.end()) + paint(voice, layout.end());
  /** What a child said in a turn stands before the calls of the turn. */
  const spoken = ({ parts }: TurnEntry): string => {
    const text = parts.map((part) => (part.type === "text" ? part.text : "")).join("");
    return text.trim() === "" ? "" : block("speech", "", linesOf(text), "");
  };
  const sourceName = (callId: string): string => subscriptions.get(callId) ?? open.get(callId)?.name ?? "event";

  const accepted = (input: Input): string => {
    if (input.kind === "text") return echo ? block("user", "> ", excerpt(input.text)) : "";
    if (input.kind === "result") return arrived(input.callId, input);
    if (input.kind === "answer") return judged(input.choiceId, denies(input.choice));
    if (input.kind === "timer" && input.purpose === "expiry") return judged(input.callId, true);
    if (input.kind === "timer") return arrived(input.callId, resultOfTimer(input));
    if (input.kind === "event") {
      const last = input.final ? " (the last)" : "";
      return block("event", `~ ${sourceName(input.callId)}${last}: `, excerpt(input.text));
    }
    if (input.kind === "report") return told(input.child, "reports", input.text);
    if (input.kind === "ended" && input.report !== null)
      return told(input.child, "has closed and reports", input.report);
    if (input.kind === "message") return block("event", "~ its parent: ", excerpt(names.in(input.text)));
    return "";
  };
  const told = (childId: string, does: string, text: string): string =>
    block("event", `~ ${oneLine(names.of(childId))} ${does}: `, excerpt(names.in(text)));
  /** Shown when it arrives, which is before the round that answers it: the first result of a call is the one that counts. */
  const arrived = (callId: string, given: Result): string => {
    const call = open.get(callId);
    if (!call || call.answered) return "";
    open.set(callId, { ...call, answered: true });
    return result(given, call);
  };
  const settled = (update: Extract<Fact, { type: "call.settled" }>): string => {
    const call = open.get(update.callId);
    open.delete(update.callId);
    const childId = spawned.get(update.callId);
    spawned.delete(update.callId);
    if (childId !== undefined)
      return result({ content: [{ type: "text", text: `${names.of(childId)} begins` }] }, call);
    if (talk && call && update.origin === "interrupted") return call.answered ? "" : interrupted(call);
    return call?.answered && update.origin !== "interrupted" ? "" : result(update, call);
  };
  /** The round that reads the denial of a call may begin before the fact that tells of it: the call is not interrupted. */
  const judged = (callId: string, isDenied: boolean): "" => {
    const call = open.get(callId);
    if (call?.proposed) open.set(callId, { ...call, proposed: false, answered: isDenied });
    return "";
  };
  /** What came of a question. A call that is denied has nothing more to say; one that is withdrawn says so itself. */
  const closed = ({ outcome, choice, answer }: Extract<Fact, { type: "choice.closed" }>): string => {
    if (outcome === "withdrawn" || choice === undefined) return "";
    const by = answer?.by ? `, by ${oneLine(answer.by)}` : "";
    const why = answer?.reason ? `: ${oneLine(answer.reason)}` : "";
    return block("note", "  ", [
      `(${outcome === "expired" ? "nobody answered, so " : ""}${oneLine(choice)}${by}${why})`,
    ]);
  };
  const interrupted = (call: OpenCall): string => {
    const name = isOneOfSeveral ? `${call.display}: ` : "";
    return block("note", "  ", [`(${name}${call.passive ? "woken early" : "interrupted"})`]);
  };
  /** No call is open when a round begins: what has no result was interrupted, and the commit that says so follows. */
  const overtaken = (): string => {
    const calls = [...open].filter(([, call]) => !call.answered);
    for (const [callId, call] of calls) open.set(callId, { ...call, answered: true });
    return calls.map(([, call]) => interrupted(call)).join("");
  };
  const result = (given: Result, call: OpenCall | undefined): string => {
    const name = call && isOneOfSeveral ? `${call.display}: ` : "";
    const [kind, sign] = given.error ? (["error", "✗"] as const) : (["result", "⇒"] as const);
    return block(kind, `  ${sign} ${name}`, excerpt(names.in(shownOf(given))), "    ");
  };

  const next = (update: Update): string => {
    switch (update.type) {
      case "input.accepted":
        return accepted(update.input);
      case "input.deferred":
        return block("note", "  ", ["(held back until no call is in flight)"]);
      case "input.discarded": {
        if (update.kind === "timer" || update.kind === "progress") return "";
        const of = update.callId === undefined ? "" : ` of ${sourceName(update.callId)}`;
        return block("note", "  ", [`(left out: ${update.kind}${of}, ${update.reason})`]);
      }
      case "round.started":
        hasSpoken = false;
        return talk ? overtaken() : "";
      case "text.delta":
        hasSpoken = !isChild;
        return isChild ? "" : says("speech", update.text);
      case "round.retried": {
        hasSpoken = false;
        const why = oneLine(update.message);
        return block("failure", "! ", [`Asked again in ${inSeconds(update.wait)}: ${why}`]);
      }
      case "configuration.failed":
        return block("failure", "! ", [
          `Not configured, asked again in ${inSeconds(update.wait)}: ${oneLine(update.message)}`,
        ]);
      case "round.ended": {
        const late = hasSpoken || isChild ? "" : says("speech", update.text);
        if (talk && update.outcome === "cut") return late + block("note", "  ", ["(interrupted)"]);
        return late + endOfSpeech();
      }
      case "call.made": {
        const display = oneLine(names.in(update.display));
        isOneOfSeveral = open.size > 0;
        open.set(update.callId, { name: update.name, display, passive: update.passive, answered: false });
        return block("call", "· ", [display]);
      }
      case "child.opened":
        if (update.kind === "event") return block("note", "+ ", [`${oneLine(names.of(update.childId))} begins`]);
        spawned.set(update.callId, update.childId);
        return "";
      case "child.ended":
        return "";
      case "thread.halted":
        // A budget says why, and what would work, by the failure that follows.
        return update.reason === "budget" ? "" : block("note", "  ", ["(halted until you write)"]);
      case "thread.resumed":
        return block("note", "  ", ["(goes on)"]);
      case "history.compacting":
        return block("note", "  ", ["(the conversation is summarised)"]);
      case "history.compacted":
        return update.outcome === "failed"
          ? block("note", "  ", [`(it was not summarised: ${oneLine(update.message ?? "")})`])
          : "";
      case "history.repaired":
        return block("note", "  ", [`(the stored history was damaged; ${update.count} repairs)`]);
      case "thread.quarantined":
        return block("failure", "! ", [`Set aside: it was at work ${update.times} times when things ended badly.`]);
      case "thread.released":
        return block("note", "  ", ["(released)"]);
      case "choice.opened": {
        const call = open.get(update.callId);
        if (call && update.kind === "approval") open.set(update.callId, { ...call, proposed: true });
        return block("note", "? ", [...excerpt(update.prompt), offered(update)]);
      }
      case "choice.answered":
        return block("note", "  ", [`(answered: ${oneLine(update.choice)})`]);
      case "choice.closed":
        return closed(update);
      case "oauth.required":
        return block("note", "? ", [`sign in: ${oneLine(update.url)}`]);
      case "view.updated":
        return "";
      case "call.progressed":
        return block("note", "  … ", excerpt(update.text), "    ");
      case "call.settled":
        return settled(update);
      case "subscription.opened":
        subscriptions.set(update.callId, update.name);
        return "";
      case "subscription.ended":
        subscriptions.delete(update.callId);
        return "";
      case "state.changed":
        if (isChild && update.state === "running") return "";
        if (talk) return update.state === "closed" ? block("note", "  ", ["(closed)"]) : "";
        return block("state", "", [`[${update.state}]`], "");
      case "failure":
        return block("failure", "! ", excerpt(`${update.message} (${update.code})`));
      case "gap":
        return block("failure", "! ", ["Some updates came too fast and are not shown here."]);
      case "thinking.delta":
        return talk?.thoughts ? says("thought", update.text) : "";
      case "thinking.ended":
        return talk?.thoughts ? endOfSpeech() : "";
      case "entry.added":
        return isChild && update.entry.kind === "turn" ? spoken(update.entry) : "";
      case "slice.ended":
      case "thinking.started":
        return "";
    }
  };

  return {
    next,
    get midLine() {
      return layout.column > 0;
    },
  };
};
