import { StepModeError } from "../../errors.ts";
import type { Tool } from "../../tool/define.ts";
import { neverFollowed } from "../../tool/dispatched.ts";

/** `slices` of a system that runs its threads by itself. */
export const refuseSlices = async (): Promise<never> => {
  throw new StepModeError(
    "This system runs its threads by itself, so slices is not for it. Use system.deliver, or make it with `resident: false`.",
  );
};

/** Throws StepModeError for a tool that only a process that stays can have. */
export const checkStepTools = (tools: readonly unknown[]): void => {
  for (const tool of tools) {
    const { form, name } = (typeof tool === "object" ? tool : {}) as Partial<Tool>;
    if (form === "subscribe" && name !== undefined) {
      const why = neverFollowed(name);
      throw new StepModeError(`${why.charAt(0).toUpperCase()}${why.slice(1)}`);
    }
  }
};

/** Throws StepModeError: nothing would come of the wait. */
export const mustRun = (what: string): never => {
  throw new StepModeError(
    `Nothing runs by itself in step mode, and ${what}. Send, then call system.slices; what came of it is in thread.history() and system.feed().`,
  );
};
