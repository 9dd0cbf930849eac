// The cardholder's name: 2 to 26 letters and the punctuation of names (docs/rules.md#cardholder-name).

import { HOLDER_NAME_PUNCTUATION, LIMITS } from "../../generated/rules.ts";
import { isLetter, length, trimmed } from "./characters.ts";
import { empty, incomplete, VALID, type Verdict, wrong } from "./verdict.ts";

/** The verdict on a cardholder's name. Spaces around it do not count, and a letter with its marks is one character. */
export function judgeHolderName(text: string): Verdict {
  const name = trimmed(text).normalize("NFC");
  if (name === "") return empty("CardHolderName_Cant_Empty");
  if (!Array.from(name).every(isNameCharacter)) return wrong("CardHolderName_NonSymbolAndNumber");
  if (length(name) > LIMITS.holderNameLengthMax) return wrong("CardHolderName_Invalid");
  // A name must have more than spaces and dashes.
  const isDashes = /^[ -]+$/.test(name);
  if (length(name) < LIMITS.holderNameLengthMin || isDashes) return incomplete("CardHolderName_Invalid");
  return VALID;
}

/** Whether `character`, one code point, may stand in a name. */
export function isNameCharacter(character: string): boolean {
  return isLetter(character) || HOLDER_NAME_PUNCTUATION.includes(character);
}
