// Advances the clock of a page on which `page.clock.install()` was called, so that no test waits for the page's timers.

import type { Locator, Page } from "playwright-core";
import { expect } from "vitest";

const STEP_MS = 1_000;
/** How long to continue, in real time. The network needs real time for its answers. */
const REAL_MS_MAX = 30_000;

/** Advances the page's clock until `count` returns more than 0. */
export async function advanceClockUntil(page: Page, count: () => Promise<number>): Promise<void> {
  const step = async () => {
    await page.clock.runFor(STEP_MS);
    return count();
  };
  await expect.poll(step, { timeout: REAL_MS_MAX }).toBeGreaterThan(0);
}

/** Advances the page's clock until the element is in the page. */
export function advanceClockUntilShown(page: Page, element: Locator): Promise<void> {
  return advanceClockUntil(page, () => element.count());
}
