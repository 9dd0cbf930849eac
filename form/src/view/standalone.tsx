// The payment page without a parent: what is paid, the form, the pay button, the outcome and the way back.

import { lazy, Suspense } from "react";

import type { FormPage, ShopperAction } from "../../generated/wire.ts";
import type { FormState } from "../card/form.ts";
import { isReady } from "../card/form.ts";
import type { MessageKey } from "../i18n/text.ts";
import { CardForm } from "./card-form.tsx";
import { ClosedIcon, DoneIcon, ErrorIcon, LockIcon, WaitingIcon } from "./icons.tsx";
import { useForm, useStore } from "./store.ts";
import { useText } from "./text.ts";

/** Loaded when a bank asks for it; when that fails, the shopper goes to the bank's page and comes back. */
const Challenge = lazy(() =>
  import("./challenge.tsx").then(
    ({ Challenge }) => ({ default: Challenge }),
    () => ({ default: ChallengeLink }),
  ),
);

function ChallengeLink({ action }: { readonly action: ShopperAction }) {
  const text = useText();
  return (
    <a className="outcome-back" href={action.url}>
      {text("challenge_title")}
    </a>
  );
}

export function Standalone({ page }: { readonly page: FormPage }) {
  const { submission } = useForm();
  const over = submission.phase === "closed" || submission.phase === "settling";
  return (
    <main className="standalone">
      <div className="panel">
        <Summary page={page} />
        {over ? <Outcome page={page} /> : <PayForm page={page} />}
        {submission.phase === "settling" && submission.shopperAction !== null && (
          <Suspense>
            <Challenge action={submission.shopperAction} />
          </Suspense>
        )}
      </div>
    </main>
  );
}

function Summary({ page }: { readonly page: FormPage }) {
  const text = useText();
  return (
    <header className="summary">
      <p className="summary-label">{text("you_pay")}</p>
      <h1 className="summary-amount">{page.amount_text}</h1>
      <p className="summary-item">
        <bdi>{page.intent.itemName}</bdi>
      </p>
    </header>
  );
}

function PayForm({ page }: { readonly page: FormPage }) {
  const text = useText();
  const store = useStore();
  const form = useForm();
  const busy = form.submission.phase !== "open";
  // What is wrong with a saved card is said where the saved cards are.
  const failure = form.failure?.messageKey === "card_unavailable" ? null : form.failure;
  return (
    <CardForm heading="h2" onPay={() => store.send({ type: "submit", clientSecret: null })}>
      <div
        className="failure"
        role="alert"
        id={failure === null ? undefined : "outcome"}
        data-status="failed"
      >
        {failure !== null && (
          <>
            <ErrorIcon />
            <span>{text(failure.messageKey, failure.values)}</span>
          </>
        )}
      </div>
      <button
        className="pay"
        id="pay"
        type="submit"
        aria-disabled={busy}
        data-ready={isReady(store.config, form)}
      >
        {busy ? <span className="spinner" aria-hidden="true" /> : <LockIcon />}
        <span>{busy ? text("paying") : text("pay", { amount: page.amount_text })}</span>
      </button>
    </CardForm>
  );
}

/** The outcome's icon, title and text by where the charge stands. */
function outcomeOf(form: FormState): {
  icon: typeof DoneIcon;
  title: MessageKey;
  body: MessageKey;
  status: string;
} {
  const { submission } = form;
  const status =
    submission.phase === "closed" || submission.phase === "settling" ? submission.status : "processing";
  switch (status) {
    case "succeeded":
      return { icon: DoneIcon, title: "outcome_succeeded", body: "outcome_succeeded_text", status };
    case "canceled":
    case "expired":
      return { icon: ClosedIcon, title: "outcome_closed", body: "outcome_closed_text", status };
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

function Outcome({ page }: { readonly page: FormPage }) {
  const text = useText();
  const form = useForm();
  const { icon: Icon, title, body, status } = outcomeOf(form);
  return (
    <section className="outcome" id="outcome" data-status={status} aria-live="polite" tabIndex={-1}>
      <Icon />
      <h2 className="outcome-title">{text(title)}</h2>
      <p className="outcome-text">{text(body, { amount: page.amount_text })}</p>
      {form.returnUrl !== null && (
        <a className="outcome-back" href={form.returnUrl}>
          {text("back_to_merchant")}
        </a>
      )}
    </section>
  );
}
