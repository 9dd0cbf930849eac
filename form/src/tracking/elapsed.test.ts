// When a payment began, and how long a page was seen.

import { describe, expect, it } from "vitest";

import { createEngagement, startOf } from "./elapsed.ts";

const NOW = 1_800_000_000_000;
const NAVIGATED = NOW - 1_500;
const DAY_MS = 86_400_000;

describe("the start of a payment", () => {
  it.each([
    [`init_time=${NOW - 9_000}`, NOW - 9_000],
    [`payload=x&init_time=${NOW}`, NOW],
    [`init_time=${NOW - 2_000}.75`, NOW - 1_999],
    [`init_time=${NOW - DAY_MS + 1}`, NOW - DAY_MS + 1],
  ])("is what %s says", (search, start) => {
    expect(startOf(`?${search}`, NAVIGATED, NOW)).toBe(start);
  });

  it.each([
    "",
    "init_time=",
    "init_time=now",
    "init_time=-1",
    "init_time=1e12",
    "init_time=0x10",
    "init_time=NaN",
    "init_time=Infinity",
    "init_time=2026-11-21T15:00:00Z",
    `init_time=${NOW + 1}`,
    `init_time=${NOW - DAY_MS}`,
    `init_time=${(NOW - 9_000) / 1_000}`,
    `init_time=${"9".repeat(400)}`,
  ])("is the navigation's where it is told as %j", (search) => {
    expect(startOf(`?${search}`, NAVIGATED, NOW)).toBe(NAVIGATED);
  });
});

describe("engagement", () => {
  it("counts the time in which the page was visible", () => {
    const engagement = createEngagement(true, NOW);
    expect(engagement.ms(NOW + 100)).toBe(100);
    engagement.seen(false, NOW + 200);
    expect(engagement.ms(NOW + 5_000)).toBe(200);
    engagement.seen(true, NOW + 5_000);
    expect(engagement.ms(NOW + 5_050)).toBe(250);
    engagement.seen(true, NOW + 5_060);
    expect(engagement.ms(NOW + 5_060)).toBe(260);
  });

  it("begins when a page that was opened in the background is shown", () => {
    const engagement = createEngagement(false, NOW);
    expect(engagement.ms(NOW + 100)).toBe(0);
    engagement.seen(true, NOW + 100);
    expect(engagement.ms(NOW + 130)).toBe(30);
  });

  it("never shrinks below nothing when the clock is set back", () => {
    expect(createEngagement(true, NOW).ms(NOW - 1)).toBe(0);
  });
});
