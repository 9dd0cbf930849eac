// Finds the background of the merchant's page behind the form. It decides whether the form is light or dark, and the contrast
// of its labels.

/**
 * The nearest background behind `element` that is not transparent, in the browser's notation: `rgb(24, 26, 32)`. If there
 * is none, the page's `color-scheme`.
 */
export function hostBackground(element: Element | null): string {
  for (let behind = element; behind; behind = behind.parentElement) {
    const { backgroundColor } = getComputedStyle(behind);
    // Browsers write a transparent color with an alpha value: `rgba(…, 0)`, `oklch(… / 0.5)`.
    if (!/a\(|\//.test(backgroundColor)) {
      return backgroundColor;
    }
  }
  return getComputedStyle(document.documentElement).colorScheme;
}
