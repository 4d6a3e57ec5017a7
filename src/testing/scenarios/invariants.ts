import { type SeenMessage, tellMessage } from "./messages.ts";

/** What must hold of every request, whatever the scenario is about. */
export type Invariant = "answered_calls" | "results_have_calls" | "ends_on_input" | "no_reasoning_before_user";

export interface Violation {
  readonly invariant: Invariant;
  readonly text: string;
  /** Index of the message at which it shows. */
  readonly at: number;
}

const isCall = ({ kind }: SeenMessage): boolean =>
  kind === "tool_call" || kind === "event_call" || kind === "seed_call";
const isResult = ({ kind }: SeenMessage): boolean =>
  kind === "tool_result" || kind === "event_result" || kind === "seed_result";

const shown = (message: SeenMessage): string => {
  const { call, source_call: source } = message;
  return call ?? (source === undefined ? tellMessage(message) : `the event of ${source}`);
};

const isInput = (message: SeenMessage): boolean =>
  isResult(message) || message.kind === "summary" || (message.role === "user" && message.kind === "text");

/** Calls and results: every call of a turn is answered, once, before anything else follows. */
function* pairing(messages: readonly SeenMessage[]): Generator<Violation> {
  const made = new Set<string>();
  const answered = new Set<string>();
  const open = new Map<string, SeenMessage>();
  for (const [at, message] of messages.entries()) {
    const { pair = "" } = message;
    const [unanswered] = open.values();
    if (isResult(message)) {
      if (!made.has(pair))
        yield { invariant: "results_have_calls", at, text: `the result of ${shown(message)} has no call before it` };
      else if (answered.has(pair))
        yield { invariant: "results_have_calls", at, text: `${shown(message)} has two results` };
      answered.add(pair);
      open.delete(pair);
      continue;
    }
    const before = messages[at - 1];
    const sameTurn = isCall(message) && before && isCall(before) && before.turn === message.turn;
    if (unanswered && !sameTurn) {
      yield {
        invariant: "answered_calls",
        at,
        text: `${shown(unanswered)} has no result before ${tellMessage(message)} follows`,
      };
      open.clear();
    }
    if (isCall(message)) {
      made.add(pair);
      open.set(pair, message);
    }
  }
  const [unanswered] = open.values();
  if (unanswered)
    yield { invariant: "answered_calls", at: messages.length - 1, text: `${shown(unanswered)} has no result` };
  for (const [at, message] of messages.entries())
    if (isCall(message) && message.pair !== undefined && !answered.has(message.pair))
      yield { invariant: "results_have_calls", at, text: `${shown(message)} has no result in the request` };
}

/** Everything that is wrong with a request; nothing for one that every provider takes. */
export const violationsOf = (messages: readonly SeenMessage[]): readonly Violation[] => {
  const violations = [...pairing(messages)];
  const last = messages.at(-1);
  if (!last || !isInput(last)) {
    const text = last ? `the last entry is ${tellMessage(last)}` : "the request has no entries";
    violations.push({ invariant: "ends_on_input", at: messages.length - 1, text });
  }
  for (const [at, message] of messages.entries())
    if (message.role === "user" && message.kind === "text" && messages[at - 1]?.kind === "reasoning")
      violations.push({
        invariant: "no_reasoning_before_user",
        at,
        text: `${tellMessage(message)} follows reasoning directly`,
      });
  return violations;
};
