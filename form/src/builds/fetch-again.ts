// Loads scripts that the page needs later. One that does not load is tried again.

/** Pauses before each new try. */
const PAUSES_MS = [500, 2_000, 5_000];

/** The result of `load`, which is tried again after each pause. Rejects if every try fails. */
export async function fetchAgain<Module>(
  load: () => Promise<Module>,
  pauses: readonly number[] = PAUSES_MS,
): Promise<Module> {
  for (const ms of pauses) {
    try {
      return await load();
    } catch {
      await new Promise((resolve) => setTimeout(resolve, ms));
    }
  }
  return load();
}
