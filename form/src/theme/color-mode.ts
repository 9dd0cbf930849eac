// The color mode: the one that the page forces, or the shopper's preference, which is kept in the browser's storage
// (docs/form.md#light-and-dark). With "system" the style sheets follow the operating system.

import type { ColorMode } from "../../generated/wire.ts";

/** Where the shopper's preference is kept. */
export const STORAGE_KEY = "cardform-color-mode";
const MODES: readonly ColorMode[] = ["system", "light", "dark"];

/**
 * Shows the page in its color mode. `forced` is the option's value. `follows` is whether the shopper's preference counts
 * if the option is absent, as on the payment page.
 */
export function applyColorMode(root: HTMLElement, forced: ColorMode | null, follows: boolean): void {
  if (forced === "system" || (follows && forced === null)) {
    root.dataset.colorMode = preference();
  }
}

/** The shopper's preference; "system" until there is one. */
function preference(): ColorMode {
  try {
    const kept = MODES.find((mode) => mode === localStorage.getItem(STORAGE_KEY));
    if (kept !== undefined) {
      return kept;
    }
    localStorage.setItem(STORAGE_KEY, "system");
  } catch {
    // Without storage the page follows the system.
  }
  return "system";
}
