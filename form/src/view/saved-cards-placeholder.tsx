// The placeholder of the saved cards until their list has loaded.

import { useStore, useText } from "./store.ts";

/** A placeholder with as many rows as there are cards, of the same height, so that nothing moves when the list comes. */
export function SavedCardsPlaceholder() {
  const text = useText();
  const { savedCardsCount } = useStore().config;
  const rows = Array.from({ length: savedCardsCount ?? 1 }, (_, row) => row);
  return (
    <div className="saved-cards">
      <span className="visually-hidden">{text("loading_saved_cards")}</span>
      {rows.map((row) => (
        <div className="saved-card" key={row} aria-hidden="true">
          <div className="saved-card-choice">
            <span className="skeleton-radio" />
            <span className="skeleton-logo" />
            <span className="skeleton-lines">
              <span className="skeleton-line" />
              <span className="skeleton-line" />
            </span>
          </div>
          {row === 0 && <SecurityCodePlaceholder />}
        </div>
      ))}
    </div>
  );
}

/** The space for the selected card's security code. */
function SecurityCodePlaceholder() {
  const text = useText();
  return (
    <div className="field skeleton-field">
      <div className="field-head">
        <span className="field-label">{text("input_security_code")}</span>
      </div>
      <div className="field-box" />
      <p className="field-error" />
    </div>
  );
}
