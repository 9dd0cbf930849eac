// A card number of sixteen digits, of a brand that usually has nineteen, typed without looking and with the expiry right
// after it. The focus waits for three more digits, so the first digits of the expiry land in the card number
// (docs/field-states.md#when-the-focus-moves-on).

import { LIMITS } from "../../generated/rules.ts";
import { detectBrand, lengthsOf, maskOf } from "./brand.ts";
import { onlyDigits } from "./characters.ts";
import { withCaret } from "./edit.ts";
import { judgeExpiry, type Month } from "./expiry.ts";
import { editExpiry } from "./expiry-edit.ts";
import { fill } from "./mask-tokens.ts";
import { luhnHolds } from "./number.ts";

/** Null unless the first sixteen digits pass the Luhn check and the rest can become a valid expiry. */
export function splitEntry(text: string, today: Month, limit: boolean) {
  const digits = onlyDigits(text);
  const brand = detectBrand(digits);
  const lengths = lengthsOf(brand);
  const number = digits.slice(0, LIMITS.defaultCardNumberLength);
  const rest = digits.slice(LIMITS.defaultCardNumberLength);
  const mayHoldExpiry = digits.length === lengths.at(-1) && lengths.includes(number.length) && rest !== "";
  if (!mayHoldExpiry || !luhnHolds(number)) return null;
  const expiry = editExpiry(withCaret("", 0), withCaret(rest, rest.length), "insertText").text;
  return canBecomeValid(expiry, today, limit) ? { cardNumber: fill(maskOf(brand), number), expiry } : null;
}

function canBecomeValid(expiry: string, today: Month, limit: boolean): boolean {
  const isValid = (text: string) => judgeExpiry(text, today, limit).kind === "valid";
  // If any year of a decade is valid, its first or its last year is.
  return ["", "0", "9"].some((digit) => isValid(expiry + digit));
}
