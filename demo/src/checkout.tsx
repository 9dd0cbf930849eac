// The checkout of one product: the order, the card form, the pay button, and how it ended.

import { CardForm, type CardFormHandle } from "@cardform/react";
import { useCallback, useEffect, useMemo, useRef, useState } from "react";
import { confirmed } from "./confirmation.ts";
import { colorMode, FORM_STYLES } from "./form-style.ts";
import { Outcome, type Payment } from "./outcome.tsx";
import { createOrder, fetchClientSecret, type Order, type Product } from "./shop-server.ts";
import { newShopper, shopperId } from "./shopper.ts";

interface CheckoutProps {
  readonly product: Product;
  /** Nothing else can be chosen while a payment is in progress, or done and still shown. */
  readonly onLock: (locked: boolean) => void;
  /** The shopper wants to buy something else. */
  readonly onAgain: () => void;
}

/** Orders `product` and takes the payment. */
export function Checkout({ product, onLock, onAgain }: CheckoutProps) {
  const [order, setOrder] = useState<Order | "loading" | "unavailable">("loading");
  const [payment, setPayment] = useState<Payment>({ phase: "open" });
  const [shopper, setShopper] = useState(shopperId);
  const leaving = useRef(new AbortController());

  // An answer that arrives after another order was placed is ignored.
  const latest = useRef(0);
  const placeOrder = useCallback(() => {
    latest.current += 1;
    const mine = latest.current;
    const set = (placed: Order | "unavailable") => mine === latest.current && setOrder(placed);
    setOrder("loading");
    createOrder(product.id, shopper).then(set, () => set("unavailable"));
  }, [product.id, shopper]);
  useEffect(placeOrder, [placeOrder]);

  useEffect(() => {
    leaving.current = new AbortController();
    return () => leaving.current.abort();
  }, []);

  const over = payment.phase === "over";
  const busy = payment.phase === "paying" || payment.phase === "checking";
  useEffect(() => {
    onLock(busy);
    return () => onLock(false);
  }, [busy, onLock]);

  return (
    <section className="checkout" aria-labelledby="checkout-title">
      {!over && (
        <>
          <h2 id="checkout-title">Checkout</h2>
          <dl className="summary">
            <div>
              <dt>
                <bdi>{product.name}</bdi>
              </dt>
              <dd>{product.amount_text}</dd>
            </div>
            <div className="summary-total">
              <dt>Total</dt>
              <dd>{product.amount_text}</dd>
            </div>
          </dl>
        </>
      )}
      {order === "unavailable" ? (
        <div className="notice notice-failed notice-with-button" role="alert">
          <p className="notice-title">Your order could not be started.</p>
          <button className="quiet-button" type="button" onClick={placeOrder}>
            Try again
          </button>
        </div>
      ) : (
        <Till
          order={order === "loading" ? null : order}
          product={product}
          payment={payment}
          onPayment={setPayment}
          onAgain={onAgain}
          leaving={leaving}
        />
      )}
      {(payment.phase === "open" || payment.phase === "failed") && (
        <Remembered
          onForget={() => {
            setPayment({ phase: "open" });
            setShopper(newShopper());
          }}
        />
      )}
    </section>
  );
}

/** The shop stores an id of the shopper in the browser, which the shopper can replace. */
function Remembered({ onForget }: { readonly onForget: () => void }) {
  const [forgotten, setForgotten] = useState(false);
  return (
    <div className="remembered">
      <p role="status">
        {forgotten ? "Forgotten. You are new here." : "Cards you save are here when you come back."}
      </p>
      <button
        id="forget-me"
        className="text-button"
        type="button"
        onClick={() => {
          onForget();
          setForgotten(true);
        }}
      >
        Forget me
      </button>
    </div>
  );
}

interface TillProps {
  readonly order: Order | null;
  readonly product: Product;
  readonly payment: Payment;
  readonly onPayment: (payment: Payment) => void;
  readonly onAgain: () => void;
  readonly leaving: { readonly current: AbortController };
}

function Till({ order, product, payment, onPayment, onAgain, leaving }: TillProps) {
  const form = useRef<CardFormHandle>(null);
  const busy = payment.phase === "paying" || payment.phase === "checking";

  async function pay(): Promise<void> {
    if (busy || !order || !form.current) {
      return;
    }
    onPayment({ phase: "paying" });
    const result = await form.current.submit();
    switch (result.status) {
      case "not-ready":
        return onPayment({ phase: "open" });
      case "failed":
        return onPayment({ phase: "failed", message: result.message });
      case "waiting_for_shopper_action":
        return onPayment({ phase: "action", url: result.shopperAction?.url ?? order.url });
      case "processing":
      case "outcome_unknown":
        onPayment({ phase: "checking", status: result.status });
        return settle(order);
      case "succeeded":
        return settle(order);
    }
  }

  /** The order counts as paid when the shop's server says so, whatever the form reported to the page. */
  async function settle({ order_id }: Order): Promise<void> {
    const { signal } = leaving.current;
    const state = await confirmed(order_id, signal).catch(() => undefined);
    if (state === undefined) {
      return;
    }
    if (state?.status === "succeeded") {
      onPayment({ phase: "over", orderId: order_id, amountText: state.amount_text });
    } else if (state) {
      onPayment({ phase: "failed", message: "Your card was declined. Use another card." });
    } else {
      onPayment({ phase: "unknown", orderId: order_id });
    }
  }

  const payable = payment.phase !== "over" && payment.phase !== "unknown";
  return (
    <>
      {payable && <Form order={order} formRef={form} onSubmitRequest={pay} />}
      <Outcome payment={payment} product={product} onAgain={onAgain} />
      {payable && (
        <>
          <button
            id="pay-in-shop"
            className="pay"
            type="button"
            aria-disabled={busy || !order}
            aria-busy={busy}
            onClick={pay}
          >
            {busy && <span className="spinner" />}
            {busy ? `Paying ${product.amount_text}…` : `Pay ${product.amount_text}`}
          </button>
          <p className="elsewhere">
            {order && !busy ? (
              <a id="payment-page-link" href={order.url}>
                Pay on the payment page instead
              </a>
            ) : (
              <span>Pay on the payment page instead</span>
            )}
          </p>
        </>
      )}
    </>
  );
}

interface FormProps {
  readonly order: Order | null;
  readonly formRef: React.Ref<CardFormHandle>;
  readonly onSubmitRequest: () => void;
}

/** The shop's site id for fraud prevention, which the simulator imitates. */
const SITE_ID = "demo-shop";

function Form({ order, formRef, onSubmitRequest }: FormProps) {
  const locale = useMemo(() => new URLSearchParams(location.search).get("locale"), []);
  // Kept while the form is open: a form reopened in other colors would lose what was typed.
  const [mode] = useState(colorMode);
  return (
    <div className="card-form-place" data-color-mode={mode}>
      {order && (
        <CardForm
          ref={formRef}
          id="card-form"
          url={new URL(order.url, location.href).origin}
          payload={order.payload}
          clientSecret={() => fetchClientSecret(order.order_id)}
          customStyle={FORM_STYLES[mode]}
          options={{ colorMode: mode, siteId: SITE_ID }}
          title="Card details"
          onSubmitRequest={onSubmitRequest}
          {...(locale && { locale })}
        />
      )}
    </div>
  );
}
