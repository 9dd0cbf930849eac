// Fetches the views that the first drawing does not need, so that the form can be used sooner. No payment starts and no
// card is listed before they are loaded.

import { useSyncExternalStore } from "react";

type LateViews = typeof import("./late-views.ts");

let views: LateViews | null = null;
const listeners = new Set<() => void>();

/** Fetches the script with the views. Rejects if it cannot be loaded. */
export async function fetchLateViews(): Promise<void> {
  views = await import("./late-views.ts");
  for (const drawAgain of listeners) {
    drawAgain();
  }
}

/** The late views; empty until their script has loaded. */
export function useLateViews(): Partial<LateViews> {
  return (
    useSyncExternalStore(
      subscribe,
      () => views,
      () => null,
    ) ?? {}
  );
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}
