import { z } from "zod";
import { builtinWait } from "./builtin.ts";

export const sleepUntilEventOrInput = builtinWait({
  name: "sleep_until_event_or_input",
  description:
    "Rest until something happens: a message from the user, an event of a subscription, or the result of work that is " +
    "under way. The conversation rests at no cost, for as long as that takes.",
  inputSchema: z.object({}),
  display: () => "Sleep until something happens",
  until: () => ({}),
});
