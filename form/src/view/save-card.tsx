// The checkbox to save the new card after it has paid (docs/form.md#layout).

import { useLayoutEffect, useRef } from "react";

import { ELEMENT_IDS } from "../card/element-ids.ts";
import { isDisabled } from "../card/form.ts";
import { useForm, useStore, useText } from "./store.ts";

export function SaveCard() {
  const text = useText();
  const store = useStore();
  const saves = useForm(({ savesCard }) => savesCard);
  const disabled = useForm(isDisabled);
  const box = useRef<HTMLInputElement>(null);
  // A tick from before hydration counts: React leaves it in the box without an event. It is sent in a microtask, because
  // effects of the machine draw at once, which must not happen while React is working.
  useLayoutEffect(() => {
    const ticked = box.current?.checked === true;
    queueMicrotask(() => {
      if (ticked && !store.state().savesCard) {
        store.send({ type: "save-card-chosen", saves: true });
      }
    });
  }, [store]);
  return (
    <label className="save-card">
      <input
        ref={box}
        type="checkbox"
        className="save-card-box"
        id={ELEMENT_IDS.saveCard}
        checked={saves}
        aria-disabled={disabled}
        onChange={({ target }) => store.send({ type: "save-card-chosen", saves: target.checked })}
      />
      <span>{text(store.config.saveCardText)}</span>
    </label>
  );
}
