import { describe, expect, it } from "vitest";
import { CallId } from "../../machines/history/ids.ts";
import type { Paint } from "../../src/cli/run/paint.ts";
import { paintFor } from "../../src/cli/run/paint.ts";
import { jsonTranscript, plainTranscript, type TranscriptOptions } from "../../src/cli/run/transcript.ts";
import type { Update } from "../../src/thread/update.ts";
import { fakeCall, subscription } from "./fake-thread.ts";

type Bare = Update extends infer U ? (U extends Update ? Omit<U, "threadId" | "at" | "feed"> : never) : never;

const plain: Paint = (_, text) => text;
const update = (bare: Bare): Update => ({ ...bare, threadId: "t", at: 0, feed: 1 }) as Update;
const transcriptOf = (updates: readonly Bare[], options: Partial<TranscriptOptions> = {}): string => {
  const transcript = plainTranscript({ paint: plain, echo: true, ...options });
  return updates.map((bare) => transcript.next(update(bare))).join("");
};

const a = CallId.parse("a");
const b = CallId.parse("b");
const text = (said: string): Bare => ({
  type: "input.accepted",
  dedupId: "1",
  input: { kind: "text", text: said, sender: "user", whileBusy: "interrupt" },
});
const made = (callId: CallId, name: string, display: string, passive = false): Bare => ({
  type: "call.made",
  callId,
  providerCallId: "",
  name,
  args: {},
  display,
  passive,
});
const settled = (callId: CallId, name: string, result: string, more: object = {}): Bare => ({
  type: "call.settled",
  callId,
  name,
  origin: "tool",
  content: [{ type: "text", text: result }],
  ...more,
});
const event = (callId: CallId, said: string, final = false): Bare => ({
  type: "input.accepted",
  dedupId: said,
  input: { kind: "event", callId, text: said, associative: true, final },
});
const result = (callId: CallId, said: string): Bare => ({
  type: "input.accepted",
  dedupId: said,
  input: { kind: "result", callId, content: [{ type: "text", text: said }], origin: "tool" },
});
const timer = (callId: CallId, purpose: "wake" | "deadline"): Bare => ({
  type: "input.accepted",
  dedupId: purpose,
  input: { kind: "timer", callId, purpose, due: 0 },
});
const delta = (said: string): Bare => ({ type: "text.delta", text: said });
const started: Bare = { type: "round.started", inputs: [] };
const ended = (said: string): Bare => ({
  type: "round.ended",
  outcome: "finished",
  usage: null,
  model: "m",
  text: said,
});

