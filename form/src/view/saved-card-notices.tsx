// Notices about the saved cards: the danger card, and the snackbar after a removal (docs/saved-cards.md).

import { useEffect } from "react";

import { ELEMENT_IDS } from "../card/element-ids.ts";
import { DoneMark, ErrorIcon } from "./icons.tsx";
import { useForm, useStore } from "./store.ts";
import { useText } from "./text.ts";

/** How long the snackbar stays (docs/saved-cards.md#how-a-card-leaves). */
const SNACKBAR_MS = 2_000;

/** The danger card. Its region exists from the start, so that screen readers announce what appears in it. */
export function SavedCardsTroubleCard() {
  const text = useText();
  const trouble = useForm(({ saved }) => saved.trouble);
  return (
    <div className="saved-cards-trouble" role="alert">
      {trouble !== null && (
        <div className="danger-card" id={ELEMENT_IDS.savedCardsError} data-trouble={trouble}>
          <ErrorIcon />
          <span>{text(trouble)}</span>
        </div>
      )}
    </div>
  );
}

export function RemovedSnackbar() {
  const saidRemoved = useForm(({ saved }) => saved.saidRemoved);
  return (
    <div className="snackbar-place" role="status">
      {saidRemoved && <Snackbar />}
    </div>
  );
}

function Snackbar() {
  const text = useText();
  const store = useStore();
  useEffect(() => {
    const timer = setTimeout(() => store.send({ type: "snackbar-dismissed" }), SNACKBAR_MS);
    return () => clearTimeout(timer);
  }, [store]);
  return (
    <button
      type="button"
      className="snackbar"
      id={ELEMENT_IDS.cardRemoved}
      onClick={() => store.send({ type: "snackbar-dismissed" })}
    >
      <DoneMark />
      <span>{text("card_removed")}</span>
    </button>
  );
}
