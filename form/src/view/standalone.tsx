// The payment page without a parent: what is paid and to whom, the form, the pay button, the outcome and the way back.

import { type ComponentType, lazy, Suspense, useEffect, useState } from "react";

import type { FormPage, ShopperAction } from "../../generated/wire.ts";
import { isReady } from "../card/form.ts";
import type { LanguageStore } from "../i18n/language.ts";
import { CardForm } from "./card-form.tsx";
import { ErrorIcon, LockIcon } from "./icons.tsx";
import { isOver, Outcome } from "./outcome.tsx";
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

/** Nobody needs these to pay: when one cannot be loaded the page goes without. */
const orNothing = <P extends object>(load: () => Promise<ComponentType<P>>) =>
  lazy(() =>
    load().then(
      (part) => ({ default: part }),
      () => ({ default: () => null }),
    ),
  );
const PageFoot = orNothing(async () => (await import("./page-foot.tsx")).PageFoot);

interface StandaloneProps {
  readonly page: FormPage;
  readonly language: LanguageStore;
}

export function Standalone({ page: described, language }: StandaloneProps) {
  const { submission } = useForm();
  const [isAlive, setAlive] = useState(false);
  useEffect(() => setAlive(true), []);
  const page = { ...described, amount_text: language.current().amount ?? described.amount_text };
  return (
    <main className="standalone">
      <div className="panel">
        <Summary page={page} />
        {isOver(page, submission) ? <Outcome page={page} /> : <PayForm page={page} />}
        {submission.phase === "settling" && submission.shopperAction !== null && (
          <Suspense>
            <Challenge action={submission.shopperAction} />
          </Suspense>
        )}
      </div>
      {isAlive && (
        <Suspense>
          <PageFoot page={page} language={language} />
        </Suspense>
      )}
    </main>
  );
}

function Summary({ page }: { readonly page: FormPage }) {
  const text = useText();
  const { submission } = useForm();
  const ended = submission.phase === "closed" && submission.status;
  const isPaid = ended === "succeeded";
  return (
    <header className="summary">
      {/* What was canceled or has expired is not paid, and will not be. */}
      {(isPaid || !ended) && <p className="summary-label">{text(isPaid ? "you_paid" : "you_pay")}</p>}
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
      {/* Below the button, where there is room for it: nothing jumps away when it comes. */}
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
    </CardForm>
  );
}
