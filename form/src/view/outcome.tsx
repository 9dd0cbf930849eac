// How the payment ended, or that nobody knows yet, in the form's stead: on the payment page and in a frame alike.

import { type ComponentType, lazy, Suspense, useEffect, useRef } from "react";

import type { FormPage } from "../../generated/wire.ts";
import type { FormState, Submission } from "../card/form.ts";
import type { MessageKey } from "../i18n/text.ts";
import { ClosedIcon, DoneIcon, WaitingIcon } from "./icons.tsx";
import { useForm } from "./store.ts";
import { useText } from "./text.ts";

/** Nobody needs it to know that it is paid: when it cannot be loaded the page goes without. */
const Receipt = lazy<ComponentType<{ readonly reference: string }>>(() =>
  import("./receipt.tsx").then(
    ({ Receipt }) => ({ default: Receipt }),
    () => ({ default: () => null }),
  ),
);

/**
 * Whether the outcome stands in the form's stead. In a frame the form stays while the shopper is at the bank's challenge,
 * which the merchant's page shows over it.
 */
export function isOver({ standalone }: FormPage, submission: Submission): boolean {
  return (
    submission.phase === "closed" ||
    (submission.phase === "settling" && (standalone || submission.status !== "waiting_for_shopper_action"))
  );
}

/** The outcome's icon, title and text by where the charge stands. */
function outcomeOf({ submission, failure }: FormState): {
  icon: typeof DoneIcon;
  title: MessageKey;
  body: MessageKey;
  status: string;
} {
  const status =
    submission.phase === "closed" || submission.phase === "settling" ? submission.status : "processing";
  switch (status) {
    case "succeeded":
      return { icon: DoneIcon, title: "outcome_succeeded", body: "outcome_succeeded_text", status };
    case "canceled":
    case "expired":
    case "unusable_link": {
      const body = failure?.messageKey ?? "charge_expired";
      return { icon: ClosedIcon, title: "outcome_closed", body, status };
    }
    case "incomplete_link":
      return {
        icon: ClosedIcon,
        title: "outcome_incomplete_link",
        body: "outcome_incomplete_link_text",
        status,
      };
    default:
      return { icon: WaitingIcon, title: "outcome_checking", body: "outcome_checking_text", status };
  }
}

export function Outcome({ page }: { readonly page: FormPage }) {
  const text = useText();
  const form = useForm();
  const heading = useRef<HTMLHeadingElement>(null);
  const { icon: Icon, title, body, status } = outcomeOf(form);
  const wayBack = form.charge?.return_url ?? page.payee?.website;

  const { standalone } = page;

  // biome-ignore lint/correctness/useExhaustiveDependencies: another outcome is read out, the same one in another language not.
  useEffect(() => {
    // The merchant's page keeps the focus that it has.
    if (standalone || document.hasFocus()) {
      heading.current?.focus();
    }
  }, [standalone, title]);
  useEffect(() => {
    if (standalone) {
      document.title = text(title);
      return () => {
        document.title = text("pay_with_card");
      };
    }
  }, [standalone, text, title]);

  return (
    <section className="outcome" id="outcome" data-status={status}>
      <Icon />
      <h2 className="outcome-title" ref={heading} tabIndex={-1}>
        {text(title)}
      </h2>
      <p className="outcome-text">{text(body, { amount: page.amount_text })}</p>
      {page.standalone && status === "succeeded" && (
        <Suspense>
          <Receipt reference={page.intent.partnerReference} />
        </Suspense>
      )}
      {page.standalone && wayBack && (
        <a className="outcome-back" href={wayBack}>
          {text("back_to_merchant")}
        </a>
      )}
    </section>
  );
}

/** The live region: it is there from the start, so that the outcome that comes into it is read out. */
export function OutcomeNews({ page }: { readonly page: FormPage }) {
  const text = useText();
  const form = useForm();
  return (
    <div className="visually-hidden" role="status" id="outcome-news">
      {isOver(page, form.submission) && text(outcomeOf(form).title)}
    </div>
  );
}
