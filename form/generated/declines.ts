// Written by `cargo xtask generate` from the Rust crates. Do not edit.

import type { ErrorId, FieldName } from "./rules.ts";

/** What the shopper can do about a decline: the key of its text. */
export type NextStep = "check_card_number" | "check_expiry" | "expired_card" | "check_security_code" | "check_postal_code" | "use_another_card" | "ask_your_bank" | "try_again_later" | "may_have_paid" | "insufficient_funds" | "processing_error" | "challenge_canceled" | "challenge_failed" | "challenge_timed_out";

/** What a decline asks of the shopper. */
export interface Decline {
  readonly nextStep: NextStep;
  /** The field to correct, and the error that it shows. */
  readonly field?: FieldName;
  readonly errorId?: ErrorId;
}

/** Every code that a shopper's page is told. Codes of lost and stolen cards never reach it. */
export const DECLINES: Readonly<Record<string, Decline>> = {
  generic_decline: { nextStep: "use_another_card" },
  insufficient_funds: { nextStep: "insufficient_funds" },
  expired_card: { nextStep: "expired_card", field: "expiry", errorId: "CardExpiry_Expired" },
  incorrect_cvc: { nextStep: "check_security_code", field: "security", errorId: "CardSecurityCode_IncompleteSecurityCode" },
  invalid_cvc: { nextStep: "check_security_code", field: "security", errorId: "CardSecurityCode_IncompleteSecurityCode" },
  incorrect_number: { nextStep: "check_card_number", field: "cardNumber", errorId: "CardNumber_Invalid" },
  invalid_number: { nextStep: "check_card_number", field: "cardNumber", errorId: "CardNumber_Invalid" },
  invalid_expiry_month: { nextStep: "check_expiry", field: "expiry", errorId: "CardExpiry_MonthOutOfRange" },
  invalid_expiry_year: { nextStep: "check_expiry", field: "expiry", errorId: "CardExpiry_MonthOutOfRange" },
  do_not_honor: { nextStep: "ask_your_bank" },
  call_issuer: { nextStep: "ask_your_bank" },
  transaction_not_allowed: { nextStep: "ask_your_bank" },
  service_not_allowed: { nextStep: "ask_your_bank" },
  card_velocity_exceeded: { nextStep: "ask_your_bank" },
  revocation_of_authorization: { nextStep: "ask_your_bank" },
  invalid_account: { nextStep: "use_another_card" },
  card_not_supported: { nextStep: "use_another_card" },
  currency_not_supported: { nextStep: "use_another_card" },
  incorrect_zip: { nextStep: "check_postal_code", field: "cardPostalCode", errorId: "CardPostalCode_Invalid" },
  duplicate_transaction: { nextStep: "may_have_paid" },
  try_again_later: { nextStep: "try_again_later" },
  issuer_unavailable: { nextStep: "try_again_later" },
  processing_error: { nextStep: "processing_error" },
  authentication_required: { nextStep: "ask_your_bank" },
  authentication_failed: { nextStep: "challenge_failed" },
  authentication_canceled: { nextStep: "challenge_canceled" },
  authentication_timed_out: { nextStep: "challenge_timed_out" },
};
