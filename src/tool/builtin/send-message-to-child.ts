import { z } from "zod";
import { builtinAct } from "./builtin.ts";
import { oneLine, said } from "./said.ts";

export const sendMessageToChild = builtinAct({
  name: "send_message_to_child",
  description:
    "Send a message to a child thread of yours that is still open. It arrives there as an event, once the work that the " +
    "child has under way is done. An answer comes only as a report, as an event. A child's own children are out of reach.",
  inputSchema: z.object({
    thread_id: z.string().describe("The id of the child, as spawn_thread returned it"),
    message: said("message").describe("What the child shall know; it does not see your conversation"),
  }),
  display: ({ thread_id, message }) => `Tell ${thread_id}: ${oneLine(message)}`,
  act: ({ thread_id: to, message: text }) => ({ do: "message", to, text }),
});
