// Loads scripts that the page needs later. One that does not load is tried again, and one that stalls counts as not loaded.

import { wait } from "../wait.ts";

/** Pauses before each new try. */
const PAUSES_MS = [500, 2_000, 5_000];

/** How long all tries together may take. */
export const LOAD_MS_MAX = 20_000;

/** The result of `load`, which is tried again after each pause. Rejects if every try fails, or if one stalls. */
export function fetchAgain<Module>(load: () => Promise<Module>): Promise<Module> {
  const tried = async () => {
    for (const ms of PAUSES_MS) {
      try {
        return await load();
      } catch {
        await wait(ms);
      }
    }
    return load();
  };
  return Promise.race([tried(), new Promise<never>((_, reject) => setTimeout(reject, LOAD_MS_MAX))]);
}
