import type { Row } from "./align.ts";
import type { CallBook } from "./calls.ts";
import type { Difference } from "./difference.ts";
import { matchesEvent, type SeenEvent, tellEvent, tellEventPattern } from "./events.ts";
import type { Expectations } from "./expectation-schema.ts";

type Found = Omit<Difference, "where">;

/** Compares what an observer saw: `events` as a subsequence in order, `events_absent` as what no event may be. */
export function* eventDifferences(
  { events: expected, events_absent: absent }: Expectations,
  seen: readonly SeenEvent[],
  calls: CallBook,
): Generator<Found> {
  const tell = (event: SeenEvent) => tellEvent(event, calls);
  if (expected) {
    const rows: Row[] = [];
    let next = 0;
    for (const event of seen) {
      const pattern = expected[next];
      const fits = pattern !== undefined && matchesEvent(pattern, event, calls);
      rows.push(
        fits
          ? { fits, expected: tellEventPattern(pattern), seen: tell(event) }
          : { fits: true, expected: "…", seen: tell(event) },
      );
      if (fits) next++;
    }
    const missing = expected.slice(next).map((pattern) => ({ fits: false, expected: tellEventPattern(pattern) }));
    if (missing.length > 0) yield { what: "events, in this order among others", rows: [...rows, ...missing] };
  }
  for (const pattern of absent ?? []) {
    const present = seen.find((event) => matchesEvent(pattern, event, calls));
    if (present) yield { what: "events_absent", expected: `no ${tellEventPattern(pattern)}`, seen: tell(present) };
  }
}
