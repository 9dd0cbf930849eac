// Fetches scripts that may be needed later, while the connection works (docs/form.md#newer-builds).

import type { Connection } from "./follow-builds.ts";

const AT_ONCE_MAX = 4;

/** Loads `chunks`, unless the shopper saves data or has a slow connection. */
export async function fetchAhead(
  chunks: readonly (() => Promise<unknown>)[],
  connection: Connection | undefined,
): Promise<void> {
  if (connection?.saveData || connection?.effectiveType?.includes("2g")) {
    return;
  }
  const left = chunks.values();
  const lane = async () => {
    for (const load of left) {
      // One that fails is loaded again when it is needed, and its error is handled there.
      await load().catch(() => {});
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE_MAX }, lane));
}
