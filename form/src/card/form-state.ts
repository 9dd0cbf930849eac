// What the form is made of: its state, what can happen to it, and what it wants done.

import type { Decline, NextStep } from "../../generated/declines.ts";
import type { ErrorId } from "../../generated/rules.ts";
import type {
  ChargeStatus,
  ErrorCode,
  FieldAction,
  FormErrorCode,
  FromForm,
  ShopperAction,
  ShopperCharge,
} from "../../generated/wire.ts";
import { type Brand, type BrandName, brandNamed, detectBrand } from "./brand.ts";
import { FIELD_IDS, type Field, type FieldEvent, type FieldExperiments, type FieldName } from "./field.ts";
import type { SavedCard, SavedCards } from "./saved-cards.ts";

/** A field of the page: the five of a new card, and the security code of the saved card that is selected. */
export type FormField = FieldName | "savedSecurity";

/** The field whose rules `field` follows. */
export function ruleOf(field: FormField): FieldName {
  return field === "savedSecurity" ? "security" : field;
}

/** What does not change while the form is open. */
export interface FormConfig {
  readonly experiments: FieldExperiments;
  /** The fields that are shown, in their order on the page (docs/form.md#layout). */
  readonly fields: readonly FieldName[];
  /** What hidden or prefilled fields hold from the start. */
  readonly prefill: Readonly<Partial<Record<FieldName, string>>>;
  /** The redesign's experiment: the card number has a placeholder and can be cleared. */
  readonly redesign: boolean;
  /** The theme has the labels inside of their inputs. */
  readonly floatingLabels: boolean;
  /** The brands that are shown before one is detected (docs/rules.md#brand-detection). */
  readonly availableBrands: readonly BrandName[];
  /** Whether saved cards are offered (docs/saved-cards.md#when-they-are-offered). */
  readonly offersSavedCards: boolean;
  /** How many the shopper had when the page was made; null where the server did not say. */
  readonly savedCardsCount: number | null;
  /** Whether the client secret stands in the page's address, so that there is no other one. */
  readonly secretInAddress?: boolean;
  /** Whether the shopper may have the new card saved. */
  readonly offersSaving: boolean;
  /** Whether a removal is confirmed by the snackbar (docs/saved-cards.md#how-a-card-leaves). */
  readonly saysRemoved: boolean;
}

/** How far paying has come. */
export type Submission =
  /** Nothing was sent, or the last card was declined. */
  | { readonly phase: "open" }
  /** Pay was pressed, but the client secret must come first. */
  | { readonly phase: "awaiting-client-secret" }
  /** The card is with the server. */
  | { readonly phase: "charging"; readonly clientSecret: string }
  /** The server has the card, but not yet the outcome; nobody may pay again. */
  | {
      readonly phase: "settling";
      readonly status: ChargeStatus;
      readonly shopperAction: ShopperAction | null;
    }
  /** Nothing more can be done here: paid, canceled, expired, or opened by a link whose client secret opens nothing. */
  | { readonly phase: "closed"; readonly status: ChargeStatus | "incomplete_link" | "unusable_link" };

