// The states of the gallery: for each the page's options and the form's events.

import type {
  ChargeStatus,
  ErrorCode,
  FormOptions,
  Page,
  Payee,
  ShopperCharge,
} from "../../generated/wire.ts";
import { type CardPageState, INITIAL_CARD_PAGE, type OwnCard } from "../card/card-page.ts";
import type { FieldEvent } from "../card/field.ts";
import type { ChargeAnswer, FormEvent, FormField, ListedCard, Method } from "../card/form.ts";
import { declineOf } from "../payments/charges.ts";

export interface GalleryState {
  readonly options?: Partial<FormOptions>;
  /** Saved cards are offered, and new ones can be saved. */
  readonly saving?: boolean;
  /** Whether a saved card may also be charged without the shopper. */
  readonly offSession?: boolean;
  /** The card is saved without a payment. */
  readonly setup?: boolean;
  /** How many saved cards the server knew of; absent if it did not count them. */
  readonly counted?: number;
  readonly standalone?: boolean;
  /** The payee, if it is not the usual one. With `logo` the gallery's own logo is shown. */
  readonly payee?: Omit<Payee, "logo"> & { readonly logo: boolean };
  /** The order's reference, if it is not the usual one. */
  readonly reference?: string;
  readonly events?: readonly FormEvent[];
  /** The card page instead of the form. */
  readonly cardPage?: CardPageState;
  /** An error page instead of the form. */
  readonly error?: Pick<Extract<Page, { page: "error" }>, "status" | "message" | "description">;
}

const at = (name: FormField, event: FieldEvent): FormEvent => ({ type: "field", name, event });
const typed = (name: FormField, text: string) => at(name, { type: "typed", text });
const blurred = (name: FormField) => at(name, { type: "blurred" });

/** A usual test number, put together here because only tests may have a whole card number. */
const NUMBER = Array(4).fill("4242").join(" ");
const FILLED = [typed("cardNumber", NUMBER), typed("expiry", "12 / 34"), typed("security", "123")];

/** A number of Cartes Bancaires and Visa, and what the server knows of it. */
const TWO_NETWORKS: FormEvent[] = [
  typed("cardNumber", ["4000", "0025", "0000", "1001"].join(" ")),
  { type: "networks-found", prefix: "40000025", ranges: [{ length: 16, networks: ["cb", "visa"] }] },
];
const OVER_VISA: FormEvent = { type: "network-chosen", network: "visa" };

const card = (about: Omit<ListedCard, "expirationMonth">): ListedCard => ({ ...about, expirationMonth: 9 });
const VISA = card({ id: "pm_visa", brand: "visa", lastFour: "4242", expirationYear: 2034 });
const AMEX = card({ id: "pm_amex", brand: "american-express", lastFour: "0005", expirationYear: 2031 });
const UNKNOWN = card({ id: "pm_unknown", brand: null, lastFour: "1117", expirationYear: 2030 });
const CO_BADGED = card({
  id: "pm_cb",
  brand: "visa",
  lastFour: "1001",
  expirationYear: 2034,
  networks: ["cb", "visa"],
  network: "cb",
});
const EXPIRED = card({ id: "pm_expired", brand: "mastercard", lastFour: "4444", expirationYear: 2021 });

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
const answered = (answer: ChargeAnswer): FormEvent => ({ type: "charge-answered", answer });
const declined = (declineCode: string) =>
  answered({ kind: "declined", declineCode, decline: declineOf(declineCode) });
const TAKEN = answered({ kind: "taken", status: "succeeded", shopperAction: null });
const asked = (id: string): FormEvent => ({ type: "removal-asked", id });
const NAMED = { show_cardholder_name: true, show_postal_code: true, show_cardholder_email: true };
const CHALLENGED = answered({
  kind: "taken",
  status: "waiting_for_shopper_action",
  shopperAction: { type: "redirect", url: "about:blank" },
});

export const LARKSPUR = { name: "Larkspur & Sons", logo: false, website: "/demo" };
/** The longest names and references. */
const LONG_PAYEE = {
  name: "Überlebensausrüstungsversandgesellschaft Larkspur & Söhne",
  logo: true,
  website: "/demo",
};
const LONG_REFERENCE = "order-2026-11-22-0017-larkspur-0000000000004711";

