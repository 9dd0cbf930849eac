// The color mode: the one that the page forces, or the shopper's preference, which is kept in the browser's storage
// (docs/form.md#light-and-dark). With "system" the style sheets follow the operating system.

import type { ColorMode } from "../../generated/wire.ts";

export const STORAGE_KEY = "cardform-color-mode";
const MODES: readonly ColorMode[] = ["system", "light", "dark"];

/** Shows the page in the mode that is `forced` or, if the page `follows` it, in the shopper's preference. */
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
