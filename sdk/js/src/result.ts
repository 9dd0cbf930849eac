// How a submission can end, and what can go wrong outside the shopper's hands.

import type { ShopperAction } from "../../../form/generated/wire.ts";

/** How `submit()` ended. It never rejects; each of these is an answer to act on. */
export type SubmitResult =
  /** Paid. Confirm it with your server (`GET /v1/charges/{id}`) before you hand anything over. */
  | { readonly status: "succeeded" }
  /** Not paid; the shopper may try again, with this card or another. */
  | {
      readonly status: "failed";
      /** In the form's language, to be shown near the pay button. */
      readonly message: string;
      /** Why the card was declined: `insufficient_funds`. */
      readonly declineCode?: string;
      /** Set when no card was tried because something else failed; `message` is then in English. */
      readonly errorCode?: CardformErrorCode;
    }
  /** Nothing was sent; the form shows the shopper what is missing. */
  | { readonly status: "not-ready" }
  /** The card is with the provider. Do not let the shopper pay again; a `result` event follows. */
  | { readonly status: "processing" }
  /** The provider's answer is not known yet. Do not let the shopper pay again; ask your server for the outcome. */
  | { readonly status: "outcome_unknown" }
  /**
   * The shopper must do something first: follow `shopperAction.url`. A `result` event follows. A bank's challenge is shown
   * by the SDK itself, and `submit()` resolves when it is over.
   */
  | { readonly status: "waiting_for_shopper_action"; readonly shopperAction: ShopperAction | null };

/** What can go wrong outside the shopper's hands; stable, for programs. */
export type CardformErrorCode =
  /** The form has not loaded within 15 seconds: wrong `url` or `payload`, a blocked frame, no network. */
  | "load-timeout"
  /** `clientSecret` threw, rejected or gave no text. */
  | "client-secret-unavailable"
  /** The form took the submission and has not answered within two minutes. */
  | "submit-timeout";

/** An error as the `error` event tells it. */
export interface CardformError {
  readonly code: CardformErrorCode;
  /** In English. */
  readonly message: string;
}

const MESSAGES: Record<CardformErrorCode, string> = {
  "load-timeout": "The card form could not be loaded. Check your connection and reload the page.",
  "client-secret-unavailable": "The payment could not be started. Try again in a little bit.",
  "submit-timeout": "The payment is taking longer than expected. Please do not pay again.",
};

/** The error of this code, with its text. */
export function cardformError(code: CardformErrorCode): CardformError {
  return { code, message: MESSAGES[code] };
}

/** The result of a submission that failed with `error` before a card was tried. */
export function failedBy({ code, message }: CardformError): SubmitResult {
  return { status: "failed", message, errorCode: code };
}
