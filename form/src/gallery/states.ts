// The states of the gallery: for each the page's options and the form's events.

import type {
  ChargeStatus,
  ErrorCode,
  FormOptions,
  Page,
  Payee,
  ShopperCharge,
} from "../../generated/wire.ts";
import type { FormEvent, FormField } from "../card/form.ts";
import type { ListedCard } from "../card/saved-cards.ts";
import { declineOf } from "../payments/charges.ts";

export interface GalleryState {
  readonly options?: Partial<FormOptions>;
  /** Saved cards are offered, and new ones can be saved. */
  readonly saving?: boolean;
  /** How many saved cards the server knew of; absent if it did not count them. */
  readonly counted?: number;
  readonly standalone?: boolean;
  /** The payee, if it is not the usual one. With `logo` the gallery's own logo is shown. */
  readonly payee?: Omit<Payee, "logo"> & { readonly logo: boolean };
  /** The order's reference, if it is not the usual one. */
  readonly reference?: string;
  readonly events?: readonly FormEvent[];
  /** An error page instead of the form. */
  readonly error?: Pick<Extract<Page, { page: "error" }>, "status" | "message" | "description">;
}

const typed = (name: FormField, text: string): FormEvent => ({
  type: "field",
  name,
  event: { type: "typed", text },
});
const blurred = (name: FormField): FormEvent => ({ type: "field", name, event: { type: "blurred" } });

/** A usual test number, put together here because only tests may have a whole card number. */
const NUMBER = Array(4).fill("4242").join(" ");
const FILLED = [typed("cardNumber", NUMBER), typed("expiry", "12 / 34"), typed("security", "123")];

const card = (
  id: string,
  brand: ListedCard["brand"],
  lastFour: string,
  expirationYear: number,
): ListedCard => ({
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

const listed = (cards: readonly ListedCard[] | null): FormEvent => ({ type: "saved-cards-answered", cards });
const SUBMITTED: FormEvent = { type: "submit", clientSecret: "none" };
const seen = (status: ChargeStatus, about: Partial<ShopperCharge> = {}): FormEvent => ({
  type: "charge-seen",
  charge: {
    id: "ch_1",
    status,
    decline_code: null,
    return_url: "/demo",
    cancel_url: null,
    paid_with: null,
    shopper_action: null,
    ...about,
  },
  decline: declineOf(about.decline_code ?? null),
});
const CANCELED_AT_BANK = { decline_code: "authentication_canceled" };
const paidWith = (brand: string, last_four: string) => seen("succeeded", { paid_with: { brand, last_four } });
const refused = (code: ErrorCode, retryAfterSeconds?: number): FormEvent => ({
  type: "charge-answered",
  answer: { kind: "refused", code, ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }) },
});
const declined = (declineCode: string): FormEvent => ({
  type: "charge-answered",
  answer: { kind: "declined", declineCode, decline: declineOf(declineCode) },
});
const TAKEN: FormEvent = {
  type: "charge-answered",
  answer: { kind: "taken", status: "succeeded", shopperAction: null },
};
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

/** The longest names and references. */
const LONG_PAYEE = {
  name: "Überlebensausrüstungsversandgesellschaft Larkspur & Söhne",
  logo: true,
  website: "/demo",
};
const LONG_REFERENCE = "order-2026-11-22-0017-larkspur-0000000000004711";

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
  expired: { events: [seen("expired")] },
  "page-open": { standalone: true },
  "page-logo": { standalone: true, payee: { name: "Larkspur & Sons", logo: true, website: "/demo" } },
  "page-name-alone": { standalone: true, payee: { name: "Larkspur & Sons", logo: false, website: null } },
  "page-long-names": { standalone: true, payee: LONG_PAYEE, reference: LONG_REFERENCE },
  "page-saved": { standalone: true, saving: true, events: [listed([VISA, AMERICAN_EXPRESS])] },
  "page-paying": { standalone: true, events: [...FILLED, SUBMITTED] },
  "page-declined": { standalone: true, events: [...FILLED, SUBMITTED, declined("insufficient_funds")] },
  "page-wrong-code": { standalone: true, events: [...FILLED, SUBMITTED, declined("incorrect_cvc")] },
  "page-challenge": { standalone: true, events: [...FILLED, SUBMITTED, CHALLENGED] },
  "page-challenge-canceled": {
    standalone: true,
    events: [
      ...FILLED,
      SUBMITTED,
      CHALLENGED,
      { type: "challenge-closed" },
      seen("failed", CANCELED_AT_BANK),
    ],
  },
  "page-checking": { standalone: true, events: [seen("outcome_unknown")] },
  "page-too-many-tries": {
    standalone: true,
    events: [...FILLED, SUBMITTED, refused("too_many_requests", 840)],
  },
  "page-offline": {
    standalone: true,
    events: [...FILLED, SUBMITTED, { type: "charge-answered", answer: { kind: "unsent" } }],
  },
  "page-succeeded": { standalone: true, events: [...FILLED, SUBMITTED, TAKEN] },
  "page-receipt": {
    standalone: true,
    payee: { name: "Larkspur & Sons", logo: true, website: "/demo" },
    events: [paidWith("mastercard", "4444")],
  },
  "page-receipt-long": {
    standalone: true,
    payee: LONG_PAYEE,
    reference: LONG_REFERENCE,
    events: [paidWith("american-express", "0005")],
  },
  "page-receipt-unknown-card": { standalone: true, reference: "", events: [paidWith("", "1117")] },
  "page-canceled": { standalone: true, events: [seen("canceled")] },
  "page-expired": { standalone: true, events: [seen("expired")] },
  "page-link-expired": {
    standalone: true,
    events: [{ type: "look-refused", code: "client_secret_expired" }],
  },
  "page-link-invalid": {
    standalone: true,
    events: [{ type: "look-refused", code: "client_secret_invalid" }],
  },
  "page-link-foreign": {
    standalone: true,
    payee: { name: "Larkspur & Sons", logo: true, website: null },
    events: [{ type: "look-refused", code: "charge_mismatch" }],
  },
  "page-link-incomplete": { standalone: true, events: [{ type: "link-incomplete" }] },
  "error-404": { error: { status: 404, message: "Page not found: /nowhere", description: null } },
  "error-422": {
    error: { status: 422, message: null, description: "The payload names the charge of another merchant." },
  },
  "error-500": { error: { status: 500, message: null, description: null } },
};
