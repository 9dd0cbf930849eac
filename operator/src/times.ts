// The time ranges of the report, and how the page writes times.

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

export interface TimeRange {
  readonly ms: number;
  readonly name: string;
}

export const HOUR: TimeRange = { ms: HOUR_MS, name: "Hour" };

export const RANGES: readonly TimeRange[] = [
  { ms: 15 * MINUTE_MS, name: "15 min" },
  HOUR,
  { ms: DAY_MS, name: "Day" },
  { ms: 7 * DAY_MS, name: "Week" },
  { ms: 30 * DAY_MS, name: "30 days" },
];

/** A function that writes times in this browser's time zone. */
const inFormat = (options: Intl.DateTimeFormatOptions) => new Intl.DateTimeFormat("en-GB", options).format;

const TIME = { hour: "2-digit", minute: "2-digit" } as const;
const DATE = { day: "numeric", month: "short" } as const;
const clock = inFormat(TIME);
const clockSeconds = inFormat({ ...TIME, second: "2-digit" });
const day = inFormat(DATE);
const dayClock = inFormat({ ...DATE, ...TIME });
const moment = inFormat({ ...DATE, year: "numeric", ...TIME });
const wholeDay = inFormat({ weekday: "long", day: "numeric", month: "long", year: "numeric" });

/** The label for a time on the chart's axis: the day for long buckets, else the hour and minute. */
export function formatTickTime(at: number, bucketMs: number): string {
  return bucketMs >= 3 * HOUR_MS ? day(at) : clock(at);
}

/** The beginning and the end of a bucket. */
export function formatBucketTime(at: number, bucketMs: number): string {
  if (bucketMs < MINUTE_MS) {
    return `${clockSeconds(at)} – ${clockSeconds(at + bucketMs)}`;
  }
  if (bucketMs < HOUR_MS) {
    return `${clock(at)} – ${clock(at + bucketMs)}`;
  }
  return `${dayClock(at)} – ${clock(at + bucketMs)}`;
}

/** "3 minutes": whole units of the largest unit that fits. */
export function formatDuration(ms: number): string {
  const units: readonly (readonly [number, string])[] = [
    [DAY_MS, "day"],
    [HOUR_MS, "hour"],
    [MINUTE_MS, "minute"],
    [1_000, "second"],
  ];
  for (const [unit, name] of units) {
    const whole = Math.floor(ms / unit);
    if (whole >= 1) {
      return `${whole} ${name}${whole === 1 ? "" : "s"}`;
    }
  }
  return "a moment";
}

/** "15 Jul 2026, 12:00" for a time in RFC 3339. */
export const formatMoment = (at: string): string => moment(new Date(at));

/** "Wednesday 15 July 2026". */
export const formatDay = (at: string): string => wholeDay(new Date(at)).replace(",", "");

/** "12:00:00". */
export const formatSecond = (at: string | number): string => clockSeconds(new Date(at));
