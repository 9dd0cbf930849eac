// The payment's state: a notice above the pay button, or the receipt in place of form and button when the payment is over.

import { type ReactNode, useEffect, useRef } from "react";
import receiptMark from "./pictures/receipt.svg";
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

/** The element is on the page even while it is empty, so that screen readers announce its changes. */
export function Outcome({ payment, product, onBuyAgain }: OutcomeProps) {
  return (
    <div id="shop-outcome" className="outcome" role="status" data-status={statusOf(payment)}>
      {payment.phase === "failed" && (
        <Notice title={payment.message} failed>
          You have not been charged. You can try again.
        </Notice>
      )}
      {payment.phase === "checking" && (
        <Notice title="We are checking your payment.">Please do not pay again.</Notice>
      )}
      {payment.phase === "action" && (
        <Notice title="Your bank wants to be sure that it is you.">
          <a href={payment.url}>Continue to your bank</a>
        </Notice>
      )}
      {payment.phase === "unknown" && (
        <Notice title="We do not know yet whether your payment went through.">
          Please do not pay again. Your order is {payment.orderId}.
        </Notice>
      )}
      {payment.phase === "over" && <Receipt payment={payment} product={product} onBuyAgain={onBuyAgain} />}
    </div>
  );
}

interface NoticeProps {
  readonly title: string;
  readonly failed?: boolean;
  readonly children: ReactNode;
}

function Notice({ title, failed = false, children }: NoticeProps) {
  return (
    <div className={failed ? "notice notice-failed" : "notice"}>
      {/* A warning, or a clock. */}
      <svg className="notice-icon" viewBox="0 0 20 20" aria-hidden="true">
        <circle cx="10" cy="10" r="8.2" />
        <path d={failed ? "M10 5.8v5M10 13.7v.1" : "M10 5.6V10l3 2"} />
      </svg>
      <div>
        <p className="notice-title">{title}</p>
        <p>{children}</p>
      </div>
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
      <img className="receipt-mark" src={receiptMark} alt="" />
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
