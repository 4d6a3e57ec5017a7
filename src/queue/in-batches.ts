import { setImmediate as endOfTurn } from "node:timers/promises";
import { concat, defer, EMPTY, exhaustMap, ignoreElements, type OperatorFunction, of, repeat, tap } from "rxjs";

/**
 * Hands what arrives to `work` in order, one batch at a time. A batch is what came in one turn of the event loop, or
 * while the batch before it was worked on, until its sizes add up to `limit`; a value larger than that is a batch of its
 * own. What still waits when the source completes is worked on before the result completes.
 * `work` must not reject: that would end the stream for everybody. Inside there is one buffer and no state per key.
 */
export const inBatches = <T>(
  { limit, sizeOf }: { readonly limit: number; readonly sizeOf: (value: T) => number },
  work: (batch: readonly T[]) => Promise<void>,
): OperatorFunction<T, void> => {
  const take = (waiting: T[]): T[] => {
    let count = 0;
    for (let size = 0; count < waiting.length; count++) {
      size += sizeOf(waiting[count] as T);
      if (size > limit && count > 0) break;
    }
    return waiting.splice(0, count);
  };
  return (arrivals) =>
    defer(() => {
      const waiting: T[] = [];
      // `repeat` looks at the buffer in the same breath in which a batch completes, so no arrival falls between.
      const untilEmpty = defer(() => work(take(waiting))).pipe(
        repeat({ delay: () => (waiting.length > 0 ? of(true) : EMPTY) }),
      );
      const turn = defer(() => endOfTurn()).pipe(ignoreElements());
      return arrivals.pipe(
        tap((value) => waiting.push(value)),
        exhaustMap(() => concat(turn, untilEmpty)),
      );
    });
};
