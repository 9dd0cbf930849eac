// The order of a shopper who returns from the payment page. The address names the order but does not prove a payment, so the
// shop's server is asked how the payment ended.

import { useEffect, useState } from "react";
import { confirmedOrder } from "./confirmation.ts";
import { Outcome, type PaymentState } from "./outcome.tsx";
import type { OrderState, Product } from "./shop-server.ts";

/** The parameters that the payment page adds to the address, and the shop's own. */
const RETURN_PARAMETERS = ["order", "charge_id", "status"] as const;

/** Removes the order from the address, and returns it; null if there is none. The other settings stay in the address. */
export function takeReturnedOrder(): string | null {
  const address = new URL(location.href);
  const order = address.searchParams.get("order");
  if (order !== null) {
    for (const name of RETURN_PARAMETERS) {
      address.searchParams.delete(name);
    }
    history.replaceState(null, "", address);
  }
  return order;
}

interface ReturnedOrderProps {
  readonly orderId: string;
  readonly products: readonly Product[];
  readonly onBuyAgain: () => void;
}

export function ReturnedOrder({ orderId, products, onBuyAgain }: ReturnedOrderProps) {
  const [order, setOrder] = useState<OrderState | "unknown" | null>(null);
  useEffect(() => {
    const over = new AbortController();
    confirmedOrder(orderId, over.signal).then(
      (state) => setOrder(state ?? "unknown"),
      () => {
        // The page no longer shows it.
      },
    );
    return () => over.abort();
  }, [orderId]);
  const bought = products.find(({ id }) => typeof order === "object" && id === order?.product);
  const [product] = bought ? [bought] : products;
  return (
    product && (
      <section className="checkout" aria-labelledby="checkout-title">
        <Outcome payment={stateOf(orderId, order)} product={product} onBuyAgain={onBuyAgain} />
        {typeof order === "object" && order !== null && order.status !== "succeeded" && (
          <button className="quiet-button" type="button" onClick={onBuyAgain}>
            Back to the shop
          </button>
        )}
      </section>
    )
  );
}

function stateOf(orderId: string, order: OrderState | "unknown" | null): PaymentState {
  if (order === null) {
    return { phase: "checking", status: "processing" };
  }
  if (order === "unknown") {
    return { phase: "unknown", orderId };
  }
  return order.status === "succeeded"
    ? { phase: "over", orderId, amountText: order.amount_text }
    : { phase: "failed", message: "This order was not paid." };
}
