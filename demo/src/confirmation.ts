// Waits until the shop's server knows how an order's payment ended. What the page reports is never enough.

import { fetchOrder, type OrderState } from "./shop-server.ts";

/** Statuses that do not change by waiting. */
const SETTLED = new Set(["succeeded", "failed", "canceled", "expired"]);

/** Pauses between requests, in milliseconds: short at first, as the answer is usually there; two minutes in all. */
const PAUSES_MS = [0, 300, 700, 1_500, 2_500, ...Array.from({ length: 23 }, () => 5_000)];

/**
 * Where the order stands once that is settled, or null when two minutes were not enough.
 * Rejects only when `signal` is aborted.
 */
export async function confirmed(orderId: string, signal: AbortSignal): Promise<OrderState | null> {
  for (const pause of PAUSES_MS) {
    await passed(pause, signal);
    const state = await fetchOrder(orderId, signal).catch(() => null);
    signal.throwIfAborted();
    if (state && SETTLED.has(state.status)) {
      return state;
    }
  }
  return null;
}

function passed(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, milliseconds);
    signal.addEventListener("abort", () => {
      clearTimeout(timer);
      reject(signal.reason);
    });
  });
}
