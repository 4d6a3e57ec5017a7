/** What a model says in one answer, before any provider's format. */
export interface Answer {
  readonly said: readonly Said[];
  /** Why the turn ended. Default: `calls` where there are calls, else `stop`. */
  readonly finish?: "stop" | "calls" | "length" | "filter";
  readonly usage?: Counted;
  /** Pieces of calls come by turns: the first of each, then the second of each, and so on. */
  readonly interleaved?: boolean;
  /** Bytes beyond ASCII are written as JSON escapes, as some servers do. */
  readonly escaped?: boolean;
}

export type Said =
  | { readonly text: string }
  /** Nothing but a refusal in the provider's own form, where it has one. */
  | { readonly refusal: string }
  | { readonly thinking: string; readonly signature?: string }
  /** Thinking that the provider hides. */
  | { readonly redacted: string }
  /** `args` as the model writes them, which may be no JSON, or nothing. */
  | { readonly call: string; readonly args?: string; readonly id?: string };

export interface Counted {
  readonly input: number;
  readonly output: number;
  /** Of the input. */
  readonly cached?: number;
  /** Of the output. */
  readonly thinking?: number;
}

export const counted: Counted = { input: 11, output: 7 };

/** What came of `said`: for a provider that has no such thing, nothing. */
export const finishOf = ({ said, finish }: Answer): NonNullable<Answer["finish"]> =>
  finish ?? (said.some((one) => "call" in one) ? "calls" : "stop");

/** Pieces of a text, never within a code point: providers cut between tokens. */
export const pieces = (text: string, length = 12): readonly string[] => {
  const points = [...text];
  return Array.from({ length: Math.ceil(points.length / length) }, (_, n) =>
    points.slice(n * length, (n + 1) * length).join(""),
  );
};

/** The first of each list, then the second of each, and so on. */
export const byTurns = <T>(lists: readonly (readonly T[])[]): readonly T[] =>
  Array.from({ length: Math.max(0, ...lists.map(({ length }) => length)) }, (_, n) =>
    lists.flatMap((list) => list.slice(n, n + 1)),
  ).flat();

const escapes = (json: string): string =>
  json.replaceAll(/[\u0080-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);

/** One event of a stream, as the standard writes it. */
export const event = (data: object | string, { escaped = false }: Pick<Answer, "escaped">, name?: string): string => {
  const json = typeof data === "string" ? data : JSON.stringify(data);
  return `${name === undefined ? "" : `event: ${name}\n`}data: ${escaped ? escapes(json) : json}\n\n`;
};
