// What the merchant's page has behind the form: the form is light or dark with it, and its labels are held against it.

/**
 * The nearest background behind `element` that nothing shines through, as the browser writes it: `rgb(24, 26, 32)`. Where
 * there is none, the page's `color-scheme`.
 */
export function hostBackground(element: Element | null): string {
  for (let behind = element; behind; behind = behind.parentElement) {
    const { backgroundColor } = getComputedStyle(behind);
    // Browsers write a color that something shines through with an alpha: `rgba(…, 0)`, `oklch(… / 0.5)`.
    if (!/a\(|\//.test(backgroundColor)) {
      return backgroundColor;
    }
  }
  return getComputedStyle(document.documentElement).colorScheme;
}
