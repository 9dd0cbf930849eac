// The types of the form machine: its state, its events and its effects.

import type { Decline, NextStep } from "../../generated/declines.ts";
import type { ErrorId } from "../../generated/rules.ts";
import type {
  ChargeStatus,
  ErrorCode,
  FieldAction,
  FormErrorCode,
  FromForm,
  NetworkRange,
  ShopperAction,
  ShopperCharge,
} from "../../generated/wire.ts";
import { type Brand, type BrandName, brandNamed, detectBrand } from "./brand.ts";
import { FIELD_IDS, type Field, type FieldEvent, type FieldExperiments, type FieldName } from "./field.ts";

/** A field of the page: those of a new card, and two of the selected saved card. Only an expired card has the expiry. */
export type FormField = FieldName | "savedExpiry" | "savedSecurity";

/** The field whose rules `field` follows. */
export function ruleOf(field: FormField): FieldName {
  return field === "savedSecurity" ? "security" : field === "savedExpiry" ? "expiry" : field;
}

/** Settings that do not change while the form is open. */
export interface FormConfig {
  readonly experiments: FieldExperiments;
  /** The card's country, as the charge has it. */
  readonly country: string;
  /** The fields that are shown, in their order on the page (docs/form.md#layout). */
  readonly fields: readonly FieldName[];
  readonly prefill: Readonly<Partial<Record<FieldName, string>>>;
  /** Whether the shopper cannot change a prefilled email. */
  readonly readOnlyEmail: boolean;
  /** Whether only screen readers get the title. */
  readonly hidesTitle: boolean;
  /** The redesign is on: the card number has a placeholder and a button that clears it. */
  readonly redesign: boolean;
  /** The theme puts the labels inside the inputs. */
  readonly floatingLabels: boolean;
  /** The brands that are shown before one is detected (docs/rules.md#brand-detection). */
  readonly availableBrands: readonly BrandName[];
  /** The networks that the merchant prefers, the first one most. */
  readonly preferredNetworks: readonly BrandName[];
  /** Whether saved cards are offered (docs/saved-cards.md#when-they-are-offered). */
  readonly offersSavedCards: boolean;
  /** How many saved cards the shopper had when the page was made; null if the server did not say. */
  readonly savedCardsCount: number | null;
  /** Whether the client secret came with the page's address. Then no other one can be asked for. */
  readonly secretInAddress?: boolean;
  /** Whether the card is saved without a payment (docs/saving-cards.md#save-a-card-without-a-payment). */
  readonly isSetup: boolean;
  /** Whether the shopper may have the new card saved. */
  readonly offersSaving: boolean;
  /** The key of the text by which the shopper agrees to that (docs/saving-cards.md#what-the-shopper-agrees-to). */
  readonly saveCardText: "save_card" | "save_card_off_session";
  /** Whether a snackbar confirms a removal (docs/saved-cards.md#how-a-card-leaves). */
  readonly saysRemoved: boolean;
}

/** How far the payment has come. */
export type Submission =
  /** Nothing was sent, or the last card was declined. */
  | { readonly phase: "open" }
  /** Pay was pressed; the form waits for the client secret. */
  | { readonly phase: "awaiting-client-secret" }
  /** The card is with the server. */
  | { readonly phase: "charging"; readonly clientSecret: string }
  /** The server has the card but does not know the outcome yet. The shopper must not pay again. */
  | {
      readonly phase: "settling";
      readonly status: ChargeStatus;
      readonly shopperAction: ShopperAction | null;
      /** The server no longer accepts the client secret, and the parent knows that. The form still asks. */
      readonly refused?: true;
    }
  /** The form is finished: paid, canceled, expired, or opened by a link without a usable client secret. */
  | {
      readonly phase: "closed";
      readonly status: ChargeStatus | "incomplete_link" | "unusable_link";
      /** The page has taken this payment; absent if the charge was paid before the page was opened. */
      readonly paidHere?: true;
    };

/** Why the last attempt did not pay: a message key, and the provider's code if there is one. */
export interface Failure {
  readonly messageKey: FailureMessageKey;
  readonly declineCode?: string;
  /** Why no card was tried, for programs. */
  readonly errorCode?: FormErrorCode;
  /** Values for the message's placeholders. A number chooses the plural form. */
  readonly values?: Readonly<Record<string, number>>;
}

export type FailureMessageKey =
  | NextStep
  | ErrorId
  | "card_unavailable"
  | "too_many_tries"
  | "secret_expired"
  | "secret_invalid"
  | "secret_foreign"
  | "charge_canceled"
  | "charge_expired"
  | "offline"
  | "payment_not_made"
  | "outcome_checking_text";

