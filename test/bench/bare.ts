import type { LanguageModelV4 } from "@ai-sdk/provider";
import { createActor, fromPromise, setup, waitFor } from "xstate";

/** Reads a completion to its end; true when it called a tool. */
export const drain = async (model: LanguageModelV4): Promise<boolean> => {
  const { stream } = await model.doStream({ prompt: [{ role: "user", content: [{ type: "text", text: "go" }] }] });
  let called = false;
  for await (const part of stream) called ||= part.type === "tool-call";
  return called;
};

/** A tool round trip in its four steps, each an invoked promise that does nothing beyond what its name says. */
const loop = setup({
  actors: {
    complete: fromPromise<boolean>(() => Promise.reject(new Error("not provided"))),
    call: fromPromise<string>(async () => "look"),
    dispatch: fromPromise<void>(async () => {}),
    result: fromPromise<string>(async () => "ok"),
  },
  guards: { called: (_, { called }: { called: boolean }) => called },
}).createMachine({
  id: "loop",
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
    calling: { invoke: { src: "call", onDone: "dispatching" } },
    dispatching: { invoke: { src: "dispatch", onDone: "receiving" } },
    receiving: { invoke: { src: "result", onDone: "completing" } },
    done: { type: "final" },
  },
});

/** What a bare machine writes down, each in the step it belongs to; nothing by default. */
export interface Writes {
  turn(): void;
  handedOver(): void;
  result(): void;
}

const nothing: Writes = { turn() {}, handedOver() {}, result() {} };

/**
 * The measure: a machine that invokes a promise for each step of a round trip (call, dispatch, result, next completion),
 * drains the same stream and keeps nothing but what `writes` writes.
 */
export const bareTrips = async (model: LanguageModelV4, writes = nothing): Promise<void> => {
  const actors = {
    complete: fromPromise(() => drain(model)),
    call: fromPromise(async () => {
      writes.turn();
      return "look";
    }),
    dispatch: fromPromise(async () => writes.handedOver()),
    result: fromPromise(async () => {
      writes.result();
      return "ok";
    }),
  };
  const actor = createActor(loop.provide({ actors }));
  actor.start();
  await waitFor(actor, ({ status }) => status === "done", { timeout: Number.POSITIVE_INFINITY });
};
