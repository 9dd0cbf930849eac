// The card number: digits, a length of its brand, and the Luhn digit (docs/rules.md#card-number).

import { detectBrand, lengthsOf } from "./brand.ts";
import { isDigits, withoutSpaces } from "./characters.ts";
import { empty, incomplete, VALID, type Verdict, wrong } from "./verdict.ts";

/** The verdict on a card number while it is typed. Spaces do not count. `luhn` is whether its experiment is on. */
export function judgeNumber(text: string, luhn: boolean): Verdict {
  const digits = withoutSpaces(text);
  const lengths = lengthsOf(detectBrand(digits));
  if (digits === "") return empty("CardNumber_Empty");
  if (!isDigits(digits)) return wrong("CardNumber_ContainsNonNumber");
  if (lengths.every((allowed) => digits.length > allowed)) return wrong("CardNumber_Invalid_Length");
  if (!lengths.includes(digits.length)) return incomplete("CardNumber_Invalid_Length");
  if (luhn && !luhnHolds(digits)) return wrong("CardNumber_Invalid");
  return VALID;
}

/** Whether the last digit is the Luhn check of the others. */
export function luhnHolds(digits: string): boolean {
  let sum = 0;
  for (let place = 0; place < digits.length; place++) {
    const digit = Number(digits[digits.length - 1 - place]);
    const weighed = place % 2 === 0 ? digit : digit * 2;
    // A two-digit product counts as the sum of its digits.
    sum += weighed > 9 ? weighed - 9 : weighed;
  }
  return sum % 10 === 0;
}
