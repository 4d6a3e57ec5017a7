import type { Fact } from "../../machines/thread/facts.ts";
import { dedupKeyOf, type Envelope } from "../../machines/thread/input.ts";
import type { Delivery } from "./store.ts";

const factsOf = ({ dedupId, input }: Envelope): Fact[] => {
  const facts: Fact[] = [{ type: "input.accepted", dedupId, input }];
  if (input.kind === "result" && input.failure)
    facts.push({ type: "failure", code: "TOOL_FAILED", callId: input.callId, ...input.failure });
  return facts;
};

/** An envelope as a store files it, whether a sender brings it or the outbox of a commit. `at`: ms since the epoch. */
export const deliveryOf = (envelope: Envelope, at: number): Delivery => {
  const { threadId, dedupId, input } = envelope;
  return { threadId, dedupId, key: dedupKeyOf(envelope), input, at, facts: factsOf(envelope) };
};
