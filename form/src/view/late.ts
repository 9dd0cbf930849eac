// Fetches the views that the first drawing does without, so that the form can be used sooner. Nothing is paid and no card
// is listed before they are there.

import { useSyncExternalStore } from "react";

type LateViews = typeof import("./late-views.ts");

let views: LateViews | null = null;
let listeners: (() => void)[] = [];

/** Fetches the script with the views. Rejects if it does not come. */
export async function fetchLateViews(): Promise<void> {
  views = await import("./late-views.ts");
  for (const drawAgain of listeners) {
    drawAgain();
  }
}

/** The late views; empty until their script is there. */
export function useLateViews(): Partial<LateViews> {
  return useSyncExternalStore(subscribe, currentViews, noViews) ?? {};
}

function subscribe(listener: () => void): () => void {
  listeners.push(listener);
  return () => {
    listeners = listeners.filter((one) => one !== listener);
  };
}

const currentViews = () => views;
const noViews = () => null;
