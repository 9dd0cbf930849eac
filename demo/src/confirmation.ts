// Waits until the shop's server knows the result of an order's payment. The form's report to the page is not enough.

import { fetchOrder, type OrderState } from "./shop-server.ts";

/** Statuses that waiting does not change. */
const FINAL = new Set(["succeeded", "failed", "canceled", "expired"]);

/**
 * The pauses before the requests, in milliseconds. The first ones are short, because the server usually knows the result at
 * once. All together they take two minutes.
 */
const PAUSES_MS = [0, 300, 700, 1_500, 2_500, ...Array.from({ length: 23 }, () => 5_000)];

/**
 * The order when its status is final, or null when that takes longer than two minutes. Rejects only when `signal` is
 * aborted.
 */
export async function confirmedOrder(orderId: string, signal: AbortSignal): Promise<OrderState | null> {
  for (const pause of PAUSES_MS) {
    await wait(pause, signal);
    const state = await fetchOrder(orderId, signal).catch(() => null);
    signal.throwIfAborted();
    if (state && FINAL.has(state.status)) {
      return state;
    }
  }
  return null;
}

function wait(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, milliseconds);
    signal.addEventListener("abort", () => {
      clearTimeout(timer);
      reject(signal.reason);
    });
  });
}
