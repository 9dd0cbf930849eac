// The redesign's close icon at the end of the card number: empties it and leaves the caret there.

import type { MouseEvent } from "react";

import { CloseIcon } from "./icons.tsx";
import { useText } from "./text.ts";

/** Shown by the style while the field has the focus. Whoever uses the keyboard selects and deletes: Tab passes it by. */
export function ClearButton({ inputId }: { readonly inputId: string }) {
  const text = useText();
  return (
    <button
      className="clear"
      type="button"
      tabIndex={-1}
      aria-label={text("clear_card_number")}
      aria-controls={inputId}
      // The focus stays in the input, and with it a phone's keyboard.
      onMouseDown={(event: MouseEvent) => event.preventDefault()}
      onClick={() => clear(inputId)}
    >
      <CloseIcon />
    </button>
  );
}

/** As if the shopper had selected everything and deleted it: it can be undone. */
function clear(inputId: string): void {
  const input = document.getElementById(inputId);
  if (input instanceof HTMLInputElement) {
    input.focus();
    input.value = "";
    input.dispatchEvent(new InputEvent("input", { bubbles: true, inputType: "deleteContentBackward" }));
  }
}
