// Shows how the payment ended, or that this is not known yet, in place of the form: on the payment page and in a frame.

import { useEffect, useRef } from "react";

import type { FormPage } from "../../generated/wire.ts";
import { ELEMENT_IDS } from "../card/element-ids.ts";
import type { FormState } from "../card/form.ts";
import type { MessageKey } from "../i18n/text.ts";
import { ClosedIcon, DoneIcon, WaitingIcon } from "./late-icons.tsx";
import { Receipt } from "./receipt.tsx";
import { useForm } from "./store.ts";
import { useText } from "./text.ts";
import { leadsBack, WayBack } from "./way-back.tsx";

/** What of the form says how the payment ended. */
type Ended = Pick<FormState, "submission" | "failure">;

function useEnded(): Ended {
  const submission = useForm(({ submission }) => submission);
  const failure = useForm(({ failure }) => failure);
  return { submission, failure };
}

/** The icon, title and text for the charge's status. */
function outcomeOf({ submission, failure }: Ended): {
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

interface ChargeOutcomeProps {
  readonly page: FormPage;
  /** The language tag of the payment page, which the merchant is told: "fr-FR". */
  readonly language?: string;
}

export function Outcome({ page, language = "" }: ChargeOutcomeProps) {
  const text = useText();
  const heading = useRef<HTMLHeadingElement>(null);
  const { icon: Icon, title, body, status } = outcomeOf(useEnded());

  const { standalone } = page;

  // biome-ignore lint/correctness/useExhaustiveDependencies: only another outcome gets the focus, not a new language.
  useEffect(() => {
    // The merchant's page must not lose the focus.
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
    <section className="outcome" id={ELEMENT_IDS.outcome} data-status={status}>
      <Icon />
      <h2 className="outcome-title" ref={heading} tabIndex={-1}>
        {text(title)}
      </h2>
      <p className="outcome-text">{text(body, { amount: page.amount_text })}</p>
      {page.standalone && status === "succeeded" && <Receipt reference={page.intent.partnerReference} />}
      {page.standalone && <WayBack page={page} language={language} />}
    </section>
  );
}

/** How the payment ended, for the live region. */
export function OutcomeNews({ page }: { readonly page: FormPage }) {
  const text = useText();
  const { title } = outcomeOf(useEnded());
  const isReturning = useForm(leadsBack) && page.standalone;
  return (
    <>
      {text(title)}
      {isReturning && ` ${text("returning_to_merchant")}`}
    </>
  );
}
