// Shows states of the gallery: the page's own components, without a charge behind them.

import type { Page } from "playwright-core";

import { STATES } from "../../form/src/gallery/states.ts";
import type { Service } from "./service.ts";

/** Where the gallery shows a state, and the fragment of that address. */
export function stateAddress(service: Service, state: string, settings: Record<string, string> = {}) {
  const standalone = STATES[state]?.standalone === true;
  const fragment = String(new URLSearchParams({ state, ...settings }));
  return { address: `${service.url}/demo/gallery?standalone=${standalone}#${fragment}`, fragment };
}

/** Shows a state. A page that shows the gallery already draws it without loading again, which takes a fifth of the time. */
export async function showState(
  service: Service,
  page: Page,
  state: string,
  settings: Record<string, string> = {},
): Promise<void> {
  const { address, fragment } = stateAddress(service, state, settings);
  await page.goto(address);
  await page.waitForSelector(`html[data-shown="${fragment}"]`);
}
