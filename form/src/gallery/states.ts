// The states of the gallery: for each the options of the page, and what has happened to the form.

import type { ChargeStatus, FormOptions, Page } from "../../generated/wire.ts";
import type { FormEvent, FormField } from "../card/form.ts";
import type { SavedCard } from "../card/saved-cards.ts";
import { declineOf } from "../payments/charges.ts";

export interface GalleryState {
  readonly options?: Partial<FormOptions>;
  /** Saved cards are offered, and new ones can be saved. */
  readonly saving?: boolean;
  /** How many saved cards the server knew of; left out, nobody counted them. */
  readonly counted?: number;
  readonly standalone?: boolean;
  readonly events?: readonly FormEvent[];
  /** An error page in the form's stead. */
  readonly error?: Pick<Extract<Page, { page: "error" }>, "status" | "message" | "description">;
}

const typed = (name: FormField, text: string): FormEvent => ({
  type: "field",
  name,
  event: { type: "typed", text },
});
const blurred = (name: FormField): FormEvent => ({ type: "field", name, event: { type: "blurred" } });

/** What one thinks of first; no file outside of the tests holds a whole card number. */
const NUMBER = Array(4).fill("4242").join(" ");
const FILLED = [typed("cardNumber", NUMBER), typed("expiry", "12 / 34"), typed("security", "123")];

const card = (
  id: string,
  brand: SavedCard["brand"],
  lastFour: string,
  expirationYear: number,
): SavedCard => ({
  id,
  brand,
  lastFour,
  expirationMonth: 9,
  expirationYear,
});
const VISA = card("pm_visa", "visa", "4242", 2034);
const AMERICAN_EXPRESS = card("pm_amex", "american-express", "0005", 2031);
const UNKNOWN = card("pm_unknown", null, "1117", 2030);
const EXPIRED = card("pm_expired", "mastercard", "4444", 2021);

const listed = (cards: readonly SavedCard[] | null): FormEvent => ({ type: "saved-cards-answered", cards });
const SUBMITTED: FormEvent = { type: "submit", clientSecret: "none" };
const seen = (status: ChargeStatus): FormEvent => ({
  type: "charge-seen",
  charge: {
    id: "ch_1",
    status,
    decline_code: null,
    return_url: "/demo",
    cancel_url: null,
    paid_with: null,
    shopper_action: null,
  },
});
const declined = (declineCode: string): FormEvent => ({
  type: "charge-answered",
  answer: { kind: "declined", declineCode, decline: declineOf(declineCode) },
});
const ASKED: FormEvent = { type: "removal-asked", id: "pm_amex" };
const NAMED = { show_cardholder_name: true, show_cardholder_email: true };
const CHALLENGED: FormEvent = {
  type: "charge-answered",
  answer: {
    kind: "taken",
    status: "waiting_for_shopper_action",
    shopperAction: { type: "redirect", url: "about:blank" },
  },
};

