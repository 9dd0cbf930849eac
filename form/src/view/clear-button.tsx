// The redesign's button that clears the card number and keeps the focus there.

import { CloseIcon } from "./icons.tsx";
import { useText } from "./store.ts";

/** The style sheet shows it while the field has the focus. Tab skips it: keyboard users can select and delete. */
export function ClearButton({ inputId }: { readonly inputId: string }) {
  const text = useText();
  return (
    <button
      className="clear"
      type="button"
      tabIndex={-1}
      aria-label={text("clear_card_number")}
      aria-controls={inputId}
      // Keeps the focus in the input, so that a phone's keyboard stays open.
      onMouseDown={(event) => event.preventDefault()}
      onClick={() => clear(inputId)}
    >
      <CloseIcon />
    </button>
  );
}

/** Works like selecting and deleting everything, so it can be undone. */
function clear(inputId: string): void {
  const input = document.getElementById(inputId);
  if (input instanceof HTMLInputElement) {
    input.focus();
    input.value = "";
    input.dispatchEvent(new InputEvent("input", { bubbles: true, inputType: "deleteContentBackward" }));
  }
}
