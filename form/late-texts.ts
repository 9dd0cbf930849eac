// The texts that a form's document leaves out: texts after the pay button is pressed, and texts of saved cards. The page
// loads them once the form can be used (`src/i18n/load-late-texts.ts`), and shows none before.

import type { MessageKey } from "./src/i18n/text.ts";

export const LATE_TEXTS: readonly MessageKey[] = [
  // The list of saved cards.
  "saved_card_name",
  "card_expires",
  "card_expired",
  "card_unavailable",
  "remove_card",
  "remove",
  "remove_card_title",
  "remove_card_message",
  "confirm_remove_card",
  "cancel",
  "card_removed",
  "card_not_removed",
  // A card with two networks.
  "choose_network",
  // The bank's page.
  "challenge_title",
  "challenge_close",
  "challenge_new_window",
  "challenge_canceled",
  "challenge_failed",
  "challenge_timed_out",
  // The outcome.
  "you_paid",
  "returning_to_merchant",
  "outcome_succeeded",
  "outcome_succeeded_text",
  "order_reference",
  "paid_with",
  "outcome_checking",
  "outcome_checking_text",
  "outcome_closed",
  // The reasons of a failure.
  "use_another_card",
  "check_security_code",
  "check_postal_code",
  "check_expiry",
  "expired_card",
  "insufficient_funds",
  "check_card_number",
  "ask_your_bank",
  "try_again_later",
  "may_have_paid",
  "too_many_tries",
  "secret_expired",
  "secret_invalid",
  "secret_foreign",
  "charge_canceled",
  "charge_expired",
  "payment_not_made",
  // Texts that the server writes, and the error pages, whose documents have every text.
  "needs_javascript",
  "page_not_found",
  "page_not_found_path",
  "page_not_found_title",
  "page_not_found_link",
  "page_unavailable_title",
  "page_unusable_title",
];
