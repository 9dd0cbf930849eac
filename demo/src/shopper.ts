// The shopper's id. The browser stores it, so that a returning shopper finds the saved cards.

const STORAGE_KEY = "larkspur-shopper";
/** The ids that the shop's server accepts. */
const ID = /^[\w-]{1,64}$/;
const RANDOM_BYTES = 16;

/** The id when the browser allows no storage. It is lost when the shopper leaves the page. */
let inMemory: string | null = null;

/** The shopper's id. The first visit makes a new one. */
export function shopperId(): string {
  const known = storedId() ?? inMemory;
  return known !== null && ID.test(known) ? known : newShopper();
}

/** Replaces the id with that of a new shopper, and returns it. */
export function newShopper(): string {
  // `randomUUID` is not used, because browsers have it only on pages over https or from the same machine.
  const bytes = crypto.getRandomValues(new Uint8Array(RANDOM_BYTES));
  inMemory = `shopper-${Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("")}`;
  try {
    localStorage.setItem(STORAGE_KEY, inMemory);
  } catch {
    // Storage is forbidden or full, so the id stays in memory.
  }
  return inMemory;
}

function storedId(): string | null {
  try {
    return localStorage.getItem(STORAGE_KEY);
  } catch {
    return null;
  }
}
