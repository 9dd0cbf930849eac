// The checkout of one product: the order, the card form, the pay button, and the result of the payment.

import { CardForm, type CardFormHandle, type SubmitResult } from "@cardform/react";
import { useCallback, useEffect, useRef, useState } from "react";
import { confirmedOrder } from "./confirmation.ts";
import { colorMode, featuresOf, lookOf, paymentPage, type ShopSettings } from "./drawer/settings.ts";
import { Outcome, type PaymentState } from "./outcome.tsx";
import { createOrder, fetchClientSecret, type Order, type Product } from "./shop-server.ts";
import { newShopper, shopperId } from "./shopper.ts";

interface CheckoutProps {
  readonly product: Product;
  readonly settings: ShopSettings;
  /** Called with the id of each order. */
  readonly onOrder: (orderId: string) => void;
  /** Called with true while a payment is in progress: then no other product may be chosen. */
  readonly onLock: (locked: boolean) => void;
  /** The shopper wants to buy something else. */
  readonly onBuyAgain: () => void;
}

/** Orders `product` and takes the payment. */
export function Checkout({ product, settings, onOrder, onLock, onBuyAgain }: CheckoutProps) {
  const [order, setOrder] = useState<Order | "loading" | "unavailable">("loading");
  const [payment, setPayment] = useState<PaymentState>({ phase: "open" });
  const [shopper, setShopper] = useState(shopperId);
  // The answer to an order is ignored if a later order was placed meanwhile.
  const latestOrder = useRef(0);
  const placeOrder = useCallback(() => {
    latestOrder.current += 1;
    const thisOrder = latestOrder.current;
    const set = (placed: Order | "unavailable") => {
      if (thisOrder === latestOrder.current) {
        setOrder(placed);
        if (placed !== "unavailable") {
          onOrder(placed.order_id);
        }
      }
    };
    setOrder("loading");
    createOrder(product.id, shopper).then(set, () => set("unavailable"));
  }, [product.id, shopper, onOrder]);
  useEffect(placeOrder, [placeOrder]);

  const busy = isBusy(payment);
  useEffect(() => {
    onLock(busy);
    return () => onLock(false);
  }, [busy, onLock]);

  return (
    <section className="checkout" aria-labelledby="checkout-title">
      {payment.phase !== "over" && (
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
        <PaymentSection
          order={order === "loading" ? null : order}
          product={product}
          settings={settings}
          payment={payment}
          onPayment={setPayment}
          onBuyAgain={onBuyAgain}
        />
      )}
      {(payment.phase === "open" || payment.phase === "failed") && (
        <ForgetShopper
          onForget={() => {
            setPayment({ phase: "open" });
            setShopper(newShopper());
          }}
        />
      )}
    </section>
  );
}

/** A note that the browser stores the shopper's id, and a button that replaces the id. */
function ForgetShopper({ onForget }: { readonly onForget: () => void }) {
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

interface PaymentSectionProps {
  readonly order: Order | null;
  readonly product: Product;
  readonly settings: ShopSettings;
  readonly payment: PaymentState;
  readonly onPayment: (payment: PaymentState) => void;
  readonly onBuyAgain: () => void;
}

/** The card form, the pay button, the outcome, and the link to the payment page. */
function PaymentSection(props: PaymentSectionProps) {
  const { order, product, settings, payment, onPayment, onBuyAgain } = props;
  const form = useRef<CardFormHandle>(null);
  /** Aborted when the component is removed, or the form knows that nothing was paid. */
  const confirming = useRef(new AbortController());
  useEffect(() => {
    confirming.current = new AbortController();
    return () => confirming.current.abort();
  }, []);
  const busy = isBusy(payment);

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
        return confirm(order);
      case "succeeded":
        return confirm(order);
    }
  }

  /** Shows the status that the shop's server has for the order. The form's own report does not prove a payment. */
  async function confirm({ order_id }: Order): Promise<void> {
    const state = await confirmedOrder(order_id, confirming.current.signal).catch(() => undefined);
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

  /** The form may find out that nothing was paid, for example because the card never arrived. */
  function settle(result: SubmitResult): void {
    if (payment.phase === "checking" && result.status === "failed") {
      confirming.current.abort();
      confirming.current = new AbortController();
      onPayment({ phase: "failed", message: result.message });
    }
  }

  const payable = payment.phase !== "over" && payment.phase !== "unknown";
  if (settings.layout === "page" && payment.phase === "open") {
    // The shopper pays on Cardform's page, which leads back.
    return (
      <>
        <p className="receipt-text">You pay on the next page and come back here afterwards.</p>
        <a
          id="payment-page-link"
          className="pay pay-link"
          href={order ? paymentPage(order.url, settings) : undefined}
          aria-disabled={!order}
        >
          {`Pay ${product.amount_text}`}
        </a>
      </>
    );
  }
  return (
    <>
      {payable && (
        <CardFormFrame
          order={order}
          settings={settings}
          formRef={form}
          onResult={settle}
          onSubmitRequest={pay}
        />
      )}
      {payable && (
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
      )}
      {/* Below the button, which stays under the finger. */}
      <Outcome payment={payment} product={product} onBuyAgain={onBuyAgain} />
      {payable && (
        <p className="elsewhere">
          {order && !busy ? (
            <a id="payment-page-link" href={paymentPage(order.url, settings)}>
              Pay on the payment page instead
            </a>
          ) : (
            <span>Pay on the payment page instead</span>
          )}
        </p>
      )}
    </>
  );
}

interface CardFormFrameProps {
  readonly order: Order | null;
  readonly settings: ShopSettings;
  readonly formRef: React.Ref<CardFormHandle>;
  readonly onResult: (result: SubmitResult) => void;
  readonly onSubmitRequest: () => void;
}

/** The shop's site id for fraud prevention, which the simulator imitates. */
const SITE_ID = "demo-shop";

/** The card form in Cardform's frame; an empty place until there is an order. New settings change the form in place. */
function CardFormFrame({ order, settings, formRef, ...listeners }: CardFormFrameProps) {
  // The form keeps its colors when the browser's setting changes, as the shopper may be typing.
  const [mode] = useState(colorMode);
  const look = lookOf(settings, mode);
  // After another language was chosen, the form returns to the shopper's own only if it is named.
  const [wasChosen, setWasChosen] = useState(false);
  if (settings.locale !== "" && !wasChosen) {
    setWasChosen(true);
  }
  const locale = settings.locale || (wasChosen && navigator.language);
  return (
    <div className="card-form-place" data-color-mode={look.colorMode}>
      {order && (
        <CardForm
          ref={formRef}
          id="card-form"
          url={new URL(order.url, location.href).origin}
          payload={order.payload}
          clientSecret={() => fetchClientSecret(order.order_id)}
          customStyle={look.customStyle}
          options={{ colorMode: look.colorMode, siteId: SITE_ID, ...featuresOf(settings) }}
          title="Card details"
          {...listeners}
          {...(locale && { locale })}
        />
      )}
    </div>
  );
}

function isBusy({ phase }: PaymentState): boolean {
  return phase === "paying" || phase === "checking";
}
