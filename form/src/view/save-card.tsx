// The checkbox to save the new card after it has paid (docs/form.md#layout).

import { ELEMENT_IDS } from "../card/element-ids.ts";
import { isDisabled } from "../card/form.ts";
import { useForm, useStore } from "./store.ts";
import { useText } from "./text.ts";

export function SaveCard() {
  const text = useText();
  const store = useStore();
  const saves = useForm(({ savesCard }) => savesCard);
  const disabled = useForm(isDisabled);
  return (
    <label className="save-card">
      <input
        type="checkbox"
        className="save-card-box"
        id={ELEMENT_IDS.saveCard}
        checked={saves}
        disabled={disabled}
        onChange={({ target }) => store.send({ type: "save-card-chosen", saves: target.checked })}
      />
      <span>{text("save_card")}</span>
    </label>
  );
}
