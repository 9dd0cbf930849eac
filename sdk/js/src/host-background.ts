// Finds the background of the merchant's page behind the form. It decides whether the form is light or dark, and the contrast
// of its labels.

/**
 * The nearest background behind `element` that is not transparent, in the browser's notation: `rgb(24, 26, 32)`. If it is no
 * single opaque color, but a picture, a gradient or half-transparent, or if there is none: `text` and the color of the
 * element's text, which the page's author has chosen for this background.
 */
export function hostBackground(element: Element): string {
  for (let behind: Element | null = element; behind; behind = behind.parentElement) {
    const { backgroundColor, backgroundImage } = getComputedStyle(behind);
    const ground = backgroundImage + backgroundColor;
    // Browsers write an alpha value as `rgba(…, 0.5)` or `oklch(… / 0.5)`.
    if (/^none(?!rgba)[^/]+$/.test(ground)) {
      return backgroundColor;
    }
    if (!/^none.* 0\)$/.test(ground)) {
      break;
    }
  }
  return `text ${getComputedStyle(element).color}`;
}
