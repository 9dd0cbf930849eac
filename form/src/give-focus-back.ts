// Gives the focus back to the field that lost it while an outcome replaced the form.

import { ELEMENT_IDS } from "./card/element-ids.ts";
import { FIELD_IDS, type FieldName } from "./card/field.ts";

/**
 * Follows the focus from now on. The returned function gives it back to the last place in the form, or to the first of
 * `fields`, unless the merchant's page has it.
 */
export function followFocus(fields: readonly FieldName[]): () => void {
  let last = "";
  const follow = (target: EventTarget | null) => {
    const { id = "" } = (target as Element | null)?.closest(".card-form") ? (target as Element) : {};
    last = id || last;
  };
  follow(document.activeElement);
  document.addEventListener("focusin", ({ target }) => follow(target));
  return () => {
    if (document.hasFocus() && document.activeElement === document.body) {
      const ids = [last, ELEMENT_IDS.pay, ...fields.map((field) => FIELD_IDS[field])];
      const places = ids.map((id) => document.getElementById(id));
      places.find((place) => place !== null)?.focus();
    }
  };
}
