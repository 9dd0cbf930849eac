// The payment page, which has no parent: what is paid, the form, the pay button, the outcome and the link back.

import type { FormPage } from "../../generated/wire.ts";
import { ELEMENT_IDS } from "../card/element-ids.ts";
import { isDisabled, isOver, isPaid, isReady } from "../card/form.ts";
import type { LanguageStore } from "../i18n/language.ts";
import { CardForm } from "./card-form.tsx";
import { ErrorIcon, LockIcon } from "./icons.tsx";
import { useLateViews } from "./late.ts";
import { useForm, useStore, useText } from "./store.ts";

interface StandaloneProps {
  readonly page: FormPage;
  readonly language: LanguageStore;
}

export function Standalone({ page, language }: StandaloneProps) {
  const submission = useForm(({ submission }) => submission);
  const { Challenge, Outcome, PageFoot } = useLateViews();
  return (
    <main className="standalone">
      <div className="panel">
        <Summary page={page} />
        {isOver(submission, page.standalone) ? (
          Outcome && <Outcome page={page} language={language.current().iso} />
        ) : (
          <PayForm page={page} />
        )}
        {Challenge && submission.phase === "settling" && submission.shopperAction !== null && (
          <Challenge action={submission.shopperAction} />
        )}
      </div>
      {PageFoot && <PageFoot page={page} language={language} />}
    </main>
  );
}

function Summary({ page }: { readonly page: FormPage }) {
  const text = useText();
  const submission = useForm(({ submission }) => submission);
  const ended = submission.phase === "closed" && submission.status;
  const paid = useForm(isPaid);
  const { isSetup } = useStore().config;
  const hasLabel = (paid || !ended) && !isSetup;
  return (
    <header className="summary">
      {/* A canceled or expired charge is not paid and never will be. */}
      {hasLabel && <p className="summary-label">{text(paid ? "you_paid" : "you_pay")}</p>}
      {/* A setup has no amount. */}
      <h1 className="summary-amount">{isSetup ? <bdi>{page.intent.itemName}</bdi> : page.amount_text}</h1>
      {!isSetup && (
        <p className="summary-item">
          <bdi>{page.intent.itemName}</bdi>
        </p>
      )}
    </header>
  );
}

/** The form with its button; also on the card page. */
export function PayForm({ page }: { readonly page: FormPage }) {
  const store = useStore();
  return (
    <CardForm heading="h2" onPay={() => store.send({ type: "submit", clientSecret: null })}>
      <PayButton amount={page.amount_text} />
      <PayFailure />
    </CardForm>
  );
}

function PayButton({ amount }: { readonly amount: string }) {
  const text = useText();
  const { config } = useStore();
  const busy = useForm(isDisabled);
  const ready = useForm((form) => isReady(config, form));
  return (
    <button className="pay" id={ELEMENT_IDS.pay} type="submit" aria-disabled={busy} data-ready={ready}>
      {busy ? <span className="spinner" aria-hidden="true" /> : <LockIcon />}
      <span>
        {config.isSetup ? text("save_card_button") : busy ? text("paying") : text("pay", { amount })}
      </span>
    </button>
  );
}

/** Why nothing was paid. Below the button there is room for it, so nothing moves when it appears. */
function PayFailure() {
  const text = useText();
  const any = useForm(({ failure }) => failure);
  // A failure of a saved card is shown at the saved cards.
  const failure = any?.messageKey === "card_unavailable" ? null : any;
  return (
    <div
      className="failure"
      role="alert"
      id={failure === null ? undefined : ELEMENT_IDS.outcome}
      data-status="failed"
    >
      {failure !== null && (
        <>
          <ErrorIcon />
          <span>{text(failure.messageKey, failure.values)}</span>
        </>
      )}
    </div>
  );
}
