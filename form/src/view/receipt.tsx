// The receipt: the order's reference and the card that paid.

import { BRAND_LABELS } from "../../generated/rules.ts";
import { type BrandName, brandNamed } from "../card/brand.ts";
import { brandOf, type FormState, selectedCard } from "../card/form.ts";
import { useForm } from "./store.ts";
import { useText } from "./text.ts";

export function Receipt({ reference }: { readonly reference: string }) {
  const text = useText();
  const card = cardThatPaid(useForm((form) => form));
  return (
    <dl className="receipt" id="receipt">
      {reference !== "" && (
        <div>
          <dt>{text("order_reference")}</dt>
          <dd>
            <bdi>{reference}</bdi>
          </dd>
        </div>
      )}
      {card !== null && (
        <div>
          <dt>{text("paid_with")}</dt>
          <dd>
            {card.brand !== null && `${BRAND_LABELS[card.brand]} `}
            {/* Read from the left in every language, and never broken. */}
            <bdi className="receipt-digits" dir="ltr">{`•••• ${card.lastFour}`}</bdi>
          </dd>
        </div>
      )}
    </dl>
  );
}

/** The part of a card that may be shown. */
export interface ShownCard {
  readonly brand: BrandName | null;
  readonly lastFour: string;
}

/** A shorter number cannot have paid. */
const DIGITS_MIN = 12;

/** The card that paid: as the server says it, or right after paying the card that the page has sent. */
export function cardThatPaid(form: FormState): ShownCard | null {
  const told = form.charge?.status === "succeeded" ? form.charge.paid_with : null;
  if (told) {
    return { brand: brandNamed(told.brand)?.name ?? null, lastFour: told.last_four };
  }
  const saved = selectedCard(form);
  if (saved !== null) {
    return { brand: saved.brand, lastFour: saved.lastFour };
  }
  const digits = form.fields.cardNumber.text.replaceAll(/\D/g, "");
  return digits.length < DIGITS_MIN
    ? null
    : { brand: brandOf(form)?.name ?? null, lastFour: digits.slice(-4) };
}
