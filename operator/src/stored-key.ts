// Stores the operator's key until the tab is closed. When the browser allows no storage, the key is lost on a reload.

const NAME = "cardform-operator-key";

let inMemory: string | null = null;

/** The key that was entered in this tab, or null. */
export function storedKey(): string | null {
  try {
    return inMemory ?? sessionStorage.getItem(NAME);
  } catch {
    return inMemory;
  }
}

/** Stores the key, or removes it when `key` is null. */
export function storeKey(key: string | null): void {
  inMemory = key;
  try {
    if (key === null) {
      sessionStorage.removeItem(NAME);
    } else {
      sessionStorage.setItem(NAME, key);
    }
  } catch {
    // Storage is forbidden, so the key is only in memory.
  }
}
