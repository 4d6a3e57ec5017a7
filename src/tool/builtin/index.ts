import type { Tool } from "../tool.ts";
import { cancelSubscription } from "./cancel-subscription.ts";
import { closeThread } from "./close-thread.ts";
import { readResult } from "./read-result.ts";
import { reportToParent } from "./report-to-parent.ts";
import { sendMessageToChild } from "./send-message-to-child.ts";
import { sleep } from "./sleep.ts";
import { sleepUntil } from "./sleep-until.ts";
import { sleepUntilEventOrInput } from "./sleep-until-event-or-input.ts";
import { spawnThread } from "./spawn-thread.ts";

/** The tools that every thread has unless they are switched off, in the order the model sees them. */
export const builtinTools: readonly Tool[] = Object.freeze([
  sleep,
  sleepUntil,
  sleepUntilEventOrInput,
  spawnThread,
  reportToParent,
  sendMessageToChild,
  closeThread,
  cancelSubscription,
  readResult,
]);
