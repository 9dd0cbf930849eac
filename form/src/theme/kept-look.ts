// Keeps the merchant's theme for the page to which the bank's challenge returns, which may be another tab.

export const LOOK_KEY = "cardform-look";

/** Keeps the theme in this page's address, or forgets the last one. */
export function keepLook(): void {
  try {
    localStorage.setItem(LOOK_KEY, new URLSearchParams(location.search).get("customStyle") ?? "");
  } catch {
    // Without storage that page has the default theme.
  }
}