const lines: readonly (readonly [string, readonly Bare[], string])[] = [
  ["what the user said", [text("check build 42")], "> check build 42\n"],
  ["every line of it", [text("one\ntwo")], "> one\n  two\n"],
  [
    "a call in display form, and its result",
    [made(a, "x", "Check build 42"), settled(a, "x", "green")],
    "· Check build 42\n  ⇒ green\n",
  ],
  ["a call whose display form has lines on one", [made(a, "x", "Check\nbuild 42")], "· Check build 42\n"],
  [
    "a result that is an error",
    [settled(a, "x", "Error: no such build", { error: true })],
    "  ✗ Error: no such build\n",
  ],
  [
    "which call a result belongs to where several were open",
    [
      made(a, "x", "First"),
      made(b, "x", "Second"),
      settled(b, "x", "two"),
      settled(a, "x", "one"),
      made(a, "x", "Third"),
      settled(a, "x", "three"),
    ],
    "· First\n· Second\n  ⇒ Second: two\n  ⇒ First: one\n· Third\n  ⇒ three\n",
  ],
  [
    "a result when it arrives, and not again when it is settled",
    [
      made(a, "x", "Check"),
      result(a, "green"),
      result(a, "twice"),
      started,
      delta("It is green."),
      settled(a, "x", "green"),
      ended("It is green."),
    ],
    "· Check\n  ⇒ green\nIt is green.\n",
  ],
  ["nothing of a result that no call waits for", [result(a, "late")], ""],
  [
    "that a call was interrupted though a result had arrived",
    [made(a, "x", "Check"), result(a, "green"), settled(a, "x", "Interrupted.", { origin: "interrupted" })],
    "· Check\n  ⇒ green\n  ⇒ Interrupted.\n",
  ],
  [
    "the end of a sleep when it comes, and what the model reads of it not at all",
    [
      made(a, "sleep", "Sleep for 1 second"),
      timer(a, "wake"),
      settled(a, "sleep", "The time is over. It was due at …", { origin: "timer" }),
    ],
    "· Sleep for 1 second\n  ⇒ The time is over.\n",
  ],
  [
    "a deadline that passed",
    [made(a, "x", "Check"), timer(a, "deadline")],
    "· Check\n  ✗ No result came before the deadline.\n",
  ],
  [
    "a long result as its first lines",
    [settled(a, "x", Array.from({ length: 9 }, (_, index) => `l${index}`).join("\n"))],
    "  ⇒ l0\n    l1\n    l2\n    l3\n    l4\n    l5\n    … 3 more lines\n",
  ],
  [
    "the segment that is meant for people instead of the content",
    [
      settled(a, "x", "for the model", {
        display: [
          { type: "image", content: { data: "", mediaType: "image/png" } },
          { type: "text", content: "for people" },
        ],
      }),
    ],
    "  ⇒ for people\n",
  ],
  [
    "an image as its media type",
    [settled(a, "x", "", { content: [{ type: "image", data: "", mediaType: "image/png" }] })],
    "  ⇒ [image/png]\n",
  ],
  ["how far a call is", [{ type: "call.progressed", callId: a, text: "half" }], "  … half\n"],
  [
    "events under the name of their subscription, the last one marked",
    [
      made(a, "count_up", "Count to 2"),
      settled(a, "count_up", "Counting."),
      { type: "subscription.opened", callId: a, name: "count_up" },
      event(a, "1"),
      event(a, "2", true),
    ],
    "· Count to 2\n  ⇒ Counting.\n~ count_up: 1\n~ count_up (the last): 2\n",
  ],
  [
    "an event that overtook its first result",
    [made(a, "count_up", "Count"), event(a, "1")],
    "· Count\n~ count_up: 1\n",
  ],
  ["an event of nothing that is known", [event(b, "late")], "~ event: late\n"],
  [
    "that an input is held back",
    [{ type: "input.deferred", dedupId: "1", kind: "event" }],
    "  (held back until no call is in flight)\n",
  ],
  [
    "that an input is left out, and why",
    [{ type: "input.discarded", dedupId: "1", kind: "event", callId: a, reason: "unknown-source" }],
    "  (left out: event of event, unknown-source)\n",
  ],
  [
    "nothing of timers that come too late",
    [{ type: "input.discarded", dedupId: "1", kind: "timer", callId: a, reason: "call-already-answered" }],
    "",
  ],
  [
    "states",
    [
      { type: "state.changed", state: "running" },
      { type: "state.changed", state: "idlePassive" },
    ],
    "[running]\n[idlePassive]\n",
  ],
  [
    "a failure with its code",
    [{ type: "failure", code: "ROUND_LIMIT", message: "100 rounds" }],
    "! 100 rounds (ROUND_LIMIT)\n",
  ],
  ["what the agent says, ended by its round", [started, delta("Hel"), delta("lo"), ended("Hello")], "Hello\n"],
  [
    "no second line end",
    [started, delta("Hello\n"), ended("Hello\n"), { type: "state.changed", state: "idle" }],
    "Hello\n[idle]\n",
  ],
  ["what the agent said where no piece of it came", [started, ended("Hello")], "Hello\n"],
  [
    "what comes while the agent speaks on a line of its own",
    [started, delta("Hel"), event(a, "1"), delta("lo"), ended("Hello")],
    "Hel\n~ event: 1\nlo\n",
  ],
  [
    "that a request is made again",
    [
      started,
      delta("Hel"),
      { type: "round.retried", attempt: 2, wait: 1_540, message: "overloaded" },
      delta("Hello"),
      ended("Hello"),
    ],
    "Hel\n! Asked again in 1.5 s: overloaded\nHello\n",
  ],
  ["that updates were missed", [{ type: "gap", after: 3 }], "! Some updates came too fast and are not shown here.\n"],
];

