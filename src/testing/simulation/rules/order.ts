import type { ThreadId } from "../../../../machines/history/ids.ts";
import type { Accepted } from "../record.ts";
import type { World } from "../world.ts";
import { isOfTheRuntime } from "./places.ts";
import { canWait, same, wordsRead } from "./words.ts";

/** What an accepted input says, where only it says so and it can wait. */
const wordsOf = ({ waiting }: Accepted): string | undefined => {
  const { input } = waiting;
  if (!canWait(waiting)) return undefined;
  if (input.kind === "text") return `text ${input.text}`;
  if (input.kind === "event" && input.associative && !isOfTheRuntime(input.text))
    return `event ${input.callId} ${input.text}`;
  return input.kind === "report" && !input.failed ? `child ${input.child} ${input.text}` : undefined;
};

/** R3: what can wait is read in the order it was accepted, whoever sent it from where. */
export const faultsOfOrder = ({ record }: World): string[] => {
  const orders = new Map<ThreadId, Map<string, number>>();
  for (const one of record.accepted) {
    const words = wordsOf(one);
    if (words === undefined) continue;
    const order = orders.get(one.threadId) ?? new Map<string, number>();
    orders.set(one.threadId, order.set(words, one.waiting.seq));
  }
  return [...orders].flatMap(([threadId, order]) => {
    const { history } = record.page(threadId);
    const read = history.flatMap((placed) => wordsRead(placed) ?? []).filter((words) => order.has(words));
    const sorted = [...read].sort((a, b) => (order.get(a) ?? 0) - (order.get(b) ?? 0));
    return same(read, sorted) ? [] : [`R3: ${threadId} read ${read.join(", ")}, which came as ${sorted.join(", ")}`];
  });
};
