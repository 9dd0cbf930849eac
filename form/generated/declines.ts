// Written by `cargo xtask generate` from the Rust crates. Do not edit.

import type { ErrorId } from "./rules.ts";

/** What the shopper can do about a decline: the key of its text. */
export type NextStep = "check_card_number" | "check_expiry" | "check_security_code" | "use_another_card" | "ask_your_bank" | "try_again_later" | "insufficient_funds" | "processing_error" | "challenge_canceled" | "challenge_failed" | "challenge_timed_out";

/** What a decline asks of the shopper. */
export interface Decline {
  readonly nextStep: NextStep;
  /** Whether the same card may be tried again. */
  readonly retryable: boolean;
  /** The field to correct, and the error that it shows. */
  readonly field?: "cardNumber" | "expiry" | "security" | "cardHolderName" | "cardHolderEmail";
  readonly errorId?: ErrorId;
}

/** Every code that a shopper's page is told. Codes of lost and stolen cards never reach it. */
export const DECLINES: Readonly<Record<string, Decline>> = {
  generic_decline: { nextStep: "use_another_card", retryable: false },
  insufficient_funds: { nextStep: "insufficient_funds", retryable: true },
  expired_card: { nextStep: "check_expiry", retryable: false, field: "expiry", errorId: "CardExpiry_Expired" },
  incorrect_cvc: { nextStep: "check_security_code", retryable: true, field: "security", errorId: "CardSecurityCode_IncompleteSecurityCode" },
  invalid_cvc: { nextStep: "check_security_code", retryable: true, field: "security", errorId: "CardSecurityCode_IncompleteSecurityCode" },
  incorrect_number: { nextStep: "check_card_number", retryable: true, field: "cardNumber", errorId: "CardNumber_Invalid" },
  invalid_number: { nextStep: "check_card_number", retryable: true, field: "cardNumber", errorId: "CardNumber_Invalid" },
  invalid_expiry_month: { nextStep: "check_expiry", retryable: true, field: "expiry", errorId: "CardExpiry_MonthOutOfRange" },
  invalid_expiry_year: { nextStep: "check_expiry", retryable: true, field: "expiry", errorId: "CardExpiry_MonthOutOfRange" },
  do_not_honor: { nextStep: "ask_your_bank", retryable: false },
  call_issuer: { nextStep: "ask_your_bank", retryable: false },
  transaction_not_allowed: { nextStep: "ask_your_bank", retryable: false },
  service_not_allowed: { nextStep: "ask_your_bank", retryable: false },
  card_velocity_exceeded: { nextStep: "ask_your_bank", retryable: false },
  revocation_of_authorization: { nextStep: "ask_your_bank", retryable: false },
  invalid_account: { nextStep: "use_another_card", retryable: false },
  card_not_supported: { nextStep: "use_another_card", retryable: false },
  currency_not_supported: { nextStep: "use_another_card", retryable: false },
  incorrect_zip: { nextStep: "use_another_card", retryable: false },
  duplicate_transaction: { nextStep: "try_again_later", retryable: false },
  try_again_later: { nextStep: "try_again_later", retryable: true },
  issuer_unavailable: { nextStep: "try_again_later", retryable: true },
  processing_error: { nextStep: "processing_error", retryable: true },
  authentication_required: { nextStep: "ask_your_bank", retryable: false },
  authentication_failed: { nextStep: "challenge_failed", retryable: false },
  authentication_canceled: { nextStep: "challenge_canceled", retryable: true },
  authentication_timed_out: { nextStep: "challenge_timed_out", retryable: true },
};
