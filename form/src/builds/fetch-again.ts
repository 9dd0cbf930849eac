// Scripts that come late and are needed: one that did not come is asked for again.

/** Pauses before a script is asked for again. */
const PAUSES_MS = [500, 2_000, 5_000];

/** What `load` loads, asked again after each pause. Rejects when it never comes. */
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
