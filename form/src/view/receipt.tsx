// The receipt: the order's reference and the card that paid.

import { BRAND_LABELS } from "../../generated/rules.ts";
import { brandNamed } from "../card/brand.ts";
import { networkOf, shownBrand } from "../card/card-networks.ts";
import { onlyDigits } from "../card/characters.ts";
import {
  type FormConfig,
  type FormState,
  isPaidStatus,
  type ListedCard,
  selectedCard,
} from "../card/form.ts";
import type { Text } from "../i18n/text.ts";
import { useForm, useStore, useText } from "./store.ts";

export function Receipt({ reference }: { readonly reference: string }) {
  const text = useText();
  const { config } = useStore();
  const card = cardThatPaid(
    config,
    useForm((form) => form),
  );
  const { isSetup } = config;
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
          <dt>{text(isSetup ? "card_number" : "paid_with")}</dt>
          <dd>
            {/* Brand and digits are read from the left in every language. The digits stay on one line. */}
            <bdi className="visually-hidden">{spokenCard(text, card)}</bdi>
            <bdi dir="ltr" aria-hidden="true">
              {card.brand !== null && `${BRAND_LABELS[card.brand]} `}
              <span className="receipt-digits">{`•••• ${card.lastFour}`}</span>
            </bdi>
          </dd>
        </div>
      )}
    </dl>
  );
}

/** How a card is named for screen readers, which would say each dot of "•••• 4242". */
export function spokenCard(text: Text, { brand, lastFour }: Pick<ListedCard, "brand" | "lastFour">): string {
  return text("saved_card_name", {
    brand: brand === null ? text("card_number") : BRAND_LABELS[brand],
    last_four: lastFour,
  });
}

/** A shorter number cannot have paid. */
const DIGITS_MIN = 12;

/** The card that paid: as the server says it, or right after paying the card that the page has sent. */
function cardThatPaid(config: FormConfig, form: FormState): Pick<ListedCard, "brand" | "lastFour"> | null {
  const told = isPaidStatus(form.charge?.status) ? form.charge?.paid_with : null;
  if (told) {
    return { brand: brandNamed(told.brand)?.name ?? null, lastFour: told.last_four };
  }
  const digits = onlyDigits(form.fields.cardNumber.text);
  const saved = selectedCard(form);
  if (saved) {
    return { brand: networkOf(config, form) ?? saved.brand, lastFour: saved.lastFour };
  }
  return digits.length < DIGITS_MIN ? null : { brand: shownBrand(config, form), lastFour: digits.slice(-4) };
}
