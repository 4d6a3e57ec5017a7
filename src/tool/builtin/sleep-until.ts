import { z } from "zod";
import { builtinWait } from "./builtin.ts";
import { isDate, isTime, isZone, type LocalInstant, localInstant } from "./local-time.ts";

const moved: Readonly<Record<LocalInstant["is"], string>> = {
  plain: "",
  skipped: " does not exist there, because the clocks are set forward over it; the wait moved forward with them.",
  repeated: " comes twice there, because the clocks are set back; the first was meant.",
};

const noteOf = ({ clock, zone, given, is }: LocalInstant): string =>
  `The wait was until ${clock} (${zone}).${is === "plain" ? "" : ` ${given}${moved[is]}`}`;

export const sleepUntil = builtinWait({
  name: "sleep_until",
  description:
    "Sleep until a date and time, as a clock on the wall in a time zone shows them. The conversation rests at no cost and " +
    "goes on by itself then; a time that has passed ends the sleep at once. A message from the user or an event wakes it " +
    "earlier. The result says which instant it was. A time that does not exist because the clocks are set forward moves " +
    "forward with them; of one that comes twice because they are set back, the first is meant.",
  inputSchema: z.object({
    date: z
      .string()
      .refine(isDate, "expected a day that exists as YYYY-MM-DD, in the years 0001 to 9999, e.g. 2026-12-07")
      .describe("The day, as YYYY-MM-DD"),
    time: z
      .string()
      .refine(isTime, "expected a time of day from 00:00 to 23:59:59 as HH:MM or HH:MM:SS, e.g. 09:00")
      .describe("The time of day, as HH:MM or HH:MM:SS, from 00:00 to 23:59:59"),
    timezone: z
      .string()
      .refine(isZone, "expected the name of an IANA time zone, e.g. Europe/Berlin or UTC, or an offset such as +02:00")
      .describe("The time zone of date and time, by its IANA name, e.g. Europe/Berlin, America/New_York or UTC"),
  }),
  display: ({ date, time, timezone }) => {
    const { clock, zone } = localInstant(date, time, timezone);
    return `Sleep until ${clock} (${zone})`;
  },
  until: ({ date, time, timezone }) => {
    const instant = localInstant(date, time, timezone);
    return { wakeAt: instant.at, note: noteOf(instant) };
  },
});
