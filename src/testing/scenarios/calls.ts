import { callsOf, type PlacedEntry } from "../../../machines/history/entry.ts";
import type { CallId } from "../../../machines/history/ids.ts";

/** A call of a history, and what a scenario calls it. */
export interface NamedCall {
  readonly callId: CallId;
  /** The provider's id; from the second call that carries it `c1@2` and so on. */
  readonly label: string;
  readonly tool: string;
  /** The position of its turn. */
  readonly turn: number;
}

/** The calls of a history in the order the model made them, refused ones included. */
export const namedCalls = (history: readonly PlacedEntry[]): readonly NamedCall[] => {
  const times = new Map<string, number>();
  return history.flatMap(({ position, entry }) =>
    (entry.kind === "turn" ? callsOf(entry) : []).map(({ callId, providerCallId, name }) => {
      const nth = (times.get(providerCallId) ?? 0) + 1;
      times.set(providerCallId, nth);
      return { callId, label: nth === 1 ? providerCallId : `${providerCallId}@${nth}`, tool: name, turn: position };
    }),
  );
};

/** A call id for a name that no call of the thread has: what is sent under it meets nothing. */
export const madeUpCallId = (thread: string, label: string): CallId => `${thread}#none.${label}` as CallId;

const labelOfMadeUp = (callId: string): string | undefined => /^[^#]*#none\.(.*)$/su.exec(callId)?.[1];

/** The calls of all threads of a play. */
export interface CallBook {
  /** The scenario's name of a call; undefined when there is no call, or none of that id. */
  labelOf(thread: string, callId: string | undefined): string | undefined;
  toolOf(thread: string, callId: string | undefined): string | undefined;
  /** A made-up id when the thread has no call of that name. */
  idOf(thread: string, label: string): CallId;
}

export const callBook = (histories: ReadonlyMap<string, readonly PlacedEntry[]>): CallBook => {
  const calls = new Map([...histories].map(([thread, history]) => [thread, namedCalls(history)]));
  const find = (thread: string, callId: string | undefined) =>
    calls.get(thread)?.find((call) => call.callId === callId);
  return {
    labelOf: (thread, callId) =>
      find(thread, callId)?.label ?? (callId === undefined ? undefined : labelOfMadeUp(callId)),
    toolOf: (thread, callId) => find(thread, callId)?.tool,
    idOf: (thread, label) =>
      calls.get(thread)?.find((call) => call.label === label)?.callId ?? madeUpCallId(thread, label),
  };
};