export interface ListedCard {
  /** Its `payment_method_id`. */
  readonly id: string;
  readonly lastFour: string;
  /** Null if the brand is not in the table. */
  readonly brand: BrandName | null;
  readonly expirationMonth: number;
  /** Four digits. */
  readonly expirationYear: number;
  /** Two if the shopper can choose. */
  readonly networks?: readonly BrandName[];
  /** The name that its shopper gave it. */
  readonly nickname?: string | null;
  /** The one that the shopper chose last. */
  readonly network?: BrandName | null;
}

/** The shopper's saved cards. `saved-cards.ts` has their events. */
export interface SavedCards {
  /**
   * "none": saved cards are not offered. "loading": the shopper has some, and their placeholder is shown. "awaited": the
   * form of a new card is shown, and the list may still come.
   */
  readonly list: "none" | "loading" | "awaited" | "loaded" | "failed";
  /** The list came after the shopper had begun with a new card; the form of the new card stays in its place. */
  readonly late: boolean;
  readonly cards: readonly ListedCard[];
  readonly selected: string | null;
  /** The selected card has expired, so the shopper types its new date. */
  readonly renews: boolean;
  /** The id of the card whose removal the shopper must confirm. */
  readonly confirming: string | null;
  /** Removed cards for which the server has not answered yet, with their place in the list. */
  readonly leaving: readonly { readonly card: ListedCard; readonly place: number }[];
  readonly saidRemoved: boolean;
  /** The message key of the danger card. */
  readonly trouble: "saved_cards_error" | "card_not_removed" | "card_unavailable" | null;
}

export type Method = "saved" | "new";

export interface FormState {
  readonly fields: Readonly<Record<FormField, Field>>;
  /** Fields that have moved the focus on. Each does so once, until it is emptied or wrong. */
  readonly movedOn: Readonly<Partial<Record<FormField, true>>>;
  readonly method: Method;
  readonly saved: SavedCards;
  /** Whether the shopper has begun. From then on a list of saved cards that arrives late does not replace the form. */
  readonly begun: boolean;
  readonly savesCard: boolean;
  /** What the server knows of numbers, by their first digits. */
  readonly networks: Readonly<Record<string, readonly NetworkRange[]>>;
  /** The network that the shopper chose for a new card. */
  readonly network: BrandName | null;
  readonly submission: Submission;
  readonly failure: Failure | null;
  /** The readiness that the parent was told last; null before the first message. */
  readonly postedReady: boolean | null;
  /** The merchant has disabled the form. */
  readonly disabled: boolean;
  /** The charge as the server last described it; null before that. */
  readonly charge: ShopperCharge | null;
}

/**
 * Whether the outcome replaces the form. The form stays while the bank's challenge is shown over it. In a frame it stays
 * longer, because the merchant's page shows the challenge.
 */
export function isOver(submission: Submission, standalone: boolean): boolean {
  return (
    submission.phase === "closed" ||
    (submission.phase === "settling" &&
      (submission.status !== "waiting_for_shopper_action" ||
        (standalone && submission.shopperAction === null)))
  );
}

/** The server's answer to a direct charge. */
export type ChargeAnswer =
  | { readonly kind: "taken"; readonly status: ChargeStatus; readonly shopperAction: ShopperAction | null }
  | { readonly kind: "declined"; readonly declineCode: string; readonly decline?: Decline | undefined }
  | {
      readonly kind: "refused";
      readonly code: ErrorCode;
      readonly field?: string;
      readonly reason?: ErrorId;
      /** With `too_many_requests`: when to try again. */
      readonly retryAfterSeconds?: number;
    }
  /** No answer came, or one that is not from our server. The card may have been charged. */
  | { readonly kind: "unanswered" }
  /** Nothing was sent because there is no connection. */
  | { readonly kind: "unsent" };

export type SavedCardsEvent =
  /** The list came; null if it could not be loaded. */
  | { readonly type: "saved-cards-answered"; readonly cards: readonly ListedCard[] | null }
  /** The list has not come in time, so the form stops showing its placeholder. */
  | { readonly type: "saved-cards-overdue" }
  | { readonly type: "saved-card-selected"; readonly id: string }
  /** The shopper wants the list that could not be loaded to be loaded again. */
  | { readonly type: "list-retried" }
  /** The divider was pressed. */
  | { readonly type: "method-chosen"; readonly method: Method }
  | { readonly type: "removal-asked"; readonly id: string }
  | { readonly type: "removal-canceled" }
  | { readonly type: "removal-confirmed" }
  | { readonly type: "removal-answered"; readonly id: string; readonly removed: boolean }
  | { readonly type: "snackbar-dismissed" };

