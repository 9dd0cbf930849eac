// The danger card: says what failed with the shopper's saved cards (docs/saved-cards.md).

import type { CardPageState } from "../card/card-page.ts";
import { ELEMENT_IDS } from "../card/element-ids.ts";
import type { SavedCards } from "../card/form.ts";
import { ErrorIcon } from "./icons.tsx";
import { useText } from "./store.ts";

interface SavedCardsTroubleProps {
  /** The key of its message; null without a message. */
  readonly trouble: (SavedCards | CardPageState)["trouble"];
  /** The list that could not be loaded is to be loaded again. */
  readonly onRetry: () => void;
}

/** Its region exists from the start, so that screen readers announce what appears in it. */
export function SavedCardsTrouble({ trouble, onRetry }: SavedCardsTroubleProps) {
  const text = useText();
  return (
    <div className="saved-cards-trouble" role="alert">
      {trouble !== null && (
        <div className="danger-card" id={ELEMENT_IDS.savedCardsError} data-trouble={trouble}>
          <ErrorIcon />
          <span>{text(trouble)}</span>
          {trouble === "saved_cards_error" && (
            <button type="button" className="danger-again" onClick={onRetry}>
              {text("try_again")}
            </button>
          )}
        </div>
      )}
    </div>
  );
}
