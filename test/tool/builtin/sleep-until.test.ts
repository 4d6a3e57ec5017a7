import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isDate, isTime, isZone, localInstant } from "../../../src/tool/builtin/local-time.ts";
import { sleepUntil } from "../../../src/tool/builtin/sleep-until.ts";
import { createToolset } from "../../../src/tool/toolset.ts";

const tools = createToolset([sleepUntil]);
const verdictOf = (date: string, time: string, timezone: string) =>
  tools.judge("sleep_until", JSON.stringify({ date, time, timezone })).verdict;
const noteOf = (date: string, time: string, timezone: string) => {
  const verdict = verdictOf(date, time, timezone);
  if (verdict.as === "refused") throw new Error(verdict.text);
  return { at: new Date(verdict.wakeAt ?? Number.NaN).toISOString(), note: verdict.note };
};

const [hour, day] = [3_600_000, 86_400_000];

/** What a clock on the wall in a zone shows, as if it were in UTC: found without the code under test. */
const wallClock = (() => {
  const formats = new Map<string, Intl.DateTimeFormat>();
  return (at: number, zone: string): number => {
    const format =
      formats.get(zone) ??
      new Intl.DateTimeFormat("en-US", {
        timeZone: zone,
        hourCycle: "h23",
        year: "numeric",
        month: "2-digit",
        day: "2-digit",
        hour: "2-digit",
        minute: "2-digit",
        second: "2-digit",
      });
    formats.set(zone, format);
    const parts = new Map(format.formatToParts(at).map(({ type, value }) => [type, Number(value)]));
    const part = (name: Intl.DateTimeFormatPartTypes) => parts.get(name) ?? Number.NaN;
    return Date.UTC(part("year"), part("month") - 1, part("day"), part("hour"), part("minute"), part("second"));
  };
})();

/** Every instant at which a clock in the zone shows `wall`, earliest first. */
const instantsOf = (wall: number, zone: string): number[] => {
  const around = Array.from({ length: 53 }, (_, index) => wall + (index - 26) * hour);
  const offsets = new Set(around.map((at) => wallClock(at, zone) - at));
  return [...offsets]
    .map((offset) => wall - offset)
    .filter((at) => wallClock(at, zone) === wall)
    .sort((a, b) => a - b);
};

const written = (wall: number) => {
  const [date = "", time = ""] = new Date(wall).toISOString().slice(0, 19).split("T");
  return { date, time };
};

const anyZone = fc.constantFrom(
  ...["Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Pacific/Apia", "Africa/Casablanca", "+05:45"],
  ...Intl.supportedValuesOf("timeZone"),
);
const second = 1_000;
const seconds = (from: number, to: number) =>
  fc.integer({ min: from / second, max: to / second }).map((count) => count * second);

/** An instant of a zone, often within hours of one at which its clocks are set. */
const anyMoment = fc
  .record({ zone: anyZone, at: seconds(Date.UTC(1920, 0), Date.UTC(2090, 0)), near: seconds(-3 * hour, 3 * hour) })
  .map(({ zone, at, near }) => {
    const offset = (instant: number) => wallClock(instant, zone) - instant;
    for (let days = 0; days < 200; days += 10) {
      let [low, high] = [at + days * day, at + (days + 10) * day];
      if (offset(low) === offset(high)) continue;
      while (high - low > second) {
        const middle = low + Math.floor((high - low) / (2 * second)) * second;
        if (offset(middle) === offset(low)) low = middle;
        else high = middle;
      }
      return { zone, at: high + near };
    }
    return { zone, at };
  });

describe("a local time", () => {
  it("that a clock showed at an instant names that instant, but for the second of two, which names the first", () => {
    const counts = { plain: 0, repeated: 0 };
    fc.assert(
      fc.property(anyMoment, ({ zone, at }) => {
        const wall = wallClock(at, zone);
        const { date, time } = written(wall);
        const instant = localInstant(date, time, zone);
        const [first, ...others] = instantsOf(wall, zone);
        expect(instant.at).toBe(first);
        expect(instant.is).toBe(others.length === 0 ? "plain" : "repeated");
        if (others.length === 0) expect(instant.at).toBe(at);
        counts[others.length === 0 ? "plain" : "repeated"]++;
      }),
      { numRuns: 400 },
    );
    expect(counts.repeated).toBeGreaterThan(0);
    expect(counts.plain).toBeGreaterThan(0);
  });

  it("that no clock ever shows moves forward by what the clocks are set forward", () => {
    let skipped = 0;
    fc.assert(
      fc.property(anyMoment, ({ zone, at }) => {
        const wall = at + (wallClock(at - day, zone) - (at - day));
        const { date, time } = written(wall);
        const instant = localInstant(date, time, zone);
        const isShown = instantsOf(wall, zone).length > 0;
        expect(instant.is === "skipped").toBe(!isShown);
        if (isShown) return;
        skipped++;
        const offsetBefore = wall - instant.at;
        expect(wallClock(instant.at - day, zone)).toBe(instant.at - day + offsetBefore);
        expect(wallClock(instant.at, zone)).toBeGreaterThan(wall);
      }),
      { numRuns: 400 },
    );
    expect(skipped).toBeGreaterThan(0);
  });

  it("is read back from what the model is told, to the second, in the years 1 to 9999", () =>
    fc.assert(
      fc.property(anyZone, seconds(-62_135_596_800_000 + day, 253_402_300_799_000 - day), (zone, wall) => {
        const { date, time } = written(wall);
        const { at, clock } = localInstant(date, time, zone);
        const [, shown = "", sign = "", h = "", m = "", s = "0"] =
          /^(.{19})([+-])(\d{2}):(\d{2})(?::(\d{2}))?$/.exec(clock) ?? [];
        const offset = (Number(h) * 3_600 + Number(m) * 60 + Number(s)) * second * (sign === "-" ? -1 : 1);
        expect(Date.parse(`${shown}Z`) - offset).toBe(at);
      }),
    ));
});

