// The security code: as many digits as the brand's, under its experiment (docs/rules.md#security-code).

import { type Brand, LIMITS } from "../../generated/rules.ts";
import { isDigits } from "./characters.ts";
import { empty, incomplete, VALID, type Verdict, wrong } from "./verdict.ts";

/**
 * What the rules say of a security code. Under the experiment `limitLength` it has the brand's size, or 3 to 4 digits
 * while the brand is unknown; without it any digits are accepted.
 */
export function judgeSecurityCode(text: string, brand: Brand | null, limitLength: boolean): Verdict {
  if (text === "") return empty("CardSecurityCode_EmptySecurityCode");
  if (!isDigits(text)) return wrong("CardSecurityCode_ContainsNonNumber");
  if (!limitLength) return VALID;
  if (text.length < shortestSecurityCode(brand)) return incomplete("CardSecurityCode_IncompleteSecurityCode");
  if (text.length > longestSecurityCode(brand)) return wrong("CardSecurityCode_IncompleteSecurityCode");
  return VALID;
}

/** How many digits a security code has at least: the brand's, 3 while it is unknown. */
export function shortestSecurityCode(brand: Brand | null): number {
  return brand?.securityCodeLength ?? LIMITS.securityCodeLengthMin;
}

/** The most digits that a security code may have, under its experiment. */
export function longestSecurityCode(brand: Brand | null): number {
  return brand?.securityCodeLength ?? LIMITS.securityCodeLengthMax;
}
