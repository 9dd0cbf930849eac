// A page whose clock the test moves on (`page.clock.install()`), so that no test waits for the page's timers.

import type { Locator, Page } from "playwright-core";
import { expect } from "vitest";

const STEP_MS = 1_000;
/** Real time between two steps, in which the network can answer. */
const REAL_MS_MAX = 30_000;

/** Moves the page's clock on until `seen` counts something. */
export async function passTimeUntil(page: Page, seen: () => Promise<number>): Promise<void> {
  const step = async () => {
    await page.clock.runFor(STEP_MS);
    return seen();
  };
  await expect.poll(step, { timeout: REAL_MS_MAX }).toBeGreaterThan(0);
}

/** Moves the page's clock on until the element is shown. */
export function passTimeUntilShown(page: Page, part: Locator): Promise<void> {
  return passTimeUntil(page, () => part.count());
}
