import { catchError, concatMap, endWith, from, map, Observable, of, type Subscription, takeWhile, tap } from "rxjs";
import { z } from "zod";
import { noOutput } from "../../machines/history/wording.ts";
import type { EventInput } from "../../machines/thread/input.ts";
import { causeOf } from "./failure.ts";
import type { LiveCall } from "./live-call.ts";
import type { Sent } from "./outbox.ts";
import { safeText } from "./text.ts";
import type { EventSourceOf } from "./tool.ts";

/** Events of an Observable that wait for the store. One more ends the subscription with an event that says so. */
export const bufferLimit = 1_000;

/** An AsyncIterable that never waits itself lets others run after this many events. */
const eventsAtOnce = 100;

const Event = z.object({
  text: z.string(),
  id: z.string().min(1).max(500).optional(),
  associative: z.boolean().optional(),
  final: z.boolean().optional(),
});

/** Ids that a source gives stand apart from those that are counted: neither swallows the other. */
const ownId = "id:";

/** The id that a source gave to the event of that dedup id; as it is where it gave none. */
export const sourceIdOf = (dedupId: string): string =>
  dedupId.startsWith(ownId) ? dedupId.slice(ownId.length) : dedupId;

/** An event on its way; after the last one the producer is not listened to. */
interface Told {
  readonly dedupId: string;
  readonly text: string;
  /** False: the event is handled in a child of the subscriber. */
  readonly associative: boolean;
  readonly last: boolean;
}

/** `start` counts the starts of the producer from 1. Ids are `<start>.<sequence>` where events have none of their own. */
const teller = (live: LiveCall, start: number) => {
  let sequence = 0;
  const closing = (text: string): Told => ({
    dedupId: `${start}.end`,
    text: `The subscription has ended: ${text}`,
    associative: true,
    last: true,
  });
  const fault = (problem: string, fields: object = {}): Told => {
    live.logger.error({ callId: live.callId, ...fields }, `a producer sent an event that is none: ${problem}`);
    return closing(`its source sent an event that ${problem}.`);
  };
  return {
    event(value: unknown): Told {
      sequence++;
      const { data, error } = Event.safeParse(value);
      if (!data) return fault("is not { text, id?, associative?, final? }", { problem: z.prettifyError(error) });
      const text = data.text.trim() === "" ? noOutput : safeText(data.text);
      return {
        dedupId: data.id === undefined ? `${start}.${sequence}` : `${ownId}${data.id}`,
        text,
        associative: data.associative === true,
        last: data.final === true,
      };
    },
    ended: () => closing("its source has no more events."),
    gone: (why: string) => closing(why),
    overflowed: () => closing(`its source sends faster than events can be stored; more than ${bufferLimit} waited.`),
    refused: (reason: string) => closing(`its last event was not accepted: ${reason}`),
    failed(error: unknown): Told {
      const [item] = live.failed(error).content;
      return closing(`its source failed. ${item?.type === "text" ? item.text : ""}`);
    },
  };
};
type Teller = ReturnType<typeof teller>;

const send = (live: LiveCall, { dedupId, text, associative, last }: Told): Promise<Sent> => {
  const input: EventInput = { kind: "event", callId: live.callId, text, associative, final: last };
  return live.outbox.send({ threadId: live.toolCall.threadId, dedupId, input });
};

/** A last event that is refused has another in its place: without one the subscription would never end. */
const deliver = async (live: LiveCall, told: Told, tell: Teller): Promise<void> => {
  const sent = await send(live, told);
  if (!told.last) return;
  if (sent.status === "refused") await send(live, tell.refused(sent.reason));
  if (sent.status === "repeated") await send(live, tell.refused("it has the id of an event that came before."));
};

/** A last event without a source: `why` is told to the model. */
export const tellEnd = async (live: LiveCall, start: number, why: string): Promise<void> => {
  const tell = teller(live, start);
  await deliver(live, tell.gone(why), tell);
};

const teardownFailed = (live: LiveCall, error: unknown): void =>
  live.logger.warn({ callId: live.callId, error: causeOf(error) }, "a producer failed while it was stopped");