export type FormEvent =
  | SavedCardsEvent
  /** The page's script has started. The parent gets a message. */
  | { readonly type: "loaded" }
  | { readonly type: "field"; readonly name: FormField; readonly event: FieldEvent; readonly atEnd?: boolean }
  | { readonly type: "field-visible"; readonly name: FormField }
  | { readonly type: "field-focused"; readonly name: FormField }
  | { readonly type: "save-card-chosen"; readonly saves: boolean }
  | { readonly type: "networks-found"; readonly prefix: string; readonly ranges: readonly NetworkRange[] }
  /** The shopper chose the network of a card with two. */
  | { readonly type: "network-chosen"; readonly network: BrandName }
  /** The parent, or the payment page's button, wants to pay. With null the form must ask for the client secret. */
  | { readonly type: "submit"; readonly clientSecret: string | null }
  /** The parent says that the shopper tried to pay while the form was not ready. */
  | { readonly type: "submit-attempted" }
  /** The merchant has changed the page's settings. `config` prefills only new texts. */
  | { readonly type: "configured"; readonly config: FormConfig }
  | { readonly type: "form-cleared" }
  | { readonly type: "form-disabled"; readonly disabled: boolean }
  /** The shopper pressed Enter in a form whose pay button is the parent's. */
  | { readonly type: "enter-pressed" }
  /** The payment page was opened without a client secret. */
  | { readonly type: "link-incomplete" }
  /** Nothing was sent, or a request without an answer can no longer arrive and the server never got it. */
  | { readonly type: "never-arrived" }
  /** The server refuses to say where the charge stands: it does not accept the client secret. */
  | { readonly type: "look-refused"; readonly code: ErrorCode }
  /** The answer to a request for the client secret; null if none came. */
  | { readonly type: "client-secret"; readonly clientSecret: string | null }
  | { readonly type: "charge-answered"; readonly answer: ChargeAnswer }
  | { readonly type: "challenge-returned" }
  | { readonly type: "challenge-closed" }
  /** The server told where the charge stands. */
  | { readonly type: "charge-seen"; readonly charge: ShopperCharge; readonly decline?: Decline | undefined };

export type Effect =
  | { readonly type: "post"; readonly message: FromForm }
  | {
      readonly type: "post-result";
      readonly failure: Failure | null;
      /** Nothing was sent because the form was not ready. */
      readonly notReady?: true;
    }
  | { readonly type: "request-client-secret" }
  | { readonly type: "focus"; readonly field: FormField }
  /** Move the focus to the selected saved card, or to the first field of a new card. */
  | { readonly type: "focus-method" }
  | { readonly type: "list-saved-cards" }
  | { readonly type: "remove-saved-card"; readonly id: string }
  | { readonly type: "charge"; readonly clientSecret: string }
  | { readonly type: "cancel-challenge" }
  /** Ask the server once where the charge stands. */
  | { readonly type: "look-at-charge" }
  /** Ask the server again and again until the outcome is known. */
  | { readonly type: "watch-charge" };

/** A state and the effects of reaching it. */
export interface Step {
  readonly state: FormState;
  readonly effects: readonly Effect[];
}

export function stay(state: FormState): Step {
  return { state, effects: [] };
}

/** The brand of the card number, which the security code's length depends on. */
export function brandOf(state: FormState): Brand | null {
  return detectBrand(state.fields.cardNumber.text);
}

/** The brand that the rules of `name` use: the new card's, or the selected saved card's. */
export function brandFor(state: FormState, name: FormField): Brand | null {
  return name === "savedSecurity" ? brandNamed(selectedCard(state)?.brand ?? "") : brandOf(state);
}

/** The selected saved card; null if the shopper pays with a new card. */
export function selectedCard({ method, saved }: FormState): ListedCard | null {
  return (method === "saved" && saved.cards.find(({ id }) => id === saved.selected)) || null;
}

/** The fields that must be filled in to pay now. */
export function askedFields(config: FormConfig, state: FormState): readonly FormField[] {
  if (state.method === "new") {
    return config.fields;
  }
  if (selectedCard(state) === null) {
    return [];
  }
  return state.saved.renews ? ["savedExpiry", "savedSecurity"] : ["savedSecurity"];
}

/** Whether the form is disabled: by the merchant, because a payment is under way, or because the charge is over. */
export function isDisabled(state: FormState): boolean {
  return state.disabled || state.submission.phase !== "open";
}

/** Whether the form can be submitted: every required field is complete and valid (docs/form.md#ready). */
export function isReady(config: FormConfig, state: FormState): boolean {
  const asked = askedFields(config, state);
  const isComplete = (name: FormField) => state.fields[name].state === "CompletedAndValid";
  return !isDisabled(state) && asked.length > 0 && asked.every(isComplete);
}

/** Tells the parent that something happened at a field. It has no value and does not say which saved card. */
export function fieldAction(action: FieldAction, name: FormField): Effect {
  return { type: "post", message: { type: "field-action", action, field: FIELD_IDS[ruleOf(name)] } };
}

/** Whether the shopper has paid: the money was taken, or the issuer holds it for the merchant. */
export function isPaid({ submission }: Pick<FormState, "submission">): boolean {
  return submission.phase === "closed" && isPaidStatus(submission.status);
}

/** Whether a charge of this status is paid. */
export function isPaidStatus(status: string | undefined): status is "succeeded" | "authorized" {
  return status === "succeeded" || status === "authorized";
}
