// Names the element that was clicked by its id in our page. It never uses the element's text or a saved card's id.

import { ELEMENT_IDS } from "../card/element-ids.ts";
import { FIELD_IDS } from "../card/field.ts";

/** The elements that are reported. Clicks inside the bank's challenge are not the form's. */
const NAMES: readonly string[] = [...Object.values(FIELD_IDS), ...Object.values(ELEMENT_IDS)].filter(
  (id) => id !== ELEMENT_IDS.challenge,
);
/** A saved card's radio button, expiry, security code and remove button; the card's id is in the middle. */
const OF_SAVED_CARD = /^saved-card-.+?(-expiry|-security-code|-remove)?$/;

/** The name of the nearest element with an id of ours; null if there is none. */
export function clickedElement(target: EventTarget | null): string | null {
  if (!(target instanceof Element)) {
    return null;
  }
  const control = target.closest("label")?.control;
  if (control && control !== target) {
    // The browser clicks the label's input next, and that click is reported.
    return null;
  }
  for (let element: Element | null = target; element !== null; element = element.parentElement) {
    const name = nameOf(element.id);
    if (name !== null) {
      return name;
    }
  }
  return null;
}

/** The reported name for an element's id; null if it is not one of ours. */
export function nameOf(id: string): string | null {
  if (NAMES.includes(id)) {
    return id;
  }
  const [isSavedCard, part = ""] = OF_SAVED_CARD.exec(id) ?? [];
  return isSavedCard === undefined ? null : `saved-card${part}`;
}
