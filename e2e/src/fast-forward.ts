import type { Page, Request } from "playwright-core";
import { expect } from "vitest";

/** Longer than a script takes to load on a busy machine. */
const LIMIT_MS = 30_000;
/** The page's clock moves four times as fast as the real one, so that the service can answer within the page's limits. */
const STEP_MS = 1_000;
const EVERY_MS = 250;

/** Presses, and moves the page's clock until the page sends the payment. */
export async function pressedAndForwarded(page: Page): Promise<Request> {
  const requests: Request[] = [];
  page.on("request", (request) => {
    if (request.url().endsWith("/v1/pub/direct/charges")) {
      requests.push(request);
    }
  });
  await page.click("#pay");
  const forward = async () => {
    await page.clock.fastForward(STEP_MS);
    return requests.length;
  };
  await expect.poll(forward, { interval: EVERY_MS, timeout: LIMIT_MS }).toBeGreaterThan(0);
  return requests[0] as Request;
}
