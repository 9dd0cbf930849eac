// The shopper's id, which the browser stores, so that a returning shopper finds the saved cards.

const STORAGE_KEY = "larkspur-shopper";
/** The form of an id that the shop's server accepts. */
const ID = /^[\w-]{1,64}$/;
const RANDOM_BYTES = 16;

/** For a browser that denies storage to the shop: the id lasts until the page is left. */
let inMemory: string | null = null;

/** The shopper's id; a new one at the first visit. */
export function shopperId(): string {
  const kept = stored() ?? inMemory;
  return kept !== null && ID.test(kept) ? kept : newShopper();
}

/** Replaces the id, as for a new shopper, and returns the new one. */
export function newShopper(): string {
  // Not `randomUUID`, which a browser has only where the shop is served securely or from the same machine.
  const bytes = crypto.getRandomValues(new Uint8Array(RANDOM_BYTES));
  inMemory = `shopper-${Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("")}`;
  try {
    localStorage.setItem(STORAGE_KEY, inMemory);
  } catch {
    // Storage is denied or full; the id stays in memory.
  }
  return inMemory;
}

function stored(): string | null {
  try {
    return localStorage.getItem(STORAGE_KEY);
  } catch {
    return null;
  }
}
