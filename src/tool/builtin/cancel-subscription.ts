import { z } from "zod";
import { builtinAct } from "./builtin.ts";

export const cancelSubscription = builtinAct({
  name: "cancel_subscription",
  description:
    "End a subscription of this thread, so that no more of its events arrive. A subscription is what a tool call opened " +
    "whose events arrive one by one afterwards.",
  inputSchema: z.object({
    tool_call_id: z
      .string()
      .describe("The id of the call that opened the subscription; its events name it as original_tool_call_id"),
  }),
  display: ({ tool_call_id }) => `Cancel the subscription ${tool_call_id}`,
  act: ({ tool_call_id: call }) => ({ do: "cancel", call }),
});
