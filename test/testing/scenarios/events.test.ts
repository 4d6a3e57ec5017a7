import { describe, expect, it } from "vitest";
import type { CallId, ThreadId } from "../../../machines/history/ids.ts";
import type { WaitingInput } from "../../../machines/thread/input.ts";
import { callBook } from "../../../src/testing/scenarios/calls.ts";
import {
  matchesEvent,
  type SeenEvent,
  seenAtOpening,
  seenIn,
  tellEvent,
} from "../../../src/testing/scenarios/events.ts";
import type { EventPattern } from "../../../src/testing/scenarios/expectation-schema.ts";
import type { Update } from "../../../src/thread/update.ts";
import { opened } from "../../support/scenarios/opened.ts";

const callId = "t1#1.0" as CallId;
const at = { threadId: "t1" as ThreadId, at: 0, feed: 1 };
const content = [{ type: "text" as const, text: "found" }];
const calls = callBook(
  new Map([
    [
      "t1",
      [
        {
          position: 0,
          entry: {
            kind: "turn",
            at: 0,
            parts: [{ type: "call", callId, providerCallId: "c1", name: "lookup", args: {} }],
          },
        },
      ],
    ],
  ]),
);

const input = (seq: number, given: WaitingInput["input"]): WaitingInput => ({
  seq,
  dedupId: `d${seq}`,
  at: 0,
  input: given,
});
const typesOf = (update: Update) => seenIn(update).map(({ type }) => type);
const settled = (
  origin: "sync" | "validation" | "unknown_tool" | "tool" | "timer" | "interrupted" | "dispatch_failed",
) => typesOf({ ...at, type: "call.settled", callId, name: "lookup", origin, content });

describe("what an observer sees", () => {
  it("are the inputs of a round, in their order, then its start", () =>
    expect(
      seenIn({
        ...at,
        type: "round.started",
        inputs: [
          input(1, { kind: "result", callId, content, origin: "tool" }),
          input(2, { kind: "timer", callId, purpose: "wake", due: 0 }),
          input(3, { kind: "text", text: "go", sender: "user", whileBusy: "interrupt" }),
          input(4, { kind: "event", callId, text: "tick", associative: true, final: false }),
        ],
      }),
    ).toEqual([
      { thread: "t1", type: "tool_result", id: "d1", callId, text: "found" },
      { thread: "t1", type: "tool_result", id: "d2", callId },
      { thread: "t1", type: "user_input", id: "d3", text: "go" },
      { thread: "t1", type: "subscription_event", id: "d4", callId, sourceCallId: callId, text: "tick" },
      { thread: "t1", type: "completion_started" },
    ]));

  it("are results that no input brings when they settle, and no others", () => {
    expect([settled("sync"), settled("validation"), settled("unknown_tool")].flat()).toEqual([
      "tool_result",
      "tool_result",
      "tool_result",
    ]);
    expect([settled("tool"), settled("timer"), settled("interrupted"), settled("dispatch_failed")].flat()).toEqual([]);
  });

  it("are retries and failures as information, and discarded inputs with their id", () => {
    expect(typesOf({ ...at, type: "round.retried", attempt: 2, wait: 5, message: "later" })).toEqual(["info"]);
    expect(typesOf({ ...at, type: "failure", code: "TOOL_FAILED", message: "no" })).toEqual(["info"]);
    expect(
      seenIn({ ...at, type: "input.discarded", dedupId: "d1", kind: "event", callId, reason: "unknown-source" }),
    ).toEqual([{ thread: "t1", type: "input_discarded", id: "d1", callId, text: "unknown-source" }]);
  });

  it("are what threads tell each other as events of the call that opened the child", () => {
    const child = "c.1" as ThreadId;
    const sourceOf = (thread: string) => (thread === child ? callId : undefined);
    const told = { type: "subscription_event", callId, sourceCallId: callId };
    const inParent = [
      input(1, { kind: "report", child, text: "half way" }),
      input(2, { kind: "ended", child, report: "done" }),
    ];
    expect(seenIn({ ...at, type: "round.started", inputs: inParent }, sourceOf)).toMatchObject([
      { ...told, thread: "t1", id: "d1", text: "half way" },
      { ...told, thread: "t1", id: "d2", text: expect.stringContaining("done") },
      { thread: "t1", type: "completion_started" },
    ]);
    const inChild = [input(3, { kind: "message", parent: "t1" as ThreadId, text: "hurry" })];
    expect(seenIn({ ...at, threadId: child, type: "round.started", inputs: inChild }, sourceOf)).toMatchObject([
      { ...told, thread: child, id: "d3", text: "hurry" },
      { thread: child, type: "completion_started" },
    ]);
  });

  it("is the event that a thread was opened for, and nothing as a spawned one begins", () => {
    const source = { callId, providerCallId: "s1", name: "watch", args: {} };
    const seed = { kind: "seed" as const, at: 0, callId: "c.1#0.0" as CallId, args: {}, text: "You are a child." };
    const entries = [
      { position: 4, entry: seed },
      { position: 5, entry: { kind: "event" as const, at: 0, source, text: "tick" } },
    ];
    expect(seenAtOpening(opened("c.1", { entries }))).toEqual([
      { thread: "c.1", type: "subscription_event", text: "tick", callId, sourceCallId: callId },
    ]);
    expect(seenAtOpening(opened("c.1"))).toEqual([]);
  });

  it("is nothing of what only our own updates tell", () =>
    expect(typesOf({ ...at, type: "slice.ended", state: "idle" })).toEqual([]));

  it("is an end of a completion with all its tokens, or null where nobody counted", () => {
    const ended = { ...at, type: "round.ended", outcome: "finished", model: "m", text: "" } as const;
    expect(seenIn({ ...ended, usage: { inputTokens: 80, outputTokens: 6 } })[0]?.usage).toBe(86);
    expect(seenIn({ ...ended, usage: null })[0]?.usage).toBeNull();
  });
});

describe("an event pattern", () => {
  const seen: SeenEvent = {
    thread: "t1",
    type: "tool_result",
    text: "found it",
    callId,
    id: "d1",
    usage: 86,
    sourceCallId: callId,
  };

  it.each<EventPattern>([
    {},
    { thread: "t1", type: "tool_result", text_contains: "found" },
    { call: "c1", name: "lookup", source_call: "c1" },
    { id: "d1", usage: 86 },
    { usage: { total_tokens: 86 } },
  ])("matches what has all that it lists: %j", (pattern) => expect(matchesEvent(pattern, seen, calls)).toBe(true));

  it.each<EventPattern>([
    { thread: "t2" },
    { type: "text" },
    { text_contains: "lost" },
    { call: "c2" },
    { name: "look" },
    { source_call: "c2" },
    { id: "d2" },
    { usage: null },
    { usage: { total_tokens: 85 } },
    { url: "u" },
    { view_type: "diff" },
  ])("does not match where something differs: %j", (pattern) => expect(matchesEvent(pattern, seen, calls)).toBe(false));

  it("is compared with events that are told by the scenario's names", () =>
    expect(tellEvent(seen, calls)).toBe('t1 tool_result lookup c1 86 tokens "found it"'));
});
