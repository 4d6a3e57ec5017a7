import type { Intent, Step } from "./intent.ts";
import { intents } from "./intents.ts";

/** What the model says and calls in one turn. */
export interface PlannedTurn {
  readonly says: readonly Exclude<Step, { kind: "call" }>[];
  readonly calls: readonly Extract<Step, { kind: "call" }>[];
}

/** Longer texts are not read: nothing a person types to a demo is that long. */
const longestText = 2_000;
const mostPieces = 40;

const politeness = /^(?:(?:please|now|and|then|also|can you|could you|would you|kindly)\s+)+/i;
const endings = /(?:\s*,?\s+please)?[\s.!?,]*$/i;

const bare = (text: string): string => text.trim().replace(politeness, "").replace(endings, "");

const readWith = (kind: (intent: Intent) => boolean, text: string): readonly Step[] | undefined => {
  const piece = bare(text);
  for (const intent of intents) {
    const read = kind(intent) ? intent.read(piece) : undefined;
    if (read) return [read].flat();
  }
  return undefined;
};
const readClosed = (text: string): readonly Step[] | undefined => readWith(({ open }) => !open, text);
const readOpen = (text: string): readonly Step[] | undefined => readWith(({ open }) => open === true, text);

/** Where the pieces of a text begin and end that `and` or a comma separates. */
const piecesOf = (text: string): { start: number; end: number }[] => {
  const pieces: { start: number; end: number }[] = [];
  let start = 0;
  for (const joint of text.matchAll(/\s*,?\s+and\s+|,\s+/gi)) {
    pieces.push({ start, end: joint.index });
    start = joint.index + joint[0].length;
  }
  return [...pieces, { start, end: text.length }];
};

/** The steps of a text without `then`. The longest run of pieces that is understood wins: `add 2 and 3` is one step. */
const stepsTogether = (text: string): Step[] => {
  const pieces = piecesOf(text);
  if (pieces.length > mostPieces) return [{ kind: "unknown", text }];
  const slice = (from: number, to: number) => text.slice(pieces[from]?.start, pieces[to - 1]?.end);
  const closedAt = (from: number): { steps: readonly Step[]; to: number } | undefined => {
    for (let to = pieces.length; to > from; to--) {
      const steps = readClosed(slice(from, to));
      if (steps) return { steps, to };
    }
    return undefined;
  };
  const beginsAt = (from: number) => closedAt(from) !== undefined || readOpen(slice(from, from + 1)) !== undefined;

  const steps: Step[] = [];
  for (let from = 0; from < pieces.length; ) {
    const closed = closedAt(from);
    let to = closed?.to ?? from + 1;
    if (!closed) while (to < pieces.length && !beginsAt(to)) to += 1;
    const words = slice(from, to);
    steps.push(...(closed?.steps ?? readOpen(words) ?? [{ kind: "unknown", text: words.trim() } as const]));
    from = to;
  }
  return steps;
};

/** The parts of a text that come one after the other. */
const inSequence = (text: string): string[] =>
  text.split(/\s*[,;.]?\s+(?:and\s+)?then\s+|\s*;\s*|\s*\n\s*|(?<=[.!?])\s+/i).filter((part) => part.trim() !== "");

class Draft {
  readonly turns: { says: PlannedTurn["says"][number][]; calls: PlannedTurn["calls"][number][] }[] = [];

  /** `after`: whether what came before must have ended. */
  add(step: Step, after: boolean): void {
    const last = this.turns.at(-1);
    const waits = (step.kind === "call" && step.waits) || last?.calls.some((call) => call.waits);
    const fits = last && (last.calls.length === 0 || (step.kind === "call" && !after && !waits));
    const turn = fits ? last : { says: [], calls: [] };
    if (!fits) this.turns.push(turn);
    if (step.kind === "call") turn.calls.push(step);
    else turn.says.push(step);
  }
}

/**
 * The turns that carry out what was asked, in order; no turns when nothing was. Calls of tools that are not offered are
 * only spoken of. Calls joined by `and` go out together, but for waits. What follows a
 * call is said in the turn after its result.
 */
export const planOf = (texts: readonly string[], offered: ReadonlySet<string>): readonly PlannedTurn[] => {
  const possible = (step: Step): Step =>
    step.kind === "call" && !offered.has(step.name) ? { kind: "missing", tool: step.name } : step;
  const draft = new Draft();
  for (const text of texts) {
    const whole = text.length > longestText ? [{ kind: "unknown", text } as const] : readClosed(text);
    const parts = whole ? [whole] : inSequence(text).map(stepsTogether);
    for (const steps of parts) for (const [index, step] of steps.entries()) draft.add(possible(step), index === 0);
  }
  return draft.turns;
};
