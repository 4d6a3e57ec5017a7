import fc from "fast-check";
import type { ContentItem, Entry, EventSource, PlacedEntry, TurnPart } from "../../../machines/history/entry.ts";
import { type CallId, callIdOf, ThreadId } from "../../../machines/history/ids.ts";
import type { JsonObject } from "../../../machines/history/json.ts";
import { signedCall, signedReasoning } from "../../../src/model/scripted/signature.ts";

/** A history with what its record would say of it. */
export interface StoredHistory {
  readonly entries: readonly PlacedEntry[];
  readonly outstanding: readonly CallId[];
}

export const threadId = ThreadId.parse("t1");

/** Ids as providers give them: repeated, empty, illegal, too long, and equal to ids that the prompt makes. */
export const anyProviderId = fc.constantFrom(
  "c1",
  "c1",
  "c2",
  "toolu_01",
  "",
  "call_1_0",
  "call_2_1",
  "call_2_0_2",
  "event_3",
  "no spaces",
  "é",
  "x".repeat(64),
  "x".repeat(65),
);

export const anyName = fc.constantFrom(
  "watch",
  "get_build",
  "receive_event__injected",
  "$READ FILE",
  "a.b",
  "",
  "n".repeat(80),
);

const anyText = fc.oneof(
  fc.constantFrom("hello", "a\nb", "[image image/png]", "lone \ud800 surrogate", "nul \0", " padded "),
  fc.string({ minLength: 1, maxLength: 8 }).filter((text) => text.trim() !== ""),
);

const anyArgs: fc.Arbitrary<JsonObject> = fc.constantFrom({}, { id: 1 }, { id: [null, { deep: "lone \udfff" }] });
const anyMetadata = fc.option(fc.constantFrom({ anthropic: { signature: "s1" } }, { openai: { itemId: "i1" } }), {
  nil: undefined,
});

export const anyContent: fc.Arbitrary<ContentItem[]> = fc.array(
  fc.oneof(
    { weight: 3, arbitrary: anyText.map((text): ContentItem => ({ type: "text", text })) },
    { weight: 1, arbitrary: fc.constant<ContentItem>({ type: "image", data: "aGVsbG8=", mediaType: "image/png" }) },
  ),
  { minLength: 1, maxLength: 3 },
);

/** A part of a turn before its calls have their ids. */
type Part =
  | {
      readonly type: "text" | "reasoning";
      readonly text: string;
      readonly metadata: { readonly [p: string]: JsonObject } | undefined;
    }
  | { readonly type: "call"; readonly providerCallId: string; readonly name: string; readonly args: JsonObject }
  | { readonly type: "provided" };

const anyPart: fc.Arbitrary<Part> = fc.oneof(
  { weight: 2, arbitrary: fc.record({ type: fc.constant("text" as const), text: anyText, metadata: anyMetadata }) },
  {
    weight: 3,
    arbitrary: fc.record({ type: fc.constant("reasoning" as const), text: anyText, metadata: anyMetadata }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      type: fc.constant("call" as const),
      providerCallId: anyProviderId,
      name: anyName,
      args: anyArgs,
    }),
  },
  { weight: 1, arbitrary: fc.constant({ type: "provided" as const }) },
);

/** What a thread was told: a text, or an event of one of the calls before (or of one that is not in the history). */
type Told =
  | { readonly kind: "user"; readonly text: string; readonly interrupt: boolean }
  | { readonly kind: "event"; readonly text: string; readonly source: number };

const anyUser = fc.record({ kind: fc.constant("user" as const), text: anyText, interrupt: fc.boolean() });
const anyEvent = fc.record({ kind: fc.constant("event" as const), text: anyText, source: fc.nat(4) });

/** One turn, what its calls gave, and what the thread was told before the next one; empty only behind results. */
interface Step {
  readonly parts: readonly Part[];
  readonly content: ContentItem[];
  readonly error: boolean;
  readonly told: readonly Told[];
}

const anyStep: fc.Arbitrary<Step> = fc.record({
  parts: fc.array(anyPart, { minLength: 1, maxLength: 5 }),
  content: anyContent,
  error: fc.boolean(),
  told: fc.array(fc.oneof(anyUser, anyEvent), { maxLength: 3 }),
});

const gone: EventSource = {
  callId: callIdOf(threadId, 90, 0),
  providerCallId: "c9",
  name: "watch",
  args: { topic: "builds" },
};

const turnPartOf = (part: Part, callId: CallId): TurnPart => {
  if (part.type === "call") return { ...part, callId };
  if (part.type === "provided")
    return {
      type: "provided",
      part: { type: "file", data: { type: "data", data: "aGVsbG8=" }, mediaType: "image/png" },
    };
  const { type, text, metadata } = part;
  return { type, text, ...(metadata && { providerMetadata: { ...metadata } }) };
};

