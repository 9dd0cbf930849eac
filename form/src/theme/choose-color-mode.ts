// The shopper chooses a color mode in the payment page's foot (docs/form.md#light-and-dark).

import { STORAGE_KEY } from "./color-mode.ts";

export function shownColorMode(): string {
  return document.documentElement.dataset.colorMode ?? "system";
}

/** Shows the page in `mode`, and keeps it as the shopper's preference. */
export function chooseColorMode(mode: string): void {
  document.documentElement.dataset.colorMode = mode;
  try {
    localStorage.setItem(STORAGE_KEY, mode);
  } catch {
    // Without storage the choice lasts as long as the page.
  }
}
