// The link from the payment page's outcome back to the merchant. After a payment the page leads there by itself.

import { useEffect, useState } from "react";

import type { FormPage } from "../../generated/wire.ts";
import { type FormState, isPaidStatus } from "../card/form.ts";
import { returnAddress } from "../card/return-address.ts";
import { leadBack } from "./lead-back.ts";
import { useForm, useText } from "./store.ts";

/**
 * Whether the page leads back by itself: only if the payment was made in this page, and the charge has a return address. A
 * shopper who opens the page of a paid charge again wants to see it.
 */
export function leadsBack({ submission, charge }: FormState): boolean {
  return submission.phase === "closed" && submission.paidHere === true && !!charge?.return_url;
}

interface WayBackProps {
  readonly page: FormPage;
  /** The page's language tag: "fr-FR". */
  readonly language: string;
}

export function WayBack({ page, language }: WayBackProps) {
  const text = useText();
  const charge = useForm(({ charge }) => charge);
  const status = useForm(({ submission }) => (submission.phase === "closed" ? submission.status : undefined));
  const isLeading = useForm(leadsBack);
  const [stays, setStays] = useState(false);
  const returnUrl = charge?.return_url;
  const address =
    charge && returnUrl && status && isPaidStatus(status)
      ? returnAddress(returnUrl, { charge_id: charge.id, status, locale: language })
      : (returnUrl ?? page.payee?.website);
  const leaves = isLeading && !stays;

  useEffect(() => {
    if (leaves && address) {
      return leadBack(
        document,
        () => location.assign(address),
        () => setStays(true),
      );
    }
  }, [leaves, address]);

  return (
    address && (
      <>
        <a className="outcome-back" href={address}>
          {text("back_to_merchant")}
        </a>
        {/* It keeps its place, so that nothing moves when the shopper stays. */}
        {isLeading && (
          <p className="outcome-text returning" data-stays={stays}>
            {text("returning_to_merchant")}
          </p>
        )}
      </>
    )
  );
}
