// The operator's key, for as long as the tab is open; where the browser keeps nothing, for as long as the page is.

const NAME = "cardform-operator-key";

let kept: string | null = null;

/** The key that was given before in this tab. */
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
    // The page has it as long as it stands.
  }
}
