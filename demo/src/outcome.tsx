// The payment's state: a notice above the pay button, or the receipt in place of form and button when the payment is over.

import { useEffect, useRef } from "react";
import type { Product } from "./shop-server.ts";

/** The progress of the payment. */
export type PaymentState =
  /** Nothing was sent yet. */
  | { readonly phase: "open" }
  | { readonly phase: "paying" }
  /** The provider has the card and has not answered yet. */
  | { readonly phase: "checking"; readonly status: "processing" | "outcome_unknown" }
  /** The shopper must visit another page first. */
  | { readonly phase: "action"; readonly url: string }
  /** Not paid. The shopper can try again. */
  | { readonly phase: "failed"; readonly message: string }
  /** The shop's server did not learn the outcome in time. */
  | { readonly phase: "unknown"; readonly orderId: string }
  /** Paid, confirmed by the shop's server. */
  | { readonly phase: "over"; readonly orderId: string; readonly amountText: string };

interface OutcomeProps {
  readonly payment: PaymentState;
  readonly product: Product;
  readonly onBuyAgain: () => void;
}

/** It is always on the page, also when it is empty, so that screen readers announce its changes. */
export function Outcome({ payment, product, onBuyAgain }: OutcomeProps) {
  return (
    <div id="shop-outcome" className="outcome" role="status" data-status={statusOf(payment)}>
      {payment.phase === "failed" && (
        <div className="notice notice-failed">
          <WarningIcon />
          <div>
            <p className="notice-title">{payment.message}</p>
            <p>You have not been charged. You can try again.</p>
          </div>
        </div>
      )}
      {payment.phase === "checking" && (
        <div className="notice">
          <ClockIcon />
          <div>
            <p className="notice-title">We are checking your payment.</p>
            <p>Please do not pay again.</p>
          </div>
        </div>
      )}
      {payment.phase === "action" && (
        <div className="notice">
          <ClockIcon />
          <div>
            <p className="notice-title">Your bank wants to be sure that it is you.</p>
            <p>
              <a href={payment.url}>Continue to your bank</a>
            </p>
          </div>
        </div>
      )}
      {payment.phase === "unknown" && (
        <div className="notice">
          <ClockIcon />
          <div>
            <p className="notice-title">We do not know yet whether your payment went through.</p>
            <p>Please do not pay again. Your order is {payment.orderId}.</p>
          </div>
        </div>
      )}
      {payment.phase === "over" && <Receipt payment={payment} product={product} onBuyAgain={onBuyAgain} />}
    </div>
  );
}

function Receipt({
  payment,
  product,
  onBuyAgain,
}: OutcomeProps & { payment: Extract<PaymentState, { phase: "over" }> }) {
  const title = useRef<HTMLHeadingElement>(null);
  // The pay button had the focus and is no longer there.
  useEffect(() => title.current?.focus(), []);
  return (
    <div className="receipt">
      <svg className="receipt-mark" viewBox="0 0 144 96" aria-hidden="true">
        <circle className="receipt-halo" cx="72" cy="48" r="46" />
        <circle className="receipt-disc" cx="72" cy="48" r="30" />
        <path className="receipt-tick" d="M59 49l9 9 17-19" />
        <path
          className="receipt-spark"
          d="M126 14c.7 5 2 6.3 7 7-5 .7-6.3 2-7 7-.7-5-2-6.3-7-7 5-.7 6.3-2 7-7z"
        />
        <path
          className="receipt-spark"
          d="M16 60c.9 6.4 2.6 8.1 9 9-6.4.9-8.1 2.6-9 9-.9-6.4-2.6-8.1-9-9 6.4-.9 8.1-2.6 9-9z"
        />
      </svg>
      <h2 ref={title} id="checkout-title" tabIndex={-1}>
        Thank you!
      </h2>
      <p className="receipt-text">Our server has confirmed your payment. Enjoy!</p>
      <dl className="summary receipt-summary">
        <div>
          <dt>Order</dt>
          <dd className="order-number">{payment.orderId}</dd>
        </div>
        <div>
          <dt>
            <bdi>{product.name}</bdi>
          </dt>
          <dd>{payment.amountText}</dd>
        </div>
        <div className="summary-total">
          <dt>Paid</dt>
          <dd>{payment.amountText}</dd>
        </div>
      </dl>
      <button className="quiet-button" type="button" onClick={onBuyAgain}>
        Buy something else
      </button>
    </div>
  );
}

/** The charge's status for tests and styles; empty before the payment has one. */
function statusOf(payment: PaymentState): string {
  switch (payment.phase) {
    case "over":
      return "succeeded";
    case "failed":
      return "failed";
    case "checking":
      return payment.status;
    case "unknown":
      return "outcome_unknown";
    case "action":
      return "waiting_for_shopper_action";
    case "open":
    case "paying":
      return "";
  }
}

function WarningIcon() {
  return (
    <svg className="notice-icon" viewBox="0 0 20 20" aria-hidden="true">
      <circle cx="10" cy="10" r="8.2" />
      <path d="M10 5.8v5M10 13.7v.1" />
    </svg>
  );
}

function ClockIcon() {
  return (
    <svg className="notice-icon" viewBox="0 0 20 20" aria-hidden="true">
      <circle cx="10" cy="10" r="8.2" />
      <path d="M10 5.6V10l3 2" />
    </svg>
  );
}
