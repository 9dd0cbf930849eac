// The operator's key, kept while the tab is open; where the browser stores nothing, while the page is open.

const NAME = "cardform-operator-key";

let kept: string | null = null;

/** The key that was entered before in this tab. */
export function keptKey(): string | null {
  try {
    return kept ?? sessionStorage.getItem(NAME);
  } catch {
    return kept;
  }
}

/** Keeps the key, or forgets it. */
export function keepKey(key: string | null): void {
  kept = key;
  try {
    if (key === null) {
      sessionStorage.removeItem(NAME);
    } else {
      sessionStorage.setItem(NAME, key);
    }
  } catch {
    // The page keeps it in memory while it is open.
  }
}