/** Folds steps into a well-formed history in which `open` of the last turn's calls, the first ones, are outstanding. */
const historyOf = (first: readonly Told[], steps: readonly Step[], open: number): StoredHistory => {
  const entries: PlacedEntry[] = [];
  const sources: EventSource[] = [];
  const outstanding: CallId[] = [];
  let position = 0;
  const place = (entry: Entry) => entries.push({ position: position++, entry });
  const tell = (told: readonly Told[]) => {
    for (const each of told) {
      if (each.kind === "user")
        place({ kind: "user", at: position, text: each.text, ...(each.interrupt && { interrupt: true }) });
      else place({ kind: "event", at: position, text: each.text, source: sources[each.source] ?? gone });
    }
  };
  tell(first);
  for (const [index, { parts, content, error, told }] of steps.entries()) {
    let nth = 0;
    const turn = parts.map((part) => turnPartOf(part, callIdOf(threadId, index + 1, part.type === "call" ? nth++ : 0)));
    const calls = turn.flatMap((part) => (part.type === "call" ? [part] : []));
    const waiting = index === steps.length - 1 ? Math.min(open, calls.length) : 0;
    place({ kind: "turn", at: position, parts: turn });
    for (const [at, { callId, providerCallId, name, args }] of calls.entries()) {
      sources.push({ callId, providerCallId, name, args });
      if (at >= waiting)
        place({ kind: "result", at: position, callId, name, origin: "tool", content, ...(error && { error: true }) });
      else {
        outstanding.push(callId);
        position++;
      }
    }
    const silent = told.length === 0 && calls.length === 0;
    if (waiting === 0) tell(silent ? [{ kind: "user", text: "go on", interrupt: false }] : told);
  }
  return { entries, outstanding };
};

const anyOpening = fc
  .tuple(anyUser, fc.array(fc.oneof(anyUser, anyEvent), { maxLength: 2 }))
  .map(([user, others]) => [user, ...others]);

const anySteps = fc.array(anyStep, { maxLength: 6 });

/** A well-formed history that a request can be made of: nothing is outstanding, an input or a result is last. */
export const anyRequestHistory: fc.Arbitrary<readonly PlacedEntry[]> = fc
  .tuple(anyOpening, anySteps)
  .map(([opening, steps]) => historyOf(opening, steps, 0).entries);

/** A well-formed history as it may be stored: some calls of the last turn can be outstanding. */
export const anyStoredHistory: fc.Arbitrary<StoredHistory> = fc
  .tuple(anyOpening, anySteps, fc.nat(3))
  .map(([opening, steps, open]) => historyOf(opening, steps, open));

const seedOf = (at: number, nth: number): Entry => ({
  kind: "seed",
  at,
  callId: `t1/event-${nth}#0.0` as CallId,
  args: { instructions: "Handle the event.", child_of: ["t1"] },
  text: "You are a child thread.",
});

/** The same with a seed before the entry of that index, or behind the last one. */
const seeded = (entries: readonly PlacedEntry[], index: number): readonly PlacedEntry[] => {
  const at = entries[index]?.position ?? (entries.at(-1)?.position ?? -1) + 1;
  const moved = entries.slice(index).map(({ position, entry }) => ({ position: position + 1, entry }));
  const nth = entries.filter(({ entry }) => entry.kind === "seed").length;
  return [...entries.slice(0, index), { position: at, entry: seedOf(at, nth) }, ...moved];
};

/** The view of an event's child, or of a child's child: a history with one or two seeds, each where an input can stand. */
export const anyChildHistory: fc.Arbitrary<readonly PlacedEntry[]> = fc
  .tuple(anyRequestHistory, fc.array(fc.nat(), { minLength: 1, maxLength: 2 }))
  .map(([history, choices]) =>
    choices.reduce((entries, choice) => {
      // Behind the first entry: what a child inherits begins with an input, as every history does.
      const places = [...entries.keys(), entries.length].filter(
        (index) => index > 0 && entries[index]?.entry.kind !== "result",
      );
      return seeded(entries, places[choice % places.length] ?? entries.length);
    }, history),
  );

export const anyStyle = fc.record({
  eventsAs: fc.constantFrom("call" as const, "text" as const),
  supportsImages: fc.boolean(),
});

/** The same from a model that signs its reasoning and its calls, whose names are legal then. */
export const signed = (entries: readonly PlacedEntry[]): PlacedEntry[] =>
  entries.map(({ position, entry }) => {
    const name = "watch";
    if (entry.kind === "result") return { position, entry: { ...entry, name } };
    if (entry.kind !== "turn") return { position, entry };
    const parts = entry.parts.map((part): TurnPart => {
      if (part.type === "call") return { ...part, name, providerMetadata: metadataOf(signedCall(name)) };
      return part.type === "reasoning" ? { ...part, providerMetadata: metadataOf(signedReasoning(part.text)) } : part;
    });
    return { position, entry: { ...entry, parts } };
  });

const metadataOf = (signature: object) => signature as { [provider: string]: JsonObject };
