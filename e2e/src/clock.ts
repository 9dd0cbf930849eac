// Advances the clock of a page on which `page.clock.install()` was called, so that no test waits for the page's timers.

import type { Locator, Page, Request } from "playwright-core";
import { expect } from "vitest";

const STEP_MS = 1_000;
/** How long to continue, in real time. The network needs real time for its answers. */
const REAL_MS_MAX = 30_000;
/** The page's clock is four times as fast as the real one, so that the service can answer within the page's limits. */
const SLOW_INTERVAL_MS = 250;

/** Advances the page's clock, a second at each interval, until `count` returns more than 0. */
export async function advanceClockUntil(
  page: Page,
  count: () => Promise<number> | number,
  interval = 50,
): Promise<void> {
  const step = async () => {
    await page.clock.runFor(STEP_MS);
    return count();
  };
  await expect.poll(step, { interval, timeout: REAL_MS_MAX }).toBeGreaterThan(0);
}

/** Advances the page's clock until the element is in the page. */
export function advanceClockUntilShown(page: Page, element: Locator): Promise<void> {
  return advanceClockUntil(page, () => element.count());
}

/** Presses the pay button, and advances the page's clock until the page sends the payment. Returns its request. */
export async function payAndAdvanceClock(page: Page): Promise<Request> {
  const sent: Request[] = [];
  page.on("request", (request) => {
    if (request.url().endsWith("/v1/pub/direct/charges")) sent.push(request);
  });
  await page.click("#pay");
  await advanceClockUntil(page, () => sent.length, SLOW_INTERVAL_MS);
  return sent[0] as Request;
}
