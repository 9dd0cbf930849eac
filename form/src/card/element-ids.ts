// The ids of the page's elements, on which tests and tools may rely. A test compares them with docs/form.md#element-ids.
// The inputs' ids are `FIELD_IDS`.

export const ELEMENT_IDS = {
  saveCard: "save-card",
  payWithNewCard: "pay-with-new-card",
  payWithSavedCard: "pay-with-saved-card",
  removeDialog: "remove-card-dialog",
  removeCancel: "remove-card-cancel",
  removeConfirm: "remove-card-confirm",
  cardRemoved: "card-removed",
  savedCardsError: "saved-cards-error",
  pay: "pay",
  outcome: "outcome",
  challenge: "challenge",
} as const;

export function errorLineId(inputId: string): string {
  return `${inputId}-error`;
}

/** The id of a saved card's radio button, expiry, security code or remove button. */
export function savedCardId(
  paymentMethodId: string | null,
  part: "" | "-expiry" | "-security-code" | "-remove" = "",
): string {
  return `saved-card-${paymentMethodId}${part}`;
}

/** The id of the radio button of a network of the card whose input or radio button has the id `cardId`. */
export function networkId(cardId: string, brand: string): string {
  return `${cardId}-network-${brand}`;
}
