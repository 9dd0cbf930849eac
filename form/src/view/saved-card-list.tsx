// The shopper's saved cards as radio buttons. The selected one has an input for its security code, and for its new date if it
// has expired. Each has a remove button (docs/saved-cards.md#what-is-seen).

import { BRAND_LABELS } from "../../generated/rules.ts";
import { networkOfCard } from "../card/card-networks.ts";
import { savedCardId } from "../card/element-ids.ts";
import { isDisabled, type ListedCard } from "../card/form.ts";
import { isExpired } from "../card/saved-cards.ts";
import { BrandLogo } from "./brand-logos.tsx";
import { Field } from "./field.tsx";
import { RemoveIcon } from "./late-icons.tsx";
import { NetworkChoice, NetworkNote } from "./network-choice.tsx";
import { spokenCard } from "./receipt.tsx";
import { SecurityCode } from "./security-code.tsx";
import { useForm, useStore, useText } from "./store.ts";

export function SavedCardList() {
  const saved = useForm(({ saved }) => saved);
  return (
    <div className="saved-cards" role="radiogroup" aria-labelledby="card-form-title">
      {saved.cards.map((card) => (
        <SavedCardItem key={card.id} card={card} />
      ))}
    </div>
  );
}

function SavedCardItem({ card }: { readonly card: ListedCard }) {
  const text = useText();
  const store = useStore();
  const { id, lastFour, networks, nickname } = card;
  const brand = networkOfCard(store.config, card) ?? card.brand;
  const expired = isExpired(card, store.today());
  const selected = useForm(({ saved }) => saved.selected === id);
  const disabled = useForm(isDisabled);
  const name = spokenCard(text, { brand, lastFour });
  const hasChoice = selected && networks !== undefined && networks.length > 1;
  const code = (
    <SecurityCode name="savedSecurity" id={savedCardId(id, "-security-code")} note={<NetworkNote />} />
  );
  const newDate = <Field name="savedExpiry" id={savedCardId(id, "-expiry")} fullLabel="card_expiry_name" />;
  return (
    <div className="saved-card" data-selected={selected} data-expired={expired}>
      <label className="saved-card-choice">
        <input
          type="radio"
          className="saved-card-radio"
          name="saved-card"
          id={savedCardId(id)}
          checked={selected}
          // Not `disabled`, which would take the focus away while the payment is under way.
          aria-disabled={disabled}
          onChange={() => store.send({ type: "saved-card-selected", id })}
        />
        <BrandLogo name={brand} />
        <span className="saved-card-words">
          {nickname && (
            <span className="saved-card-nickname">
              <bdi>{nickname}</bdi>{" "}
            </span>
          )}
          {/* Screen readers would say each dot. */}
          <span className="visually-hidden">
            {expired ? name : text("card_expires", { card: name, date: expiryText(card) })}
          </span>
          <span className="saved-card-name" dir="ltr" aria-hidden="true">
            {brand !== null && <span className="saved-card-brand">{BRAND_LABELS[brand]} </span>}
            <span className="saved-card-digits">•••• {lastFour}</span>
          </span>
          {expired ? (
            <span className="saved-card-expired">{text("card_expired")}</span>
          ) : (
            <span className="saved-card-expiry" dir="ltr" aria-hidden="true">
              {expiryText(card)}
            </span>
          )}
        </span>
      </label>
      {selected &&
        (expired ? (
          <div className="field-row">
            {newDate}
            {code}
          </div>
        ) : (
          code
        ))}
      {hasChoice && <NetworkChoice id={savedCardId(id)} />}
      {/* Last, so that Tab reaches the security code before the remove button. */}
      <button
        type="button"
        className="saved-card-remove"
        id={savedCardId(id, "-remove")}
        title={text("remove")}
        aria-label={`${text("remove_card")}: ${name}`}
        disabled={disabled}
        onClick={() => store.send({ type: "removal-asked", id })}
      >
        <RemoveIcon />
      </button>
    </div>
  );
}

/** "12/34"; the year's last two digits, as on the card. */
export function expiryText({ expirationMonth, expirationYear }: ListedCard): string {
  return [expirationMonth, expirationYear % 100].map((part) => String(part).padStart(2, "0")).join("/");
}
