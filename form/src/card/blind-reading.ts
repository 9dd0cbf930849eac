// A number of sixteen digits where nineteen are usual, typed without looking and with the expiry right behind it: the
// focus waits for three digits more, so the first of the expiry land in the card number (docs/field-states.md).

import { LIMITS } from "../../generated/rules.ts";
import { detectBrand, lengthsOf, maskOf } from "./brand.ts";
import { onlyDigits } from "./characters.ts";
import type { Edit } from "./edit.ts";
import { judgeExpiry, type Month } from "./expiry.ts";
import { editExpiry } from "./expiry-edit.ts";
import { fill } from "./mask-tokens.ts";
import { luhnHolds } from "./number.ts";

/** What was meant: a whole number, and the beginning of its expiry. */
export interface BlindReading {
  readonly cardNumber: string;
  readonly expiry: string;
}

const NOTHING: Edit = { text: "", start: 0, end: 0 };

/**
 * What was meant by a card number of the longest length that is none; null when it can be nothing but a wrong number:
 * unless the first sixteen digits pass their check and the rest begins an expiry that is valid.
 */
export function readBlind(text: string, today: Month, limit: boolean): BlindReading | null {
  const digits = onlyDigits(text);
  const brand = detectBrand(digits);
  const lengths = lengthsOf(brand);
  const number = digits.slice(0, LIMITS.defaultCardNumberLength);
  const rest = digits.slice(LIMITS.defaultCardNumberLength);
  const isOverfull = digits.length === lengths.at(-1) && lengths.includes(number.length) && rest !== "";
  if (!isOverfull || !luhnHolds(number)) return null;
  const typed: Edit = { text: rest, start: rest.length, end: rest.length };
  const expiry = editExpiry(NOTHING, typed, "insertText").text;
  return canBecomeValid(expiry, today, limit) ? { cardNumber: fill(maskOf(brand), number), expiry } : null;
}

function canBecomeValid(expiry: string, today: Month, limit: boolean): boolean {
  const isValid = (text: string) => judgeExpiry(text, today, limit).kind === "valid";
  // Of the years of a decade, the first or the last is valid where any is.
  return ["", "0", "9"].some((digit) => isValid(expiry + digit));
}
