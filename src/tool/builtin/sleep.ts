import { z } from "zod";
import { builtinWait } from "./builtin.ts";

/** 100 years of 365.25 days, in seconds. */
const longest = 100 * 365.25 * 24 * 60 * 60;

export const sleep = builtinWait({
  name: "sleep",
  description:
    "Sleep for a number of seconds. The conversation rests at no cost and goes on by itself when the time is over. " +
    "A message from the user or an event wakes it earlier, and the result says so.",
  inputSchema: z.object({
    seconds: z.number().positive().max(longest).describe("How long to sleep; fractions are allowed"),
  }),
  display: ({ seconds }) => `Sleep for ${seconds} ${seconds === 1 ? "second" : "seconds"}`,
  until: ({ seconds }) => ({ wakeAfter: Math.max(1, Math.round(seconds * 1000)) }),
});
