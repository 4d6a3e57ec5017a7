import { isOpen } from "../../../machines/thread/choice.ts";
import { type Envelope, Envelope as EnvelopeSchema } from "../../../machines/thread/input.ts";
import type { Store } from "../../../src/store/store.ts";
import { eventFor, resultFor } from "../../../src/tool/address.ts";
import { answerFor } from "../../../src/tool/answer.ts";
import { threadIds } from "./load.ts";
import type { Begun } from "./runner.ts";

/** What the world outside has to say. */
export interface Parcel {
  /** The same in every try, and no other's. */
  readonly key: string;
  readonly envelope: Envelope;
}

/** What a user writes; every third text interrupts. No two are alike. */
export const textFor = (number: number): Parcel => {
  const text = `text ${number}`;
  const whileBusy = number % 3 === 0 ? "interrupt" : "wait";
  const threadId = threadIds[number % threadIds.length] ?? "";
  return {
    key: text,
    envelope: EnvelopeSchema.parse({ threadId, dedupId: text, input: { kind: "text", text, whileBusy } }),
  };
};

/** What the service delivers that a call was given to. Each says its call, so that no two are alike. */
export const deliveriesOf = ({ name, address, callId }: Begun): readonly Parcel[] => {
  const said = (id: string, envelope: Envelope): Parcel => ({ key: `${id} of ${callId}`, envelope });
  const event = (id: string, more: { readonly associative?: boolean; readonly final?: boolean }) =>
    said(id, eventFor(address, { id, text: `${id} of ${callId}`, ...more }));
  if (name === "hand") return [said("delivery", resultFor(address, `delivery of ${callId}`, { id: "delivery" }))];
  if (name !== "follow") return [];
  return [
    said("start", resultFor(address, `start of ${callId}`, { id: "start", subscription: true })),
    event("first", { associative: true }),
    event("second", {}),
    event("last", { associative: true, final: true }),
  ];
};

/** What a person says to the questions that are open; one of four calls is denied. */
export const answersIn = async (store: Store): Promise<readonly Parcel[]> => {
  const asking = await store.threads({ state: "awaitingActiveCall" });
  const threads = await Promise.all(asking.map(({ threadId }) => store.load(threadId)));
  return threads
    .flatMap((thread) => thread?.choices ?? [])
    .filter(isOpen)
    .map(({ choiceId, choices }) => {
      const no = Number(/(\d+)\.\d+(?:\?|$)/.exec(choiceId)?.[1]) % 4 === 0;
      const envelope = answerFor(choiceId, no ? choices.length - 1 : 0, { id: `to ${choiceId}`, by: "a person" });
      return { key: `answer to ${choiceId}`, envelope };
    });
};
