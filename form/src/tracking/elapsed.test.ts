// When a payment began, and how long a page was seen.

import { describe, expect, it } from "vitest";

import { createEngagement, startOf } from "./elapsed.ts";

const NOW = 1_800_000_000_000;
const NAVIGATED = NOW - 1_500;
const DAY_MS = 86_400_000;

describe("the start of a payment", () => {
  it.each([NOW, NOW - 9_000, NOW - DAY_MS + 1])("is the time in the query: %i", (told) => {
    expect(startOf(told, NAVIGATED, NOW)).toBe(told);
  });

  it.each([null, NOW + 1, NOW - DAY_MS, (NOW - 9_000) / 1_000])(
    "is the navigation's where %s is told",
    (told) => {
      expect(startOf(told, NAVIGATED, NOW)).toBe(NAVIGATED);
    },
  );
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