const withCards = (...events: FormEvent[]): GalleryState => ({ saving: true, events });
const onPage = (...events: FormEvent[]): GalleryState => ({ standalone: true, events });
/** The payment page after a card was sent. */
const sent = (...events: FormEvent[]) => onPage(...FILLED, SUBMITTED, ...events);

const REMOVED: FormEvent = { type: "removal-confirmed" };
const BOTH = listed([VISA, AMEX]);
const ALL = listed([VISA, AMEX, UNKNOWN, EXPIRED]);
const chosen = (method: Method): FormEvent => ({ type: "method-chosen", method });
const lookRefused = (code: ErrorCode) => onPage({ type: "look-refused", code });

const own = (card: ListedCard, nickname: string | null = null, isDefault = false): OwnCard => ({
  ...card,
  nickname,
  isDefault,
});
const OWN_CARDS = [
  own(VISA, "Company card of Larkspur & Sons in Leeds", true),
  own(AMEX),
  own(UNKNOWN, "سفر"),
  own(EXPIRED),
];

/** The card page by itself. */
const cardPage = (state: Partial<CardPageState> = {}): GalleryState => ({
  standalone: true,
  setup: true,
  cardPage: { ...INITIAL_CARD_PAGE, list: "loaded", cards: OWN_CARDS, ...state },
});

