import { concatMap, filter, type OperatorFunction, tap } from "rxjs";

/**
 * Hands what arrives to `work` in order, one batch at a time. A batch is what came in one breath (before the next
 * microtask), or while the batch before it was worked on, until its sizes add up to `limit`; a value larger than that is a
 * batch of its own. What still waits when the source completes is worked on before the result completes.
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
  return (arrivals) => {
    const waiting: T[] = [];
    let working = false;
    const untilEmpty = async (): Promise<void> => {
      await undefined;
      while (waiting.length > 0) await work(take(waiting));
      // In the same breath as the last look at the buffer: what arrives from here on begins anew.
      working = false;
    };
    return arrivals.pipe(
      tap((value) => waiting.push(value)),
      filter(() => !working),
      concatMap(() => {
        working = true;
        return untilEmpty();
      }),
    );
  };
};
