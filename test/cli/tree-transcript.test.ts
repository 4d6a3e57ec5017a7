import { describe, expect, it } from "vitest";
import { CallId, ThreadId } from "../../machines/history/ids.ts";
import { wrapAt } from "../../src/cli/chat/wrap.ts";
import type { Paint } from "../../src/cli/run/paint.ts";
import { treeTranscript } from "../../src/cli/run/tree-transcript.ts";
import type { Update } from "../../src/thread/update.ts";

type Bare = Update extends infer U ? (U extends Update ? Omit<U, "threadId" | "at" | "feed"> : never) : never;

const plain: Paint = (_, text) => text;
const uuid = "05cc91cc-451c-478c-affc-dcef798ca4fe";
const [first, second, below] = [`${uuid}.1`, `${uuid}.2`, `${uuid.replace("0", "1")}.1`];
const call = CallId.parse("c");

const told = (
  updates: readonly (readonly [string, Bare])[],
  options: Partial<Parameters<typeof treeTranscript>[0]> = {},
): string => {
  const transcript = treeTranscript({ threadId: "root", paint: plain, echo: true, ...options });
  return updates.map(([threadId, bare]) => transcript.next({ ...bare, threadId, at: 0, feed: 1 } as Update)).join("");
};
const opened = (childId: string, kind: "event" | "spawned" = "event"): Bare => ({
  type: "child.opened",
  childId: ThreadId.parse(childId),
  kind,
  callId: call,
});
const made = (name: string, display: string): Bare => ({
  type: "call.made",
  callId: call,
  providerCallId: "",
  name,
  args: {},
  display,
  passive: false,
});
const settled = (text: string, origin: "tool" | "spawned" = "tool"): Bare => ({
  type: "call.settled",
  callId: call,
  name: "x",
  origin,
  content: [{ type: "text", text }],
});
const says = (text: string): Bare => ({
  type: "entry.added",
  position: 1,
  entry: { kind: "turn", at: 0, parts: [{ type: "text", text }] },
});
const ended = (text: string): Bare => ({ type: "round.ended", outcome: "finished", usage: null, model: "m", text });
const delta = (text: string): Bare => ({ type: "text.delta", text });
const state = (name: "running" | "idle" | "closed"): Bare => ({ type: "state.changed", state: name }) as Bare;
const input = (given: object): Bare => ({ type: "input.accepted", dedupId: "1", input: given }) as Bare;

describe("the transcript of a family", () => {
  it("has the lines of children indented, under a name of their own", () =>
    expect(
      told([
        ["root", opened(first)],
        [first, state("running")],
        [first, delta("It is ")],
        [first, says("It is\ngreen.")],
        [first, made("close_thread", `Close the thread ${first}`)],
        [first, ended("It is green.")],
        [first, settled("This thread closes.")],
        [first, state("closed")],
        ["root", input({ kind: "ended", child: first, report: "green" })],
        ["root", { type: "child.ended", childId: ThreadId.parse(first), callId: call }],
      ]),
    ).toBe(`+ child 1 begins
  child 1 │ It is
  child 1 │ green.
  child 1 │ · Close the thread child 1
  child 1 │   ⇒ This thread closes.
  child 1 │ [closed]
~ child 1 has closed and reports: green
`));

  it("says with the result of a call which child it made", () =>
    expect(
      told([
        ["root", opened(second, "spawned")],
        ["root", made("spawn_thread", "Spawn a thread: sing")],
        ["root", settled(`Spawned the child thread ${second}.`, "spawned")],
        [second, opened(below, "spawned")],
        [second, made("spawn_thread", "Spawn a thread: hum")],
        [second, settled(`Spawned the child thread ${below}.`, "spawned")],
        [below, says("Hm.")],
        [second, input({ kind: "report", child: below, text: `${below} hums` })],
        [second, input({ kind: "message", parent: "root", text: "louder" })],
      ]),
    ).toBe(`· Spawn a thread: sing
  ⇒ child 1 begins
  child 1 │ · Spawn a thread: hum
  child 1 │   ⇒ child 1.1 begins
    child 1.1 │ Hm.
  child 1 │ ~ child 1.1 reports: child 1.1 hums
  child 1 │ ~ its parent: louder
`));

  it("keeps the lines of children until a line of the thread itself ends", () =>
    expect(
      told([
        ["root", opened(first)],
        ["root", delta("I watch")],
        [first, says("Green.")],
        ["root", delta(" it.")],
        [first, state("closed")],
        ["root", ended("I watch it.")],
      ]),
    ).toBe("+ child 1 begins\nI watch it.\n  child 1 │ Green.\n  child 1 │ [closed]\n"));

  it("says nothing of an event's child that ends without a report", () =>
    expect(told([["root", input({ kind: "ended", child: first, report: null })]])).toBe(""));

  it("shows that threads are halted, go on, and close, also in a talk", () => {
    const updates = [
      ["root", opened(first)],
      ["root", { type: "thread.halted" }],
      [first, { type: "thread.halted" }],
      ["root", { type: "thread.resumed" }],
      [first, state("closed")],
      ["root", state("closed")],
    ] as const;
    expect(told(updates, { talk: { thoughts: false } })).toBe(`+ child 1 begins
  (halted until you write)
  child 1 │   (halted until you write)
  (goes on)
  child 1 │   (closed)
  (closed)
`);
  });

  it("keeps to the width of a terminal", () => {
    const lines = told(
      [
        ["root", opened(first)],
        [first, says("green ".repeat(20).trim())],
      ],
      { layout: wrapAt(() => 40) },
    ).split("\n");
    expect(lines.length).toBeGreaterThan(4);
    for (const line of lines) expect(line.length).toBeLessThan(40);
  });

  it("lets nothing of a child do anything to the terminal", () =>
    expect(told([[first, says("\u001b[2Jred")]])).toBe("  child 1 │ red\n"));
});
