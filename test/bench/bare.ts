import type { LanguageModelV4 } from "@ai-sdk/provider";
import { assign, createActor, fromPromise, setup, waitFor } from "xstate";

/** Reads a completion to its end; true when it called a tool. */
const drain = async (model: LanguageModelV4): Promise<boolean> => {
  const { stream } = await model.doStream({ prompt: [{ role: "user", content: [{ type: "text", text: "go" }] }] });
  let called = false;
  for await (const part of stream) called ||= part.type === "tool-call";
  return called;
};

const loop = setup({
  types: { context: {} as { trips: number } },
  actors: {
    complete: fromPromise<boolean>(() => Promise.reject(new Error("not provided"))),
    callTool: fromPromise<string>(async () => "ok"),
  },
  guards: { called: (_, { called }: { called: boolean }) => called },
  actions: { count: assign({ trips: ({ context }) => context.trips + 1 }) },
}).createMachine({
  id: "loop",
  context: { trips: 0 },
  initial: "completing",
  states: {
    completing: {
      invoke: {
        src: "complete",
        onDone: [
          { guard: { type: "called", params: ({ event }) => ({ called: event.output }) }, target: "calling" },
          { target: "done" },
        ],
      },
    },
    calling: { invoke: { src: "callTool", onDone: { target: "completing", actions: "count" } } },
    done: { type: "final" },
  },
});

/** The measure: a machine that invokes a promise for each step and keeps nothing. Returns µs a round trip. */
export const bareTrips = async (model: LanguageModelV4, trips: number): Promise<number> => {
  const actor = createActor(loop.provide({ actors: { complete: fromPromise(() => drain(model)) } }));
  const began = performance.now();
  actor.start();
  await waitFor(actor, ({ status }) => status === "done", { timeout: Number.POSITIVE_INFINITY });
  return ((performance.now() - began) * 1_000) / trips;
};
