import type { Page, Request } from "playwright-core";
import { expect } from "vitest";

/** Longer than a script takes to load on a busy machine. */
const LIMIT_MS = 30_000;

/**
 * Presses, and moves the page's clock in steps until the page sends the payment. One step is not enough: the page may set
 * its timer after it.
 */
export async function pressedAndForwarded(page: Page, stepMs: number): Promise<Request> {
  const requests: Request[] = [];
  page.on("request", (request) => {
    if (request.url().endsWith("/v1/pub/direct/charges")) {
      requests.push(request);
    }
  });
  await page.click("#pay");
  const forward = async () => {
    await page.clock.fastForward(stepMs);
    return requests.length;
  };
  await expect.poll(forward, { interval: 250, timeout: LIMIT_MS }).toBeGreaterThan(0);
  return requests[0] as Request;
}
