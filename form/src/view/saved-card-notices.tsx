// Notices about the saved cards: the danger card, and the snackbar after a removal (docs/saved-cards.md).

import { ELEMENT_IDS } from "../card/element-ids.ts";
import { ErrorIcon } from "./icons.tsx";
import { useLateViews } from "./late.ts";
import { useForm, useStore, useText } from "./store.ts";

/** The danger card. Its region exists from the start, so that screen readers announce what appears in it. */
export function SavedCardsTroubleCard() {
  const text = useText();
  const store = useStore();
  const trouble = useForm(({ saved }) => saved.trouble);
  return (
    <div className="saved-cards-trouble" role="alert">
      {trouble !== null && (
        <div className="danger-card" id={ELEMENT_IDS.savedCardsError} data-trouble={trouble}>
          <ErrorIcon />
          <span>{text(trouble)}</span>
          {trouble === "saved_cards_error" && (
            <button
              type="button"
              className="danger-again"
              onClick={() => store.send({ type: "list-retried" })}
            >
              {text("try_again")}
            </button>
          )}
        </div>
      )}
    </div>
  );
}

export function RemovedSnackbar() {
  const saidRemoved = useForm(({ saved }) => saved.saidRemoved);
  const { Snackbar } = useLateViews();
  return (
    <div className="snackbar-place" role="status">
      {saidRemoved && Snackbar && <Snackbar />}
    </div>
  );
}
