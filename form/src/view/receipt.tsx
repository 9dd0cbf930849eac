// What a shopper keeps of a payment: the order's reference, and the card that paid.

import { type BrandName, brandNamed } from "../card/brand.ts";
import { brandOf, type FormState, selectedCard } from "../card/form.ts";
import { BRAND_LABELS } from "./brand-labels.ts";
import { useForm } from "./store.ts";
import { useText } from "./text.ts";

export function Receipt({ reference }: { readonly reference: string }) {
  const text = useText();
  const card = cardThatPaid(useForm());
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

/** As much of a card as anybody may see. */
export interface ShownCard {
  readonly brand: BrandName | null;
  readonly lastFour: string;
}

/** A number of fewer digits paid nothing. */
const DIGITS_MIN = 12;

/** The card that paid: the server's word, or, right after paying, the one that the page has sent. */
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