describe("sleep_until", () => {
  it("is a wait that ends at an instant, and says which one and with what offset", () =>
    expect(tools.judge("sleep_until", '{"date":"2026-12-07","time":"09:00","timezone":"europe/berlin"}')).toEqual({
      args: { date: "2026-12-07", time: "09:00", timezone: "europe/berlin" },
      display: "Sleep until 2026-12-07T09:00:00+01:00 (Europe/Berlin)",
      verdict: {
        as: "accepted",
        form: "builtin",
        passive: true,
        onRestart: "again",
        wakeAt: Date.UTC(2026, 11, 7, 8),
        note: "The wait was until 2026-12-07T09:00:00+01:00 (Europe/Berlin).",
      },
    }));

  it("moves a time that does not exist forward with the clocks, and says so", () => {
    expect(noteOf("2026-03-29", "02:30", "Europe/Berlin")).toEqual({
      at: "2026-03-29T01:30:00.000Z",
      note: "The wait was until 2026-03-29T03:30:00+02:00 (Europe/Berlin). 2026-03-29T02:30:00 does not exist there, because the clocks are set forward over it; the wait moved forward with them.",
    });
    expect(noteOf("2011-12-30", "09:00", "Pacific/Apia").note).toMatch(/until 2011-12-31T09:00:00\+14:00/);
  });

  it("takes the first of two instants where a time comes twice, and says so", () =>
    expect(noteOf("2026-10-25", "02:30", "Europe/Berlin")).toEqual({
      at: "2026-10-25T00:30:00.000Z",
      note: "The wait was until 2026-10-25T02:30:00+02:00 (Europe/Berlin). 2026-10-25T02:30:00 comes twice there, because the clocks are set back; the first was meant.",
    }));

  it("accepts what has passed, years from 1 to 9999, offsets, and zones whose clocks were not set by the minute", () => {
    expect(noteOf("2001-01-01", "09:00", "UTC").at).toBe("2001-01-01T09:00:00.000Z");
    expect(noteOf("0001-01-01", "00:00:01", "UTC").at).toBe("0001-01-01T00:00:01.000Z");
    expect(noteOf("9999-12-31", "23:59:59", "+00:00").at).toBe("9999-12-31T23:59:59.000Z");
    expect(noteOf("1700-01-01", "12:00", "Europe/Berlin").note).toContain("1700-01-01T12:00:00+00:53:28");
  });

  it.each([
    ["date", "2026-02-29", "09:00", "UTC", "expected a day that exists as YYYY-MM-DD", "e.g. 2026-12-07"],
    ["time", "2026-02-28", "24:00", "UTC", "expected a time of day from 00:00 to 23:59:59", "e.g. 09:00"],
    ["timezone", "2026-02-28", "09:00", "Not/AZone", "expected the name of an IANA time zone", "e.g. Europe/Berlin"],
  ])("refuses a bad %s as validation, with what came and an example", (field, date, time, zone, problem, example) => {
    const verdict = verdictOf(date, time, zone);
    expect(verdict).toMatchObject({ as: "refused", origin: "validation" });
    const text = verdict.as === "refused" ? verdict.text : "";
    const came = { date, time, timezone: zone }[field];
    expect(text).toContain(`- ${field}: ${problem}`);
    expect(text).toContain(example);
    expect(text).toContain(`got ${JSON.stringify(came)}`);
    expect(text.split("\n- ")).toHaveLength(2);
  });

  it.each([
    "0000-01-01",
    "2026-13-01",
    "2026-00-10",
    "2026-04-31",
    "2026-1-1",
    "+002026-01-01",
    "26-01-01",
    "1900-02-29",
  ])("knows no day %s", (date) => expect(isDate(date)).toBe(false));

  it.each(["9:00", "09", "09:60", "09:00:60", "24:00", "09:00:00.5", "0900", "09:00Z", "09:00:00:00"])(
    "knows no time %s",
    (time) => expect(isTime(time)).toBe(false),
  );

  it.each(["", "Z", "PST", "Berlin", "GMT+2", "+2", "+0200", "+24:00", "+02:00:30", "2026-01-01T00:00[UTC]", "local"])(
    "knows no zone %j",
    (zone) => expect(isZone(zone)).toBe(false),
  );

  it("accepts a day exactly when a calendar has it", () =>
    fc.assert(
      fc.property(fc.nat(9999), fc.nat(13), fc.nat(32), (year, month, dayOfMonth) => {
        const pad = (value: number, length: number) => String(value).padStart(length, "0");
        const date = `${pad(year, 4)}-${pad(month, 2)}-${pad(dayOfMonth, 2)}`;
        const parsed = new Date(`${date}T00:00:00Z`);
        const exists = !Number.isNaN(parsed.getTime()) && parsed.toISOString().startsWith(date) && year > 0;
        expect(isDate(date)).toBe(exists);
      }),
    ));

  it("never throws, whatever the model writes", () =>
    fc.assert(
      fc.property(
        fc.oneof(fc.constantFrom("2026-12-07", "2026-02-30"), fc.string()),
        fc.oneof(fc.constantFrom("09:00", "25:00"), fc.string()),
        fc.oneof(fc.constantFrom("UTC", "+02:00", "Etc/GMT+2", "T12:00Z", "a/b"), fc.string()),
        (date, time, zone) => {
          const verdict = verdictOf(date, time, zone);
          expect(verdict.as === "accepted").toBe(isDate(date) && isTime(time) && isZone(zone));
        },
      ),
      { numRuns: 500 },
    ));
});
