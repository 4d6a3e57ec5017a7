import { isDeepStrictEqual } from "node:util";
import { callsOf, type ResultEntry, textOf } from "../../machines/history/entry.ts";
import type { Behaviour } from "./behaviours.ts";
import { acceptedIn, eventsIn, type Found, factsIn, resultsIn } from "./found.ts";
import { beginningOf, type Note } from "./life.ts";

/** How far the call of a story got, as the dead process left it. */
export type Fate = "unmade" | "proposed" | "committed" | "started" | "acknowledged" | "answered" | "settled";

export const fateIn = ({ thread, history }: Found): Fate => {
  if (!history.some(({ entry }) => entry.kind === "turn")) return "unmade";
  const [call] = thread?.calls ?? [];
  if (!call) return "settled";
  const answers = thread?.inbox.some(({ input }) => input.kind === "result" || input.kind === "timer");
  return answers ? "answered" : call.status;
};

type Begins = Extract<Note, { what: "began" }>;
const began = (notes: readonly Note[], life: number): Begins[] =>
  notes.filter((note): note is Begins => note.what === "began" && note.life === life);

/** What the next process does with the call: the table of docs/durability.md. */
const afterRestart = (fate: Fate, onRestart: Behaviour["onRestart"]): "makes it" | "says it is lost" | "goes on" => {
  if (fate === "unmade" || fate === "committed") return "makes it";
  if (fate === "started") return onRestart === "again" ? "makes it" : "says it is lost";
  return "goes on";
};

/** R7 at the moment of death: what had begun is durable, as a call that is marked. */
export const faultsAtDeath = (before: Found, notes: readonly Note[]): string[] => {
  const fate = fateIn(before);
  const ids = before.history.flatMap(({ entry }) => (entry.kind === "turn" ? callsOf(entry) : [])).map((c) => c.callId);
  const faults = began(notes, 1).flatMap(({ callId }) =>
    ids.includes(callId as never) && fate !== "committed" ? [] : [`R7: ${callId} had begun, and is ${fate}`],
  );
  const accepted = acceptedIn(before);
  for (const note of notes)
    if (note.what === "answered" && note.life === 1 && !accepted.includes(note.id))
      faults.push(`R1: ${note.id} was acknowledged and is nowhere`);
  return faults;
};

/** R2: who sends again is told whether the first try had come through. */
const faultsOfAnswers = (before: Found, notes: readonly Note[]): string[] =>
  notes.flatMap((note) => {
    if (note.what !== "answered" || note.life === 1) return [];
    const fresh = !acceptedIn(before).includes(note.id);
    return note.fresh === fresh ? [] : [`R2: ${note.id} was said to be ${note.fresh ? "new" : "known"}`];
  });

/** R7, R9: which process makes the call, and what its result says of that. */
const faultsOfCall = (behaviour: Behaviour, before: Found, notes: readonly Note[], after: Found): string[] => {
  const fate = fateIn(before);
  const does = afterRestart(fate, behaviour.onRestart);
  const [first, second] = [began(notes, 1), began(notes, 2)];
  const faults: string[] = [];
  const expected = behaviour.tools && does === "makes it" ? 1 : 0;
  if (second.length !== expected) faults.push(`${fate}: made ${second.length} times after the restart`);
  if (first.length > 1) faults.push(`R7: made ${first.length} times at once`);
  if (behaviour.onRestart === "fail" && first.length + second.length > 1) faults.push("R7: made once more");
  if (new Set([...first, ...second].map(({ callId }) => callId)).size > 1) faults.push("R7: made under two ids");
  const results = resultsIn(after);
  if (results.length !== behaviour.calls.length) faults.push(`R9: ${results.length} results`);
  const lost = behaviour.tools && does === "says it is lost";
  const origins = lost ? ["restart"] : behaviour.origins;
  for (const { origin } of results) if (!origins.includes(origin)) faults.push(`${fate}: a result of ${origin}`);
  const by = /in life (\d)/.exec(results.map(({ content }) => textOf(content)).join())?.[1];
  if (by !== undefined && by !== (does === "makes it" ? "2" : "1")) faults.push(`${fate}: the result of process ${by}`);
  return faults;
};

/** What is overdue fires when the process begins, the rest at its time. */
const faultsOfTime = (behaviour: Behaviour, after: Found): string[] => {
  const seconds = behaviour.calls[0]?.args?.seconds;
  const made = after.history.find(({ entry }) => entry.kind === "turn")?.entry.at ?? 0;
  if (typeof seconds !== "number") return [];
  const due = made + seconds * 1_000;
  return resultsIn(after).flatMap(({ at }: ResultEntry) =>
    at === due || (due < beginningOf(2) && at === beginningOf(2)) ? [] : [`due at ${due}, and it fired at ${at}`],
  );
};

/** A subscription goes on behind its last event, or says that it ended; whatever was accepted is read once, in order. */
const faultsOfEvents = (behaviour: Behaviour, before: Found, after: Found): string[] => {
  const { events: all, eventsAfterRestart } = behaviour;
  if (!all) return [];
  const fate = fateIn(before);
  const read = eventsIn(after);
  if (afterRestart(fate, behaviour.onRestart) === "says it is lost")
    return read.length === 0 ? [] : [`R4: it read ${read.join(", ")} of a call that was lost`];
  const known = factsIn(before, "input.accepted").flatMap(({ input }) => (input.kind === "event" ? [input.text] : []));
  const open = fate === "answered" || fate === "settled";
  const cut = open && eventsAfterRestart === "end" && known.length < all.length;
  const whole = isDeepStrictEqual(cut ? read.slice(0, -1) : read, cut ? known : all);
  const ends = !cut || read.at(-1)?.startsWith("The subscription has ended: the process that followed");
  return whole && ends ? [] : [`${fate}, with ${known.join(", ") || "no"} events: it read ${read.join(", ")}`];
};

/** Everything that the restart table, and R1, R2, R7 and R9 with it, says of a story that was cut and taken up again. */
export const faultsAfterRestart = (
  behaviour: Behaviour,
  before: Found,
  notes: readonly Note[],
  after: Found,
): string[] => {
  const ended = notes.find((note) => note.what === "ended" && note.life === 2);
  const refusals = ended?.what === "ended" ? ended.refusals : ["the second process did not come to its end"];
  return [
    ...refusals.map((refusal) => `R5: ${refusal}`),
    ...faultsOfAnswers(before, notes),
    ...faultsOfCall(behaviour, before, notes, after),
    ...faultsOfTime(behaviour, after),
    ...faultsOfEvents(behaviour, before, after),
  ];
};
