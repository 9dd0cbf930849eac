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

const CLOCK = new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit" });
const CLOCK_SECONDS = new Intl.DateTimeFormat("en-GB", {
  hour: "2-digit",
  minute: "2-digit",
  second: "2-digit",
});
const DAY = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short" });
const DAY_CLOCK = new Intl.DateTimeFormat("en-GB", {
  day: "numeric",
  month: "short",
  hour: "2-digit",
  minute: "2-digit",
});

/** The label for a time on the chart's axis: the day for long buckets, else the hour and minute. */
export function formatTickTime(at: number, bucketMs: number): string {
  return bucketMs >= 3 * HOUR_MS ? DAY.format(at) : CLOCK.format(at);
}

/** The beginning and the end of a bucket. */
export function formatBucketTime(at: number, bucketMs: number): string {
  if (bucketMs < MINUTE_MS) {
    return `${CLOCK_SECONDS.format(at)} – ${CLOCK_SECONDS.format(at + bucketMs)}`;
  }
  if (bucketMs < HOUR_MS) {
    return `${CLOCK.format(at)} – ${CLOCK.format(at + bucketMs)}`;
  }
  return bucketMs < DAY_MS
    ? `${DAY_CLOCK.format(at)} – ${CLOCK.format(at + bucketMs)}`
    : `${DAY.format(at)} – ${DAY.format(at + bucketMs)}`;
}

export const formatClockTime = (at: number): string => CLOCK_SECONDS.format(at);

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

const MOMENT = new Intl.DateTimeFormat("en-GB", {
  day: "numeric",
  month: "short",
  year: "numeric",
  hour: "2-digit",
  minute: "2-digit",
});
const WHOLE_DAY = new Intl.DateTimeFormat("en-GB", {
  weekday: "long",
  day: "numeric",
  month: "long",
  year: "numeric",
});

/** "15 Jul 2026, 12:00" for a time in RFC 3339, in this browser's time zone. */
export const formatMoment = (at: string): string => MOMENT.format(new Date(at));

/** "Wednesday 15 July 2026". */
export const formatDay = (at: string): string => WHOLE_DAY.format(new Date(at)).replace(",", "");

/** "12:00:00". */
export const formatSecond = (at: string): string => CLOCK_SECONDS.format(new Date(at));
