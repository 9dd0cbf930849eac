import type { Page, Request } from "playwright-core";

/** The pause between two steps of the clock. */
const PAUSE_MS = 250;

function isDirectCharge(request: Request): boolean {
  return request.url().endsWith("/v1/pub/direct/charges");
}

/**
 * Presses, and moves the page's clock in steps until the page sends the payment. One step is not enough: the page may set
 * its timer after it.
 */
export async function pressedAndForwarded(page: Page, stepMs: number): Promise<Request> {
  let wanted: Request | undefined;
  const sent = page.waitForRequest(isDirectCharge).then((request) => {
    wanted = request;
  });
  await page.click("#pay");
  while (wanted === undefined) {
    await page.clock.fastForward(stepMs);
    await Promise.race([sent, new Promise((resolve) => setTimeout(resolve, PAUSE_MS))]);
  }
  return wanted;
}
