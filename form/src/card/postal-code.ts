// The postal code of the card's billing address, with a pattern per country (docs/rules.md#postal-code).

import { LIMITS, POSTAL_CODES } from "../../generated/rules.ts";
import { length } from "./characters.ts";
import { empty, incomplete, VALID, type Verdict, wrong } from "./verdict.ts";

const PATTERNS = new Map(
  Object.entries(POSTAL_CODES).map(([country, patterns]) => [country, patterns.map(kinds)]),
);

/** Whether postal codes of `country` have patterns. */
export function hasPostalPatterns(country: string): boolean {
  return PATTERNS.has(country);
}

/** The verdict on a postal code of `country`. Spaces, hyphens and the case of letters make no difference. */
export function judgePostalCode(text: string, country: string): Verdict {
  const code = text.replace(/^ +| +$/g, "");
  if (code === "") return empty("CardPostalCode_Cant_Empty");
  if (length(code) > LIMITS.postalCodeLengthMax || !isPostalText(code))
    return wrong("CardPostalCode_Invalid");
  const typed = kinds(code);
  const begun = PATTERNS.get(country)?.filter((pattern) => pattern.startsWith(typed));
  const isWhole = begun ? begun.includes(typed) : typed !== "";
  if (isWhole) return VALID;
  return begun?.length === 0 ? wrong("CardPostalCode_Invalid") : incomplete("CardPostalCode_Invalid");
}

/** Whether the text has only characters that postal codes have. */
export function isPostalText(text: string): boolean {
  return /^[a-z0-9 -]*$/i.test(text);
}

/** A code or a pattern as `#` for each digit and `@` for each letter, without separators. */
function kinds(text: string): string {
  return text.replace(/[ -]/g, "").replace(/[0-9]/g, "#").replace(/[a-z]/gi, "@");
}
