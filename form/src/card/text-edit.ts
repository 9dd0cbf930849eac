// Typing into the cardholder's name, the postal code and the email: spaces, quotes and dashes become plain, and the length is limited.

import { LIMITS } from "../../generated/rules.ts";
import { latinDigits, length, plainWidth } from "./characters.ts";
import { beforeCaret, changeBetween, type Edit, withCaret } from "./edit.ts";

/** No input holds more characters than an email. */
const TEXT_LENGTH_MAX = LIMITS.holderEmailInputLengthMax;

/** The text of a name, with plain quotes and dashes. A character that names do not have stays for its error. */
export function cleanName(text: string): string {
  return plainWidth(text)
    .replace(/\p{White_Space}/gu, " ")
    .replace(/[\u2018\u2019\u2032]/g, "'")
    .replace(/[\p{Pd}\u2212]/gu, "-")
    .replace(/[\p{Cf}\p{Cc}]+/gu, "");
}

/** The text of a postal code, in capitals and the digits 0 to 9. */
export function cleanPostalCode(text: string): string {
  return latinDigits(cleanName(text)).replace(/[a-z]/g, (letter) => letter.toUpperCase());
}

/** The text without spaces and invisible characters. */
export function cleanEmail(text: string): string {
  return plainWidth(text)
    .replace(/[\p{White_Space}\p{Cf}\p{Cc}]+/gu, "")
    .replace(/[\u3002\uff61]/g, ".");
}

/**
 * The new text of the name's, the postal code's or the email's input. The text that was there stays. Inserted text is cleaned and cut to the
 * room that is left. Keys stop at `typedMax` characters. A longer pasted name stays for its error, because its beginning
 * would be another name. Letters and their marks are composed (NFC) first, so that é is one character.
 */
export function editText(before: Edit, after: Edit, clean: (text: string) => string, typedMax: number): Edit {
  const change = changeBetween(before, after);
  const lengthMax = length(change.inserted) > 1 ? TEXT_LENGTH_MAX : typedMax;
  const [head, tail] = [clean(change.head), clean(change.tail)];
  const composed = (kept: string) => (head + kept + tail).normalize("NFC");
  let kept = clean(change.inserted);
  const surplus = length(composed(kept)) - lengthMax;
  if (surplus > 0) kept = Array.from(kept.normalize("NFC")).slice(0, -surplus).join("");
  const isWhole = change.inserted === after.text;
  const front = isWhole ? clean(beforeCaret(after)) : head + kept;
  return withCaret(composed(kept), front.normalize("NFC").length);
}
