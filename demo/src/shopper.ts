// Who is shopping: an id that the browser keeps, so that a shopper who comes back finds the cards that were saved.

const STORAGE_KEY = "larkspur-shopper";
/** What the shop's server takes for an id. */
const ID = /^[\w-]{1,64}$/;
const RANDOM_BYTES = 16;

/** Of a browser that denies its storage to the shop: the shopper is known until the page is left. */
let inMemory: string | null = null;

/** The shopper's id; a new one at the first visit. */
export function shopperId(): string {
  const kept = stored() ?? inMemory;
  return kept !== null && ID.test(kept) ? kept : newShopper();
}

/** Takes whoever is here for somebody new from now on, and answers with the new id. */
export function newShopper(): string {
  // Not `randomUUID`, which a browser has only where the shop is served securely or from the same machine.
  const bytes = crypto.getRandomValues(new Uint8Array(RANDOM_BYTES));
  inMemory = `shopper-${Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("")}`;
  try {
    localStorage.setItem(STORAGE_KEY, inMemory);
  } catch {
    // Storage is denied or full; the memory has it.
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