export const STATES: Readonly<Record<string, GalleryState>> = {
  empty: {},
  "all-fields": { options: NAMED },
  filled: {
    options: NAMED,
    events: [
      ...FILLED,
      typed("cardHolderName", "Ana Müller"),
      typed("cardPostalCode", "94107"),
      typed("cardHolderEmail", "ana@example.com"),
    ],
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
      typed("cardPostalCode", "941"),
      blurred("cardPostalCode"),
      typed("cardHolderEmail", "ana@"),
      blurred("cardHolderEmail"),
    ],
  },
  "two-networks": { events: TWO_NETWORKS },
  "two-networks-changed": { events: [...TWO_NETWORKS, OVER_VISA, typed("expiry", "12 / 34")] },
  "two-networks-missing": { events: [...TWO_NETWORKS, { type: "submit-attempted" }] },
  "two-networks-paying": {
    events: [...TWO_NETWORKS, typed("expiry", "12 / 34"), typed("security", "123"), SUBMITTED],
  },
  paying: { events: [...FILLED, SUBMITTED] },
  "save-card": withCards(listed([]), { type: "save-card-chosen", saves: true }),
  "save-card-off-session": { ...withCards(listed([])), offSession: true },
  setup: { setup: true },
  "setup-off-session": { setup: true, offSession: true, events: FILLED },
  "setup-page": { ...onPage(...FILLED), setup: true, offSession: true },
  "setup-saved": { ...sent(TAKEN), setup: true },
  "saved-loading": { saving: true, counted: 1 },
  "saved-loading-many": { saving: true, counted: 3 },
  "saved-uncounted": { saving: true },
  "saved-late": withCards(typed("cardNumber", "4242 4"), listed([VISA])),
  "saved-one": withCards(listed([VISA])),
  "saved-many": withCards(ALL),
  "saved-named": withCards(listed([{ ...VISA, nickname: "Company card of Larkspur & Sons in Leeds" }, AMEX])),
  "saved-two-networks": withCards(listed([CO_BADGED, VISA])),
  "saved-two-networks-changed": withCards(listed([CO_BADGED, VISA]), OVER_VISA, {
    type: "submit-attempted",
  }),
  "saved-other-selected": withCards(
    BOTH,
    { type: "saved-card-selected", id: "pm_amex" },
    typed("savedSecurity", "1234"),
  ),
  "saved-code-missing": withCards(BOTH, { type: "submit-attempted" }),
  "saved-paying": withCards(listed([VISA]), typed("savedSecurity", "123"), SUBMITTED),
  "saved-renewal": withCards(
    listed([EXPIRED, VISA]),
    { type: "saved-card-selected", id: "pm_expired" },
    { type: "submit-attempted" },
  ),
  "saved-expired-only": withCards(listed([EXPIRED]), chosen("saved")),
  "saved-failed": withCards(listed(null)),
  "saved-to-new": { ...withCards(listed([VISA]), chosen("new")), options: NAMED },
  "removal-asked": withCards(BOTH, asked("pm_amex")),
  "removal-asked-of-one": withCards(listed([VISA]), asked("pm_visa")),
  "removal-asked-of-last": withCards(ALL, asked("pm_expired")),
  removed: withCards(BOTH, asked("pm_amex"), REMOVED),
  "not-removed": withCards(BOTH, asked("pm_amex"), REMOVED, {
    type: "removal-answered",
    id: "pm_amex",
    removed: false,
  }),
  "card-unavailable": withCards(
    BOTH,
    typed("savedSecurity", "123"),
    SUBMITTED,
    answered({ kind: "refused", code: "payment_method_not_found" }),
  ),
  checking: { events: [seen("outcome_unknown")] },
  succeeded: { events: [seen("succeeded")] },
  canceled: { events: [seen("canceled")] },
  expired: { events: [seen("expired")] },
  "page-open": onPage(),
  "page-logo": { ...onPage(), payee: { ...LARKSPUR, logo: true } },
  "page-name-alone": { ...onPage(), payee: { ...LARKSPUR, website: null } },
  "page-long-names": { ...onPage(), payee: LONG_PAYEE, reference: LONG_REFERENCE },
  "page-two-networks": onPage(...TWO_NETWORKS),
  "page-saved": { ...onPage(BOTH), saving: true },
  "page-paying": sent(),
  "page-declined": sent(declined("insufficient_funds")),
  "page-wrong-code": sent(declined("incorrect_cvc")),
  "page-challenge": sent(CHALLENGED),
  "page-challenge-canceled": sent(CHALLENGED, { type: "challenge-closed" }, seen("failed", CANCELED_AT_BANK)),
  "page-checking": onPage(seen("outcome_unknown")),
  "page-too-many-tries": sent(
    answered({ kind: "refused", code: "too_many_requests", retryAfterSeconds: 840 }),
  ),
  "page-offline": sent(answered({ kind: "unsent" })),
  "page-succeeded": sent(TAKEN),
  "page-receipt": { ...onPage(paidWith("mastercard", "4444")), payee: { ...LARKSPUR, logo: true } },
  "page-receipt-long": {
    ...onPage(paidWith("american-express", "0005")),
    payee: LONG_PAYEE,
    reference: LONG_REFERENCE,
  },
  "page-receipt-unknown-card": { ...onPage(paidWith("", "1117")), reference: "" },
  "page-canceled": onPage(seen("canceled")),
  "page-expired": onPage(seen("expired")),
  "page-link-expired": lookRefused("client_secret_expired"),
  "page-link-invalid": lookRefused("client_secret_invalid"),
  "page-link-foreign": {
    ...lookRefused("charge_mismatch"),
    payee: { ...LARKSPUR, logo: true, website: null },
  },
  "page-link-incomplete": onPage({ type: "link-incomplete" }),
  "cards-list": cardPage(),
  "cards-framed": { ...cardPage(), standalone: false },
  "cards-naming": cardPage({ naming: VISA.id }),
  "cards-removal-asked": { ...cardPage({ confirming: AMEX.id }), standalone: false },
  "cards-not-changed": cardPage({ trouble: "card_not_changed" }),
  "cards-not-added": cardPage({ cards: [], trouble: "card_not_added" }),
  "cards-adding": cardPage({ adding: "asked" }),
  "cards-none": cardPage({ cards: [] }),
  "cards-loading": { ...cardPage({ list: "loading", cards: [] }), counted: 2 },
  "cards-failed": cardPage({ list: "failed", cards: [], trouble: "saved_cards_error" }),
  "cards-expired": cardPage({ cards: [], hasExpired: true }),
  "cards-framed-expired": { ...cardPage({ cards: [], hasExpired: true }), standalone: false },
  "cards-form": { ...cardPage({ adding: "form" }), options: { hide_title: true } },
  "error-404": { error: { status: 404, message: "Page not found: /nowhere", description: null } },
  "error-422": {
    error: { status: 422, message: null, description: "The payload names the charge of another merchant." },
  },
  "error-500": { error: { status: 500, message: null, description: null } },
};
