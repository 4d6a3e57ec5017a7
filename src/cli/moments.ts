/** The last instant that a date can name. */
const lastInstant = 8.64e15;

const two = (number: number): string => String(Math.trunc(number)).padStart(2, "0");

/** An instant in the time zone of this process: `2025-12-01T09:30:00+01:00`. One that no date can name is the last that one can. */
export const localTime = (at: number): string => {
  const date = new Date(Math.max(-lastInstant, Math.min(lastInstant, at || 0)));
  const offset = -date.getTimezoneOffset();
  const shifted = new Date(date.getTime() + offset * 60_000);
  // The very last instant of all may lie beyond that when it is shifted.
  const local = (Number.isNaN(shifted.getTime()) ? date : shifted).toISOString().replace(/\.\d+Z$/, "");
  return `${local}${offset < 0 ? "-" : "+"}${two(Math.abs(offset) / 60)}:${two(Math.abs(offset) % 60)}`;
};

const units = [
  ["year", 365 * 86_400_000],
  ["day", 86_400_000],
  ["hour", 3_600_000],
  ["minute", 60_000],
  ["second", 1_000],
] as const;

const words = new Intl.RelativeTimeFormat("en");

/** How far off an instant is, in the largest unit of which it has two: `in 2 days`, `90 minutes ago`, `now`. */
export const fromNow = (at: number, now: number): string => {
  const distance = at - now;
  if (Math.abs(distance) < 500) return "now";
  const [unit, length] = units.find(([, length]) => Math.abs(distance) >= 2 * length) ?? ["second", 1_000];
  return words.format(Math.round(distance / length), unit);
};

/** Both: `2025-12-01T09:30:00+01:00 (in 2 days)`. */
export const moment = (at: number, now: number): string => `${localTime(at)} (${fromNow(at, now)})`;
