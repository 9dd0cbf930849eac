// The expiry: MM/YY, from the current month to 20 years ahead (docs/rules.md#expiry).

import { type ErrorId, LIMITS } from "../../generated/rules.ts";
import { length, withoutSpaces } from "./characters.ts";
import { empty, incomplete, VALID, type Verdict, wrong } from "./verdict.ts";

/** A month of a year: four digits, and 1 to 12. */
export interface Month {
  readonly year: number;
  readonly month: number;
}

/** A two-digit year is a year of this century. */
const CENTURY = 2000;

/** The verdict on a typed expiry. `limit` is whether its experiment is on. A text shorter than MM/YY is "incomplete". */
export function judgeExpiry(text: string, today: Month, limit: boolean): Verdict {
  const compact = withoutSpaces(text);
  if (compact === "") return empty("CardExpiry_Empty");
  const error = errorOf(compact, today, limit);
  if (error === null) return VALID;
  return length(compact) < LIMITS.expiryLength ? incomplete(error) : wrong(error);
}

function errorOf(compact: string, today: Month, limit: boolean): ErrorId | null {
  if (!/^[0-9/]*$/.test(compact)) return "CardExpiry_ContainsNonNumber";
  const slash = compact.indexOf("/");
  const [month, year] =
    slash < 0 ? [compact.slice(0, 2), compact.slice(2)] : [compact.slice(0, slash), compact.slice(slash + 1)];
  if (!/^[0-9]{2}$/.test(month) || !/^(20)?[0-9]{2}$/.test(year)) return "CardExpiry_WrongMmDdFormat";
  const expiry = { year: CENTURY + (Number(year) % 100), month: Number(month) };
  if (expiry.month < 1 || expiry.month > 12) return "CardExpiry_MonthOutOfRange";
  if (isBefore(expiry, today)) return "CardExpiry_Expired";
  if (limit && expiry.year - today.year > LIMITS.expiryYearsAheadMax) {
    return "CardExpiry_ExpirationDateExceedsMaxValue";
  }
  return null;
}

function isBefore(a: Month, b: Month): boolean {
  return a.year < b.year || (a.year === b.year && a.month < b.month);
}
