// Asks before a saved card is removed (docs/saved-cards.md#how-a-card-leaves), in the browser's own modal dialog.

import { useLayoutEffect, useRef } from "react";

import { ELEMENT_IDS, savedCardId } from "../card/element-ids.ts";
import { useForm, useStore, useText } from "./store.ts";
import { usePlaceAtRow } from "./use-place-at-row.ts";

/** The dialog of the form's list, open as long as it is drawn. */
export function RemoveCardDialog() {
  const store = useStore();
  const saved = useForm(({ saved }) => saved);
  const card = saved.cards.find(({ id }) => id === saved.confirming);
  return (
    <RemovalDialog
      lastFour={card?.lastFour ?? ""}
      row={() => rowOf(saved.confirming)}
      onCancel={() => store.send({ type: "removal-canceled" })}
      onConfirm={() => store.send({ type: "removal-confirmed" })}
    />
  );
}

interface RemovalDialogProps {
  readonly lastFour: string;
  /** The row of the card, over which the dialog is placed. */
  readonly row: () => Element | null;
  readonly onCancel: () => void;
  readonly onConfirm: () => void;
}

/** The dialog itself, open as long as it is drawn. */
export function RemovalDialog({ lastFour, row, onCancel, onConfirm }: RemovalDialogProps) {
  const text = useText();
  const ref = useRef<HTMLDialogElement>(null);

  useLayoutEffect(() => {
    const dialog = ref.current;
    dialog?.showModal();
    // Closing it before it is removed gives the focus back to the button that opened it.
    return () => dialog?.close();
  }, []);
  usePlaceAtRow(ref, row);

  return (
    <dialog
      ref={ref}
      className="dialog dialog-at-row"
      id={ELEMENT_IDS.removeDialog}
      aria-labelledby="remove-card-title"
      aria-describedby="remove-card-message"
      // A quick second press on Remove can arrive before the event "close", never before "cancel".
      onCancel={(event) => {
        event.preventDefault();
        onCancel();
      }}
      onClose={onCancel}
    >
      <h2 className="dialog-title" id="remove-card-title">
        {text("remove_card_title")}
      </h2>
      <p className="dialog-text" id="remove-card-message">
        {text("remove_card_message", { last_four: lastFour })}
      </p>
      <div className="dialog-actions">
        <button type="button" className="button" id={ELEMENT_IDS.removeCancel} onClick={onCancel}>
          {text("cancel")}
        </button>
        <button
          type="button"
          className="button button-danger"
          id={ELEMENT_IDS.removeConfirm}
          onClick={onConfirm}
        >
          {text("confirm_remove_card")}
        </button>
      </div>
    </dialog>
  );
}

function rowOf(id: string | null): Element | null {
  return document.getElementById(savedCardId(id, "-remove"))?.closest(".saved-card") ?? null;
}
