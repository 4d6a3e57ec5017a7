import type { Intent } from "../intent.ts";

const asks =
  /^(?:wait|sleep|rest)(?: until| for)?(?: something| anything| an event| the next event| events?| news| me)(?: happens| comes| arrives)?$/i;

export const wait: Intent = {
  name: "wait",
  example: "wait for something",
  tool: "sleep_until_event_or_input",
  read: (piece) =>
    asks.test(piece) ? { kind: "call", name: "sleep_until_event_or_input", args: {}, waits: true } : undefined,
  tell: () => "",
};