/** Every state, by name. */
export const STATES: Readonly<Record<string, GalleryState>> = {
  empty: {},
  "all-fields": { options: NAMED },
  filled: {
    options: NAMED,
    events: [...FILLED, typed("cardHolderName", "Ana Müller"), typed("cardHolderEmail", "ana@example.com")],
  },
  "american-express": { events: [typed("cardNumber", "3782 8224 63")] },
  "unknown-brand": { events: [typed("cardNumber", "0000 1")] },
  "nothing-entered": { options: NAMED, events: [{ type: "submit-attempted" }] },
  "wrong-entries": {
    options: NAMED,
    events: [
      typed("cardNumber", NUMBER.replace(/2$/, "1")),
      typed("expiry", "13 / 30"),
      typed("security", "1"),
      blurred("security"),
      typed("cardHolderName", "A"),
      blurred("cardHolderName"),
      typed("cardHolderEmail", "ana@"),
      blurred("cardHolderEmail"),
    ],
  },
  paying: { events: [...FILLED, SUBMITTED] },
  "save-card": { saving: true, events: [listed([]), { type: "save-card-chosen", saves: true }] },
  "saved-loading": { saving: true, counted: 1 },
  "saved-loading-many": { saving: true, counted: 3 },
  "saved-overdue": { saving: true, counted: 1, events: [{ type: "saved-cards-overdue" }] },
  "saved-uncounted": { saving: true },
  "saved-late": {
    saving: true,
    events: [typed("cardNumber", "4242 4"), listed([VISA])],
  },
  "saved-one": { saving: true, events: [listed([VISA])] },
  "saved-many": { saving: true, events: [listed([VISA, AMERICAN_EXPRESS, UNKNOWN, EXPIRED])] },
  "saved-other-selected": {
    saving: true,
    events: [
      listed([VISA, AMERICAN_EXPRESS]),
      { type: "saved-card-selected", id: "pm_amex" },
      typed("savedSecurity", "1234"),
    ],
  },
  "saved-code-missing": {
    saving: true,
    events: [listed([VISA, AMERICAN_EXPRESS]), { type: "submit-attempted" }],
  },
  "saved-paying": { saving: true, events: [listed([VISA]), typed("savedSecurity", "123"), SUBMITTED] },
  "saved-expired-only": {
    saving: true,
    events: [listed([EXPIRED]), { type: "method-chosen", method: "saved" }],
  },
  "saved-failed": { saving: true, events: [listed(null)] },
  "saved-to-new": {
    saving: true,
    options: NAMED,
    events: [listed([VISA]), { type: "method-chosen", method: "new" }],
  },
  "removal-asked": { saving: true, events: [listed([VISA, AMERICAN_EXPRESS]), ASKED] },
  "removal-asked-of-one": {
    saving: true,
    events: [listed([VISA]), { type: "removal-asked", id: "pm_visa" }],
  },
  "removal-asked-of-last": {
    saving: true,
    events: [listed([VISA, AMERICAN_EXPRESS, UNKNOWN, EXPIRED]), { type: "removal-asked", id: "pm_expired" }],
  },
  removed: {
    saving: true,
    events: [listed([VISA, AMERICAN_EXPRESS]), ASKED, { type: "removal-confirmed" }],
  },
  "not-removed": {
    saving: true,
    events: [
      listed([VISA, AMERICAN_EXPRESS]),
      ASKED,
      { type: "removal-confirmed" },
      { type: "removal-answered", id: "pm_amex", removed: false },
    ],
  },
  "card-unavailable": {
    saving: true,
    events: [
      listed([VISA, AMERICAN_EXPRESS]),
      typed("savedSecurity", "123"),
      SUBMITTED,
      { type: "charge-answered", answer: { kind: "refused", code: "payment_method_not_found" } },
    ],
  },
  checking: { events: [seen("outcome_unknown")] },
  succeeded: { events: [seen("succeeded")] },
  canceled: { events: [seen("canceled")] },
  "page-link-unusable": {
    standalone: true,
    events: [{ type: "look-refused", code: "client_secret_expired" }],
  },
  "page-open": { standalone: true },
  "page-saved": { standalone: true, saving: true, events: [listed([VISA, AMERICAN_EXPRESS])] },
  "page-paying": { standalone: true, events: [...FILLED, SUBMITTED] },
  "page-declined": { standalone: true, events: [...FILLED, SUBMITTED, declined("insufficient_funds")] },
  "page-wrong-code": { standalone: true, events: [...FILLED, SUBMITTED, declined("incorrect_cvc")] },
  "page-challenge": { standalone: true, events: [...FILLED, SUBMITTED, CHALLENGED] },
  "page-challenge-canceled": {
    standalone: true,
    events: [...FILLED, SUBMITTED, CHALLENGED, declined("authentication_canceled")],
  },
  "page-checking": { standalone: true, events: [seen("outcome_unknown")] },
  "page-succeeded": { standalone: true, events: [seen("succeeded")] },
  "page-closed": { standalone: true, events: [seen("expired")] },
  "page-link-incomplete": { standalone: true, events: [{ type: "link-incomplete" }] },
  "error-404": { error: { status: 404, message: "Page not found: /nowhere", description: null } },
  "error-422": {
    error: { status: 422, message: null, description: "The payload names the charge of another merchant." },
  },
  "error-500": { error: { status: 500, message: null, description: null } },
};
