// Written by `cargo xtask generate` from the Rust crates. Do not edit.

import type { FieldName } from "./rules.ts";

/** The field whose value is in a field of the direct charge. */
export const FIELD_OF_REQUEST: Readonly<Record<string, FieldName>> = {
  "payment_method.card.number": "cardNumber",
  "payment_method.card.expiration_month": "expiry",
  "payment_method.card.expiration_year": "expiry",
  "payment_method.card.security_code": "security",
  "payment_method.card.holder_name": "cardHolderName",
  "payment_method.shopper.zip_code": "cardPostalCode",
  "payment_method.shopper.email": "cardHolderEmail",
};
