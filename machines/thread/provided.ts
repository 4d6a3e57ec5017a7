import { fromPromise } from "xstate";

/** An effect that the chart names and `src/` brings. A bare chart that is run says what it lacks. */
export const providedActor = <Output, Input>(name: string) =>
  fromPromise<Output, Input>(() => {
    throw new Error(`The actor "${name}" is not provided: run the chart with threadMachine.provide({ actors }).`);
  });

export const providedAction = (name: string) => (): void => {
  throw new Error(`The action "${name}" is not provided: run the chart with threadMachine.provide({ actions }).`);
};
