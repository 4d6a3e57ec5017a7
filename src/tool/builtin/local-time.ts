import { Temporal } from "temporal-polyfill";

/** `YYYY-MM-DD` of a day that exists, in the years 1 to 9999. */
export const isDate = (date: string): boolean => {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(date) || date.startsWith("0000")) return false;
  const [year = 0, month = 0, day = 0] = date.split("-").map(Number);
  return month >= 1 && month <= 12 && day >= 1 && day <= new Temporal.PlainDate(year, month, 1).daysInMonth;
};

/** `HH:MM` or `HH:MM:SS`, 00:00 to 23:59:59. */
export const isTime = (time: string): boolean => /^(?:[01]\d|2[0-3])(?::[0-5]\d){1,2}$/.test(time);

const offset = /^[+-]\d{2}:\d{2}$/;
const zoneName = /^[A-Za-z][\w+-]*(?:\/[\w+-]+)*$/;

/** The name of an IANA time zone, in any case, or an offset from UTC such as `+02:00`. */
export const isZone = (zone: string): boolean => {
  if (!offset.test(zone) && !zoneName.test(zone)) return false;
  try {
    new Temporal.ZonedDateTime(0n, zone);
    return true;
  } catch {
    return false;
  }
};

/** An instant that was named by a local time. */
export interface LocalInstant {
  /** ms since the epoch. */
  readonly at: number;
  /** What a clock in the zone shows then, with the offset that was chosen: `2026-12-07T09:00:00+01:00`. */
  readonly clock: string;
  /** The zone as the time zone database writes it. */
  readonly zone: string;
  /** The local time as it was given. */
  readonly given: string;
  /** `skipped`: the local time does not exist there. `repeated`: it exists twice. */
  readonly is: "plain" | "skipped" | "repeated";
}

/**
 * The instant of a local time, which passed `isDate`, `isTime` and `isZone`. Where clocks are set forward over it, it moves
 * forward with them, by as much; where they are set back, the first of the two is meant (Temporal's "compatible").
 */
export const localInstant = (date: string, time: string, zone: string): LocalInstant => {
  const local = Temporal.PlainDateTime.from(`${date}T${time}`);
  const zoned = local.toZonedDateTime(zone, { disambiguation: "compatible" });
  const later = local.toZonedDateTime(zone, { disambiguation: "later" });
  const isRepeated = zoned.epochMilliseconds !== later.epochMilliseconds;
  return {
    at: zoned.epochMilliseconds,
    clock: `${zoned.toPlainDateTime().toString()}${zoned.offset}`,
    zone: zoned.timeZoneId,
    given: local.toString(),
    is: isRepeated ? "repeated" : zoned.toPlainDateTime().equals(local) ? "plain" : "skipped",
  };
};