const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Takes the next event once the one before is durable: the source is never asked for more than can be stored. */
const pull = async (live: LiveCall, source: AsyncIterable<unknown>, tell: Teller): Promise<void> => {
  const { signal } = live;
  let iterator: AsyncIterator<unknown> | undefined;
  // Not waited for: a source that hangs would hold the call for ever.
  const close = () => {
    const closing = (async () => iterator?.return?.())();
    closing.catch((error) => teardownFailed(live, error));
  };
  const next = async (): Promise<Told> => {
    try {
      iterator ??= source[Symbol.asyncIterator]();
      const { done, value } = await iterator.next();
      if (!done) return tell.event(value);
      iterator = undefined;
      return tell.ended();
    } catch (error) {
      iterator = undefined;
      return signal.aborted ? tell.ended() : tell.failed(error);
    }
  };
  signal.addEventListener("abort", close, { once: true });
  for (let count = 1; !signal.aborted; count++) {
    const told = await next();
    if (signal.aborted) return;
    await deliver(live, told, tell);
    if (told.last) break;
    if (count % eventsAtOnce === 0) await nextTurn();
  }
  if (signal.aborted) return;
  signal.removeEventListener("abort", close);
  close();
};

interface Stoppable {
  unsubscribe(): void;
}

/** Any kind of observable as one of RxJS, whose teardown cannot throw into who unsubscribes. */
const observableOf = (
  live: LiveCall,
  source: Exclude<EventSourceOf<unknown>, AsyncIterable<unknown>>,
): Observable<unknown> =>
  new Observable((subscriber) => {
    const inner: Stoppable | (() => void) | undefined = ("subscribe" in source ? source : from(source)).subscribe({
      next: (value) => subscriber.next(value),
      error: (error) => subscriber.error(error),
      complete: () => subscriber.complete(),
    });
    return () => {
      try {
        if (typeof inner === "function") (inner as () => void)();
        else inner?.unsubscribe();
      } catch (error) {
        teardownFailed(live, error);
      }
    };
  });

/** Stores events in their order, behind a bounded buffer. */
const drain = (live: LiveCall, source: Observable<unknown>, tell: Teller): Promise<void> =>
  new Promise((resolve) => {
    let waiting = 0;
    const stop = () => {
      subscription?.unsubscribe();
      resolve();
    };
    let subscription: Subscription | undefined;
    live.signal.addEventListener("abort", stop, { once: true });
    subscription = source
      .pipe(
        map((value) => (waiting < bufferLimit ? tell.event(value) : tell.overflowed())),
        catchError((error) => of(tell.failed(error))),
        endWith(null),
        map((told) => told ?? tell.ended()),
        takeWhile(({ last }) => !last, true),
        tap(() => waiting++),
        concatMap((told) => deliver(live, told, tell).finally(() => waiting--)),
      )
      .subscribe({
        complete: () => {
          live.signal.removeEventListener("abort", stop);
          resolve();
        },
      });
    if (live.signal.aborted) stop();
  });

const isAsyncIterable = (source: object): source is AsyncIterable<unknown> => Symbol.asyncIterator in source;

/** Whether a value can be listened to. */
export const isEventSource = (source: unknown): source is EventSourceOf<unknown> =>
  typeof source === "object" &&
  source !== null &&
  (isAsyncIterable(source) ||
    typeof (source as { subscribe?: unknown }).subscribe === "function" ||
    (Symbol.observable ?? "@@observable") in source);

/**
 * Closes a source that nobody will listen to. An iterator may be open before its first event is asked for (the listeners of
 * `events.on`, the body of a response); an Observable that nobody subscribed to is not.
 */
export const drop = (live: LiveCall, source: EventSourceOf<unknown>): void => {
  if (!isAsyncIterable(source)) return;
  const closing = (async () => source[Symbol.asyncIterator]().return?.())();
  closing.catch((error) => teardownFailed(live, error));
};

/**
 * Sends what a producer says to the thread that subscribed, in order, until the last event is durable or the call is
 * aborted; then stops the producer and resolves. Never rejects.
 *
 * The thread always hears of the end: a producer that completes, fails, sends something else than events, or floods an
 * Observable's buffer makes one last event that says so. What it sent before is delivered first.
 */
export const pump = (live: LiveCall, source: EventSourceOf<unknown>, start: number): Promise<void> => {
  const tell = teller(live, start);
  return isAsyncIterable(source) ? pull(live, source, tell) : drain(live, observableOf(live, source), tell);
};
