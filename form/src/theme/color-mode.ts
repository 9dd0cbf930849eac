// The colour mode: what the page forces, or the shopper's preference, which is kept in the browser's storage
// (docs/form.md#light-and-dark). The style sheets do the rest; under "system" they follow the operating
// system.

import type { ColorMode } from "../../generated/wire.ts";

const STORAGE_KEY = "cardform-color-mode";
const MODES: readonly ColorMode[] = ["system", "light", "dark"];

/**
 * Shows the page in its colour mode. `forced` is what the options say; `follows` whether a preference counts where they say
 * nothing, as on the payment page.
 */
export function applyColorMode(root: HTMLElement, forced: ColorMode | null, follows: boolean): void {
  if (forced === "system") {
    console.warn("Cardform: light and dark can be forced. System cannot: the shopper's preference counts.");
  }
  if (forced === "system" || (follows && forced === null)) {
    root.dataset.colorMode = preference();
  }
}

/** The shopper's preference; the system's mode until there is one. */
function preference(): ColorMode {
  try {
    const kept = MODES.find((mode) => mode === localStorage.getItem(STORAGE_KEY));
    if (kept !== undefined) {
      return kept;
    }
    localStorage.setItem(STORAGE_KEY, "system");
  } catch {
    // Storage is denied to this page; it follows the system.
  }
  return "system";
}
