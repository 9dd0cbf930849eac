// The texts that a form's document leaves out: those of what happens after the press of the pay button, and of a list of
// saved cards. The page loads them once the form can be used (`src/i18n/load-late-texts.ts`), and shows none before.

import type { MessageKey } from "./src/i18n/text.ts";

export const LATE_TEXTS: readonly MessageKey[] = [
  // Saved cards, once their list is there.
  "saved_card_name",
  "card_expired",
  "card_unavailable",
  "remove_card",
  "remove_card_title",
  "remove_card_message",
  "confirm_remove_card",
  "cancel",
  "card_removed",
  "card_not_removed",
  // The bank's page.
  "challenge_title",
  "challenge_close",
  "challenge_new_window",
  "challenge_canceled",
  "challenge_failed",
  "challenge_timed_out",
  // How a payment ended.
  "you_paid",
  "returning_to_merchant",
  "outcome_succeeded",
  "outcome_succeeded_text",
  "order_reference",
  "paid_with",
  "outcome_checking",
  "outcome_checking_text",
  "outcome_closed",
  // Why nothing was paid.
  "use_another_card",
  "check_security_code",
  "check_expiry",
  "expired_card",
  "insufficient_funds",
  "check_card_number",
  "ask_your_bank",
  "try_again_later",
  "too_many_tries",
  "secret_expired",
  "secret_invalid",
  "secret_foreign",
  "charge_canceled",
  "charge_expired",
  "payment_not_made",
  // What the server writes into a document itself, and the error pages, whose documents have every text.
  "needs_javascript",
  "page_not_found",
  "page_not_found_path",
  "page_not_found_title",
  "page_not_found_link",
  "page_unavailable_title",
  "page_unusable_title",
];
