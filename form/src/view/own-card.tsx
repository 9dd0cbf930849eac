// One card of the card page: what it is, and what its shopper can do with it.

import { BRAND_LABELS } from "../../generated/rules.ts";
import { NICKNAME_CHARACTERS_MAX } from "../../generated/wire.ts";
import { type CardPageEvent, type CardPageState, type OwnCard, ownCardId } from "../card/card-page.ts";
import type { Month } from "../card/expiry.ts";
import { isExpired } from "../card/saved-cards.ts";
import type { MessageKey } from "../i18n/text.ts";
import { BrandLogo } from "./brand-logos.tsx";
import { expiryText, spokenCard } from "./late-views.ts";
import { useText } from "./store.ts";

interface OwnCardProps {
  readonly card: OwnCard;
  readonly state: CardPageState;
  readonly send: (event: CardPageEvent) => void;
  readonly today: Month;
}

export function OwnCardRow({ card, state, send, today }: OwnCardProps) {
  const text = useText();
  const { id, lastFour, nickname, isDefault } = card;
  // The network that the shopper chose, if the card has two.
  const brand = card.network ?? card.brand;
  const expired = isExpired(card, today);
  const name = spokenCard(text, { brand, lastFour });
  return (
    <li className="saved-card" data-expired={expired} aria-busy={state.busy === id}>
      <div className="own-card">
        <BrandLogo name={brand} />
        <div className="own-card-words">
          <h2 className="own-card-title" id={ownCardId(id)} tabIndex={-1}>
            {nickname && (
              <span className="own-card-nickname">
                <bdi>{nickname}</bdi>{" "}
              </span>
            )}
            {/* Screen readers would say each dot. */}
            <span className="visually-hidden">{name}</span>
            <span className="own-card-name" dir="ltr" aria-hidden="true">
              {brand !== null && `${BRAND_LABELS[brand]} `}
              <span className="saved-card-digits">•••• {lastFour}</span>
            </span>
          </h2>
          <p className="own-card-facts">
            {expired ? (
              <span className="saved-card-expired">{text("card_expired")}</span>
            ) : (
              <>
                <span className="visually-hidden">
                  {text("card_expires", { card: name, date: expiryText(card) })}
                </span>
                <span className="saved-card-expiry" dir="ltr" aria-hidden="true">
                  {expiryText(card)}
                </span>
              </>
            )}
            {isDefault && <span className="own-card-default">{text("default_card")}</span>}
          </p>
        </div>
      </div>
      {state.naming === id ? (
        <Naming card={card} state={state} send={send} />
      ) : (
        <Actions card={card} name={name} state={state} send={send} expired={expired} />
      )}
    </li>
  );
}

interface ActionsProps extends Omit<OwnCardProps, "today"> {
  readonly name: string;
  readonly expired: boolean;
}

/** Each button names its card for screen readers. While the service works they do nothing, but keep the focus. */
function Actions({ card, name, state, send, expired }: ActionsProps) {
  const text = useText();
  const { id } = card;
  const waits = state.busy !== null || state.adding !== "no";
  const button = (
    label: MessageKey,
    asked: CardPageEvent,
    part: { id?: string; className?: string } = {},
  ) => (
    <button
      type="button"
      className="own-card-action"
      aria-label={`${text(label)}: ${name}`}
      aria-disabled={waits}
      onClick={() => send(asked)}
      {...part}
    >
      {text(label)}
    </button>
  );
  return (
    <div className="own-card-actions">
      {!card.isDefault &&
        !expired &&
        button("make_default", { type: "change-asked", id, change: { type: "default" } })}
      {expired && button("new_date", { type: "adding-asked", renews: id }, { id: ownCardId(id, "-renew") })}
      {button("edit_name", { type: "naming-asked", id }, { id: ownCardId(id, "-rename") })}
      {button("remove", { type: "removal-asked", id }, { className: "own-card-action own-card-remove" })}
    </div>
  );
}

/** An empty name takes the name away. */
function Naming({ card, state, send }: Omit<OwnCardProps, "today">) {
  const text = useText();
  const { id } = card;
  const inputId = ownCardId(id, "-name");
  const cancel = () => send({ type: "naming-canceled" });
  return (
    <form
      className="own-card-naming"
      method="dialog"
      onSubmit={(event) => {
        event.preventDefault();
        const typed = String(new FormData(event.currentTarget).get("nickname") ?? "").trim();
        send({ type: "change-asked", id, change: { type: "name", nickname: typed === "" ? null : typed } });
      }}
    >
      <div className="field">
        <div className="field-head">
          <label className="field-label" htmlFor={inputId}>
            {text("card_name")}
          </label>
        </div>
        <div className="field-box">
          <input
            id={inputId}
            className="field-input"
            name="nickname"
            type="text"
            dir="auto"
            autoComplete="off"
            enterKeyHint="done"
            maxLength={NICKNAME_CHARACTERS_MAX}
            defaultValue={card.nickname ?? ""}
            readOnly={state.busy !== null}
            onKeyDown={({ key, nativeEvent }) => {
              // Escape also ends the choice of an input method.
              if (key === "Escape" && !nativeEvent.isComposing) {
                cancel();
              }
            }}
          />
        </div>
      </div>
      <div className="dialog-actions">
        <button type="button" className="button" onClick={cancel}>
          {text("cancel")}
        </button>
        <button type="submit" className="button" aria-disabled={state.busy !== null}>
          {text("save_name")}
        </button>
      </div>
    </form>
  );
}