/** Why the last try did not pay: a message key, and the code of it where the provider gave one. */
export interface Failure {
  readonly messageKey: FailureMessageKey;
  readonly declineCode: string | null;
  /** Why no card was tried, for programs. */
  readonly errorCode?: FormErrorCode;
  /** What stands in the message's placeholders; a number chooses the plural form. */
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
  | "payment_not_made";

/** With what is paid. */
export type Method = "saved" | "new";

export interface FormState {
  readonly fields: Readonly<Record<FormField, Field>>;
  /** Fields that have moved the focus on, so that they do it once until emptied or invalid. */
  readonly movedOn: Readonly<Partial<Record<FormField, true>>>;
  readonly method: Method;
  readonly saved: SavedCards;
  /** Whether the shopper has begun: from then on nothing is put in the place of what is shown. */
  readonly begun: boolean;
  /** Whether the shopper wants the new card saved. */
  readonly savesCard: boolean;
  readonly submission: Submission;
  readonly failure: Failure | null;
  /** What was last posted as readiness; null before the first post. */
  readonly postedReady: boolean | null;
  /** What the server last told of the charge; null before it has. */
  readonly charge: ShopperCharge | null;
}

/** What the server answered to a direct charge. */
export type ChargeAnswer =
  | { readonly kind: "taken"; readonly status: ChargeStatus; readonly shopperAction: ShopperAction | null }
  | { readonly kind: "declined"; readonly declineCode: string; readonly decline?: Decline | undefined }
  | {
      readonly kind: "refused";
      readonly code: ErrorCode;
      readonly field?: string;
      readonly reason?: ErrorId;
      /** When the server takes another try, with `too_many_requests`. */
      readonly retryAfterSeconds?: number;
    }
  /** None came, or none of ours: the card may have been charged. */
  | { readonly kind: "unanswered" }
  /** Nothing was sent, for there is no connection. */
  | { readonly kind: "unsent" };

/** What can happen to the saved cards. */
export type SavedCardsEvent =
  /** The list came, or null: it could not be had. */
  | { readonly type: "saved-cards-answered"; readonly cards: readonly SavedCard[] | null }
  /** The list has not come in the time that a shopper looks at its place. */
  | { readonly type: "saved-cards-overdue" }
  | { readonly type: "saved-card-selected"; readonly id: string }
  /** The divider was pressed. */
  | { readonly type: "method-chosen"; readonly method: Method }
  | { readonly type: "removal-asked"; readonly id: string }
  | { readonly type: "removal-canceled" }
  | { readonly type: "removal-confirmed" }
  | { readonly type: "removal-answered"; readonly id: string; readonly removed: boolean }
  | { readonly type: "snackbar-dismissed" };

export type FormEvent =
  | SavedCardsEvent
  /** The page is alive: say so to the parent. */
  | { readonly type: "loaded" }
  | { readonly type: "field"; readonly name: FormField; readonly event: FieldEvent; readonly atEnd?: boolean }
  | { readonly type: "field-visible"; readonly name: FormField }
  | { readonly type: "field-focused"; readonly name: FormField }
  | { readonly type: "save-card-chosen"; readonly saves: boolean }
  /** The parent, or the standalone page's button, wants to pay; null: the client secret must be asked for. */
  | { readonly type: "submit"; readonly clientSecret: string | null }
  /** The shopper tried to pay while the form was not ready. */
  | { readonly type: "submit-attempted" }
  /** The shopper pressed Enter in a form whose pay button is the parent's. */
  | { readonly type: "enter-pressed" }
  /** The standalone page was opened without a client secret. */
  | { readonly type: "link-incomplete" }
  /** The request whose answer was lost can no longer arrive, and the server has had none. */
  | { readonly type: "never-arrived" }
  /** The server refuses to say where the charge stands: the page's client secret opens nothing. */
  | { readonly type: "look-refused"; readonly code: ErrorCode }
  | { readonly type: "client-secret"; readonly clientSecret: string }
  /** The client secret that was asked for did not come. */
  | { readonly type: "client-secret-missing" }
  | { readonly type: "charge-answered"; readonly answer: ChargeAnswer }
  /** The shopper came back from the challenge, or closed it. */
  | { readonly type: "challenge-returned" }
  | { readonly type: "challenge-closed" }
  /** A look at the charge found this. */
  | { readonly type: "charge-seen"; readonly charge: ShopperCharge; readonly decline?: Decline | undefined };

export type Effect =
  | { readonly type: "post"; readonly message: FromForm }
  /** Tell the parent how it ended; the text is looked up where the language is known. */
  | {
      readonly type: "post-result";
      readonly failure: Failure | null;
      /** Nothing was sent, because the form was not ready. */
      readonly notReady?: true;
    }
  | { readonly type: "request-client-secret" }
  | { readonly type: "focus"; readonly field: FormField }
  /** Give the focus to the part of the page that took the place of what had it. */
  | { readonly type: "focus-method" }
  | { readonly type: "list-saved-cards" }
  | { readonly type: "remove-saved-card"; readonly id: string }
  | { readonly type: "charge"; readonly clientSecret: string }
  /** Have the server give up the challenge. */
  | { readonly type: "cancel-challenge" }
  /** Ask the server once where the charge stands. */
  | { readonly type: "look-at-charge" }
  /** Ask the server where the charge stands until it is settled. */
  | { readonly type: "watch-charge" };

/** A state, and what is to be done on reaching it. */
export interface Step {
  readonly state: FormState;
  readonly effects: readonly Effect[];
}

/** Nothing changes and nothing is to be done. */
export function stay(state: FormState): Step {
  return { state, effects: [] };
}

/** The brand of the card number, which the security code's length depends on. */
export function brandOf(state: FormState): Brand | null {
  return detectBrand(state.fields.cardNumber.text);
}

/** The brand by which `name` is judged: the new card's, or the saved card's that is selected. */
export function brandFor(state: FormState, name: FormField): Brand | null {
  return name === "savedSecurity" ? brandNamed(selectedCard(state)?.brand ?? "") : brandOf(state);
}

/** The saved card that is to pay; null with a new card. */
export function selectedCard({ method, saved }: FormState): SavedCard | null {
  return (method === "saved" && saved.cards.find(({ id }) => id === saved.selected)) || null;
}

/** The fields that must be filled in to pay now. */
export function askedFields(config: FormConfig, state: FormState): readonly FormField[] {
  if (state.method === "new") {
    return config.fields;
  }
  return selectedCard(state) === null ? [] : ["savedSecurity"];
}

/** Whether nothing may be changed now: a submission is under way, or the charge is over. */
export function isDisabled(state: FormState): boolean {
  return state.submission.phase !== "open";
}

/** Whether the form could be submitted now: every asked field complete and valid (docs/form.md#ready). */
export function isReady(config: FormConfig, state: FormState): boolean {
  const asked = askedFields(config, state);
  const isComplete = (name: FormField) => state.fields[name].state === "CompletedAndValid";
  return !isDisabled(state) && asked.length > 0 && asked.every(isComplete);
}

/** What tells the parent that something happened at a field; never a value, never which saved card. */
export function fieldAction(action: FieldAction, name: FormField): Effect {
  return { type: "post", message: { type: "field-action", action, field: FIELD_IDS[ruleOf(name)] } };
}
