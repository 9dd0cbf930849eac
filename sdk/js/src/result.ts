// The results of a payment, and the errors that the shopper cannot correct.

import type { ShopperAction } from "../../../form/generated/wire.ts";

/** The result of `submit()`, which never rejects. */
export type SubmitResult =
  /** Paid. Confirm it with your server (`GET /v1/charges/{id}`) before you deliver. */
  | { readonly status: "succeeded" }
  /** Not paid; the shopper may try again, with this card or another, unless `errorCode` says otherwise. */
  | {
      readonly status: "failed";
      /** For the shopper: show it near the pay button. In the form's language, if the form has loaded. */
      readonly message: string;
      /** Why the card was declined: `insufficient_funds`. */
      readonly declineCode?: string;
      /** Set if no card was tried because something else failed. */
      readonly errorCode?: CardformErrorCode;
    }
  /** Nothing was sent; the form shows the shopper what is missing. */
  | { readonly status: "not-ready" }
  /** The card is with the provider. Do not let the shopper pay again; a `result` event follows. */
  | { readonly status: "processing" }
  /**
   * The answer was lost, and the card may have been charged. Do not let the shopper pay again or in another way. The form
   * asks until the outcome is known; then a `result` event follows. With an `errorCode` about the client secret the form may
   * not ask: ask your server.
   */
  | { readonly status: "outcome_unknown"; readonly errorCode?: CardformErrorCode }
  /**
   * The shopper must do something first: send the shopper to `shopperAction.url`. A `result` event follows. The SDK shows
   * a bank's challenge itself, and `submit()` resolves when it is over.
   */
  | { readonly status: "waiting_for_shopper_action"; readonly shopperAction: ShopperAction | null };

/** An error that the shopper cannot correct. The codes are stable. */
export type CardformErrorCode = LoadFailureCode | SubmitErrorCode | RefusalCode;

/** Why the form cannot be used. `message` of the `error` event and the console say more. */
export type LoadFailureCode =
  /** Your page's origin is not one of the merchant's allowed origins: add it with `cardform merchant set`. */
  | "origin-not-allowed"
  /** Your page's content security policy forbids the frame: allow Cardform's origin in `frame-src`. Or its embedder policy does. */
  | "blocked-by-page-policy"
  /** Cardform's server cannot be reached: check `url`, or let the shopper try again. */
  | "server-unreachable"
  /** The payload is not valid: pass the `payload` of `POST /v1/charges` unchanged. */
  | "payload-refused"
  /** The server could not make the page: let the shopper try again, and tell the operator. */
  | "page-unavailable"
  /** The form's script did not come or failed: let the shopper try again. */
  | "script-failed"
  /** The form said nothing within 15 seconds, and the browser does not tell why: let the shopper try again. */
  | "load-timeout";

/** What failed between your page and the form. */
export type SubmitErrorCode =
  /** `clientSecret` threw, rejected or gave no text: look at the cause in `message`. */
  | "client-secret-unavailable"
  /** `clientSecret` did not answer within 15 seconds: look at your server. */
  | "client-secret-timeout"
  /** The form took the submission and has not answered within two minutes: ask your server for the outcome. */
  | "submit-timeout";

/** Why the form tried no card. */
export type RefusalCode =
  /** The client secret has expired: pass a function that gets a new one (`POST /v1/charges/{id}/client-secret`). */
  | "client-secret-expired"
  /** The client secret is not valid: pass the `client_secret` of `POST /v1/charges` unchanged. */
  | "client-secret-invalid"
  /** The client secret is for another charge than the payload: pass both of the same charge. */
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

/** The detail of the `error` event. */
export interface CardformError {
  readonly code: CardformErrorCode;
  /** For you, in English. */
  readonly message: string;
}