describe("the transcript", () => {
  it.each(lines)("shows %s", (_, updates, shown) => expect(transcriptOf(updates)).toBe(shown));

  it("does not repeat what the user typed on the terminal", () =>
    expect(transcriptOf([text("hello")], { echo: false })).toBe(""));

  it("lets no text of a model or a tool do anything to the terminal", () => {
    const evil = "\u001b[2J\u001b]0;owned\u0007ok";
    const updates = [text(evil), made(a, "x", evil), settled(a, "x", evil), event(a, evil), delta(evil), ended(evil)];
    expect(transcriptOf([...updates, { type: "failure", code: "TOOL_FAILED", message: evil }])).toBe(
      "> ok\n· ok\n  ⇒ ok\n~ event: ok\nok\n! ok (TOOL_FAILED)\n",
    );
  });

  it("says whether the agent is in the middle of a line", () => {
    const transcript = plainTranscript({ paint: plain, echo: true });
    transcript.next(update(delta("Hel")));
    expect(transcript.midLine).toBe(true);
    transcript.next(update(ended("Hel")));
    expect(transcript.midLine).toBe(false);
  });

  it("is one JSON value a line where JSON is asked for", () => {
    const updates = [text("a\nb"), delta("\u001b[31m\ud83d"), ended("x")].map(update);
    const { next } = jsonTranscript();
    const written = updates.map(next).join("");
    expect(
      written
        .trimEnd()
        .split("\n")
        .map((line) => JSON.parse(line)),
    ).toEqual(updates);
  });
});

describe("the transcript of a talk", () => {
  const talked = (updates: readonly Bare[], options: Partial<TranscriptOptions> = {}) =>
    transcriptOf(updates, { talk: { thoughts: true }, ...options });
  const interrupted = { origin: "interrupted" };
  const thoughts: readonly Bare[] = [
    started,
    { type: "thinking.started" },
    { type: "thinking.delta", text: "Hm, " },
    { type: "thinking.delta", text: "5." },
    { type: "thinking.ended" },
    delta("5"),
    ended("5"),
  ];

  it("has no states", () => expect(talked([{ type: "state.changed", state: "idle" }])).toBe(""));

  it("has what the agent thinks, apart from what it says", () =>
    expect(talked(thoughts, { paint: (kind, text) => (kind === "thought" && text ? `{${text}}` : text) })).toBe(
      "{Hm, }{5.}{\n}5\n",
    ));

  it("leaves that out where it could not be told apart", () =>
    expect(talked(thoughts, { talk: { thoughts: false } })).toBe("5\n"));

  it("says where an answer was cut short", () =>
    expect(talked([started, delta("Once"), { ...ended("Once"), outcome: "cut" } as Bare])).toBe(
      "Once\n  (interrupted)\n",
    ));

  it("says that a call was interrupted before the round that follows speaks, and once", () =>
    expect(
      talked([
        made(a, "deploy", "Deploy"),
        text("stop"),
        started,
        delta("Fine."),
        ended("Fine."),
        settled(a, "deploy", "Interrupted: …", interrupted),
      ]),
    ).toBe("· Deploy\n> stop\n  (interrupted)\nFine.\n"));

  it("says so where no round follows", () =>
    expect(talked([made(a, "deploy", "Deploy"), settled(a, "deploy", "Interrupted: …", interrupted)])).toBe(
      "· Deploy\n  (interrupted)\n",
    ));

  it("names the call where there are several, and tells a wait that ended early from work that was stopped", () =>
    expect(talked([made(a, "deploy", "Deploy"), made(b, "sleep", "Sleep", true), started])).toBe(
      "· Deploy\n· Sleep\n  (Deploy: interrupted)\n  (Sleep: woken early)\n",
    ));

  it("interrupts no call whose result has come", () =>
    expect(talked([made(a, "deploy", "Deploy"), result(a, "done"), started, settled(a, "deploy", "done")])).toBe(
      "· Deploy\n  ⇒ done\n",
    ));

  it("knows the calls and subscriptions that were there before", () => {
    const call = fakeCall("deploy", { display: "Deploy v7" });
    const other = fakeCall("other");
    const view = { calls: [call, other], subscriptions: [subscription] };
    expect(talked([made(a, "x", "X"), result(call.callId, "done"), event(subscription.callId, "1")], { view })).toBe(
      "· X\n  ⇒ Deploy v7: done\n~ count_up: 1\n",
    );
  });
});

describe("colour", () => {
  const sequenceStart = "\u001b";
  const painted = (isTTY: boolean, env: Record<string, string>) =>
    transcriptOf([{ type: "state.changed", state: "idle" }], { paint: paintFor({ stdout: { isTTY } as never, env }) });

  it("is used on a terminal", () => expect(painted(true, {})).toContain(sequenceStart));
  it.each([
    ["in a pipe", false, {}],
    ["where NO_COLOR is set", true, { NO_COLOR: "1" }],
    ["on a terminal that has none", true, { TERM: "dumb" }],
  ] as const)("is not used %s", (_, isTTY, env) => expect(painted(isTTY, env)).toBe("[idle]\n"));
  it("is used where NO_COLOR is empty, which counts as not set", () =>
    expect(painted(true, { NO_COLOR: "" })).toContain(sequenceStart));
});
