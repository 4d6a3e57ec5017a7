import type { Tool } from "../tool.ts";
import { sleep } from "./sleep.ts";
import { sleepUntilEventOrInput } from "./sleep-until-event-or-input.ts";

/** The tools that every thread has unless they are switched off, in the order the model sees them. */
export const builtinTools: readonly Tool[] = Object.freeze([sleep, sleepUntilEventOrInput]);
