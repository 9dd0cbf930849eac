// The security code: as many digits as its brand has, if the experiment is on (docs/rules.md#security-code).

import { type Brand, LIMITS } from "../../generated/rules.ts";
import { isDigits } from "./characters.ts";
import { empty, incomplete, VALID, type Verdict, wrong } from "./verdict.ts";

/** The verdict on a security code. Without the experiment `limitLength` any digits are accepted, up to ten. */
export function judgeSecurityCode(text: string, brand: Brand | null, limitLength: boolean): Verdict {
  if (text === "") return empty("CardSecurityCode_EmptySecurityCode");
  if (!isDigits(text)) return wrong("CardSecurityCode_ContainsNonNumber");
  if (limitLength && text.length < shortestSecurityCode(brand)) {
    return incomplete("CardSecurityCode_IncompleteSecurityCode");
  }
  const most = limitLength ? longestSecurityCode(brand) : LIMITS.securityCodeDigitsMax;
  return text.length > most ? wrong("CardSecurityCode_IncompleteSecurityCode") : VALID;
}

/** The fewest digits of a security code: the brand's, and 3 while it is unknown. */
export function shortestSecurityCode(brand: Brand | null): number {
  return brand?.securityCodeLength ?? LIMITS.securityCodeLengthMin;
}

/** The most digits of a security code, if the experiment is on. */
export function longestSecurityCode(brand: Brand | null): number {
  return brand?.securityCodeLength ?? LIMITS.securityCodeLengthMax;
}
