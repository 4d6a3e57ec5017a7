/** What one piece of a sentence asks for. */
export type Step =
  | {
      readonly kind: "call";
      readonly name: string;
      readonly args: Readonly<Record<string, unknown>>;
      /** The call is a wait: it stands alone in its turn, for anything else would wake it. */
      readonly waits?: true;
      /** The wait begins anew when something wakes it early. */
      readonly again?: true;
    }
  /** `ifDone`: left out when a call of the turn before failed, or was stopped. */
  | { readonly kind: "say"; readonly text: string; readonly ifDone?: true }
  | { readonly kind: "help" }
  /** A call of a tool that is not offered. */
  | { readonly kind: "missing"; readonly tool: string }
  | { readonly kind: "unknown"; readonly text: string };

/** A result as the model reads it, with the arguments of its call. */
export interface Told {
  readonly tool: string;
  readonly args: Readonly<Record<string, unknown>>;
  readonly text: string;
  /** Nothing follows: what is said of the result ends the turn. */
  readonly last: boolean;
}

/** An event of a subscription, with the arguments of the call that opened it. */
export interface Heard {
  readonly tool: string;
  readonly args: Readonly<Record<string, unknown>>;
  readonly text: string;
  /** The child of the thread that says it: its report, or that it has ended. */
  readonly from?: string;
  /** The child has closed; `text` is its last report, "" when it gave none. */
  readonly ended?: true;
}

/** One thing the demo model understands. */
export interface Intent {
  readonly name: string;
  /** A sentence that it reads; shown to people who look for things to try. */
  readonly example?: string;
  /** The tool it needs; it is not suggested where that is not offered. */
  readonly tool?: string;
  /** Takes any words: it ends where the next piece that is understood begins. */
  readonly open?: true;
  /** What a piece of a sentence asks for, or undefined. The piece has no politeness and no end mark. */
  read(piece: string): Step | readonly Step[] | undefined;
  /** What to say of a result of its tool; "" for nothing. Errors and interruptions are told elsewhere. */
  tell?(result: Told): string;
  /** What to say of an event of its tool. */
  hear?(event: Heard): string;
  /** Whether nothing follows the event. Of the tools of intents that have this, the demo model awaits the last event. */
  ends?(event: Heard): boolean;
}

const words = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"];

/** A part of a regular expression that matches what `numberOf` reads. */
export const number = `(?:-?\\d+(?:\\.\\d+)?|${words.join("|")})`;

/** `3`, `2.5`, `three`. */
export const numberOf = (text: string): number => {
  const word = words.indexOf(text.toLowerCase());
  return word >= 0 ? word : Number(text);
};

/** Ends a sentence where it has no end mark yet. */
export const sentence = (text: string): string => (/[.!?…)]$/.test(text) ? text : `${text}.`);
