// A page whose time a test moves on (`page.clock.install()`), so that nobody waits for pauses that the page makes.

import type { Locator, Page } from "playwright-core";
import { expect } from "vitest";

const STEP_MS = 1_000;
/** What is waited for comes over the network, in real time, between the steps. */
const REAL_MS_MAX = 30_000;

/** Lets the page's time pass until `seen` has something of what the test waits for. */
export async function passTimeUntil(page: Page, seen: () => Promise<number>): Promise<void> {
  const step = async () => {
    await page.clock.runFor(STEP_MS);
    return seen();
  };
  await expect.poll(step, { timeout: REAL_MS_MAX }).toBeGreaterThan(0);
}

/** Lets the page's time pass until the part is there. */
export function passTimeUntilShown(page: Page, part: Locator): Promise<void> {
  return passTimeUntil(page, () => part.count());
}
