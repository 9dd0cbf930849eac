// How a submission can end, and what can go wrong outside the shopper's hands.

import type { ShopperAction } from "../../../form/generated/wire.ts";

/** How `submit()` ended. It never rejects; each of these is an answer to act on. */
export type SubmitResult =
  /** Paid. Confirm it with your server (`GET /v1/charges/{id}`) before you hand anything over. */
  | { readonly status: "succeeded" }
  /** Not paid; the shopper may try again, with this card or another, unless `errorCode` says otherwise. */
  | {
      readonly status: "failed";
      /** For the shopper, to be shown near the pay button; in the form's language where the form could load. */
      readonly message: string;
      /** Why the card was declined: `insufficient_funds`. */
      readonly declineCode?: string;
      /** Set when no card was tried because something else failed. */
      readonly errorCode?: CardformErrorCode;
    }
  /** Nothing was sent; the form shows the shopper what is missing. */
  | { readonly status: "not-ready" }
  /** The card is with the provider. Do not let the shopper pay again; a `result` event follows. */
  | { readonly status: "processing" }
  /**
   * The answer was lost, and the card may have been charged. Do not let the shopper pay again or otherwise; the form asks
   * until it is known, and a `result` event follows.
   */
  | { readonly status: "outcome_unknown" }
  /**
   * The shopper must do something first: follow `shopperAction.url`. A `result` event follows. A bank's challenge is shown
   * by the SDK itself, and `submit()` resolves when it is over.
   */
  | { readonly status: "waiting_for_shopper_action"; readonly shopperAction: ShopperAction | null };

/** What can go wrong outside the shopper's hands; stable, for programs. */
export type CardformErrorCode = LoadFailureCode | SubmitErrorCode | RefusalCode;

/** Why the form cannot be used. `message` of the `error` event and the console say more. */
export type LoadFailureCode =
  /** Your origin is none of the merchant's allowed origins: add it with `cardform merchant set`. */
  | "origin-not-allowed"
  /** Your page's content security policy forbids the frame: allow Cardform's origin in `frame-src`. */
  | "blocked-by-page-policy"
  /** Cardform's server cannot be reached: check `url`, or let the shopper try again. */
  | "server-unreachable"
  /** The payload opens no form: pass the `payload` of `POST /v1/charges` as it is. */
  | "payload-refused"
  /** The server could not make the page: let the shopper try again, and tell the operator. */
  | "page-unavailable"
  /** The form's script did not come or failed: let the shopper try again. */
  | "script-failed"
  /** The form said nothing within 15 seconds, and the browser does not tell why: let the shopper try again. */
  | "load-timeout";

/** What failed between your page and the form. */
export type SubmitErrorCode =
  /** `clientSecret` threw, rejected or gave no text: look at your server's log. */
  | "client-secret-unavailable"
  /** `clientSecret` did not answer within 15 seconds: look at your server. */
  | "client-secret-timeout"
  /** The form took the submission and has not answered within two minutes: ask your server for the outcome. */
  | "submit-timeout";

/** Why the form tried no card. */
export type RefusalCode =
  /** The client secret has expired: pass a function that gets a new one (`POST /v1/charges/{id}/client-secret`). */
  | "client-secret-expired"
  /** The client secret is none of Cardform's: pass the `client_secret` of `POST /v1/charges` as it is. */
  | "client-secret-invalid"
  /** The client secret is of another charge than the payload: pass both of the same charge. */
  | "client-secret-foreign"
  /** You canceled the charge: create a new one. */
  | "charge-canceled"
  /** The charge's time ran out: create a new one. */
  | "charge-expired"
  /** The saved card has expired or was removed; the form offers a new card. Let the shopper try again. */
  | "payment-method-not-found"
  /** Too many cards were tried. Let the shopper try again later; `message` says when. */
  | "too-many-tries"
  /** There is no connection, and nothing was sent. Let the shopper try again. */
  | "offline"
  /** The connection was lost before a card was tried; nothing was charged. Let the shopper try again. */
  | "connection-lost"
  /** The server refused the request. Trying again does not help: look at the charge with your server. */
  | "request-refused";

/** An error as the `error` event tells it. */
export interface CardformError {
  readonly code: CardformErrorCode;
  /** For you, in English. */
  readonly message: string;
}
