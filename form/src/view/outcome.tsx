// Shows how the payment ended, or that this is not known yet, in place of the form: on the payment page and in a frame.

import { useEffect, useRef, useState } from "react";

import type { FormPage } from "../../generated/wire.ts";
import { ELEMENT_IDS } from "../card/element-ids.ts";
import { type FormConfig, type FormState, isOver, isPaidStatus } from "../card/form.ts";
import type { MessageKey } from "../i18n/text.ts";
import { ClosedIcon, DoneIcon, WaitingIcon } from "./late-icons.tsx";
import { Receipt } from "./receipt.tsx";
import { useForm, useStore, useText } from "./store.ts";
import { leadsBack, WayBack } from "./way-back.tsx";

/** The icon, title and text for the charge's status. */
function outcomeOf(
  { submission, failure }: FormState,
  { isSetup }: FormConfig,
): {
  icon: typeof DoneIcon;
  title: MessageKey;
  body: MessageKey;
  status: string;
} {
  const status =
    submission.phase === "closed" || submission.phase === "settling" ? submission.status : "processing";
  switch (status) {
    case "succeeded":
    case "authorized":
      return isSetup
        ? { icon: DoneIcon, title: "outcome_card_saved", body: "outcome_card_saved_text", status }
        : { icon: DoneIcon, title: "outcome_succeeded", body: "outcome_succeeded_text", status };
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

function useOutcome(): ReturnType<typeof outcomeOf> {
  const { config } = useStore();
  return outcomeOf(
    useForm((form) => form),
    config,
  );
}

interface ChargeOutcomeProps {
  readonly page: FormPage;
  /** The language tag of the payment page, which the merchant is told: "fr-FR". */
  readonly language?: string;
}

export function Outcome({ page, language = "" }: ChargeOutcomeProps) {
  const text = useText();
  const heading = useRef<HTMLHeadingElement>(null);
  const { icon: Icon, title, body, status } = useOutcome();
  const { standalone } = page;

  // biome-ignore lint/correctness/useExhaustiveDependencies: only another outcome gets the focus, not a new language.
  useEffect(() => {
    if (takesFocus(page)) {
      heading.current?.focus();
    }
  }, [standalone, title]);

  return (
    <section className="outcome" id={ELEMENT_IDS.outcome} data-status={status}>
      <Icon />
      <h2 className="outcome-title" ref={heading} tabIndex={-1}>
        {text(title)}
      </h2>
      <p className="outcome-text">{text(body, { amount: page.amount_text })}</p>
      {standalone && isPaidStatus(status) && <Receipt reference={page.intent.partnerReference} />}
      {standalone && <WayBack page={page} language={language} />}
    </section>
  );
}

/** Sets the title of the payment page: the amount or the outcome, and the merchant. */
export function usePageTitle({ amount_text: amount, payee }: FormPage): void {
  const text = useText();
  const { config } = useStore();
  const title = useForm((form) => (isOver(form.submission, true) ? outcomeOf(form, config).title : null));
  const about = text(title ?? (config.isSetup ? "save_card_button" : "pay"), { amount });
  useEffect(() => {
    document.title = payee === null ? about : `${about} – ${payee.name}`;
  }, [about, payee]);
}

/** Whether the title gets the focus, so that it is read. The merchant's page must not lose the focus. */
function takesFocus({ standalone }: FormPage): boolean {
  return standalone || document.hasFocus();
}

/** How the payment ended, for the live region, without a title that is read because it has the focus. */
export function OutcomeNews({ page }: { readonly page: FormPage }) {
  const text = useText();
  const { title, body } = useOutcome();
  const isReturning = useForm(leadsBack) && page.standalone;
  // The shopper may leave the frame later, which changes nothing.
  const [saysTitle] = useState(() => !takesFocus(page));
  return (
    <>
      {saysTitle && `${text(title)}. `}
      {text(body, { amount: page.amount_text })}
      {isReturning && ` ${text("returning_to_merchant")}`}
    </>
  );
}
