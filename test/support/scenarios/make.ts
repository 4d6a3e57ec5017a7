import { readScenarios } from "../../../src/testing/scenarios/read.ts";
import type { Scenario } from "../../../src/testing/scenarios/schema.ts";

/** A scenario as its file would have it; id and title are filled in. */
export const scenario = (fields: Record<string, unknown>): Scenario => {
  const text = JSON.stringify({ version: 1, scenarios: [{ id: "X1", title: "a story", steps: [], ...fields }] });
  const [made] = readScenarios(text, "made.json");
  if (!made) throw new Error("The file has one scenario.");
  return made;
};

/** Steps in short; `more` adds fields. */
export const says = (text: string, more: object = {}) => ({ op: "user", thread: "t1", text, ...more });
export const answers = (text: string, more: object = {}) => ({ op: "model_text", thread: "t1", text, ...more });
export const streams = (chunks: readonly object[], end: string, more: object = {}) => ({
  op: "model_stream",
  thread: "t1",
  chunks,
  end,
  ...more,
});
type Made = readonly [id: string, name: string, args?: object];
export const callsIn = (thread: string, ...made: readonly Made[]) => ({
  op: "model_tool_calls",
  thread,
  calls: made.map(([id, name, args = {}]) => ({ id, name, args })),
});
export const calls = (...made: readonly Made[]) => callsIn("t1", ...made);
/** A call that spawns a child of the thread whose stack is given. */
export const spawns = (id: string, ...stack: readonly string[]): Made => [
  id,
  "spawn_thread",
  { instructions: `what ${id} is for`, child_of: stack.length > 0 ? stack : ["t1"] },
];
export const gives = (call: string, text: string, more: object = {}) => ({
  op: "tool_result",
  thread: "t1",
  call,
  text,
  ...more,
});
export const fires = (call: string, text: string, more: object = {}) => ({
  op: "subscription_event",
  thread: "t1",
  call,
  text,
  mode: "inline",
  ...more,
});
export const passes = (seconds: number) => ({ op: "advance_time", seconds });
export const restarts = { op: "restart" };
export const holds = (expect: object) => ({ op: "checkpoint", expect });

export const lookup = { name: "lookup", kind: "dispatched" };
export const watch = { name: "watch", kind: "subscription", auto_result: "subscribed" };
