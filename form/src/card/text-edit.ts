// Typing into the cardholder's name and email: what does not belong there is left out, and their length is limited.

import { LIMITS } from "../../generated/rules.ts";
import { length, plainWidth } from "./characters.ts";
import { beforeCaret, changeBetween, type Edit, withCaret } from "./edit.ts";
import { isNameCharacter } from "./holder-name.ts";

/**
 * What the name's input shall hold: at most 26 of the characters that names have
 * (docs/rules.md#cardholder-name).
 */
export function editHolderName(before: Edit, after: Edit): Edit {
  return editText(before, after, cleanName, LIMITS.holderNameLengthMax);
}

/** What the email's input shall hold: at most 254 characters, no space (docs/rules.md#email). */
export function editHolderEmail(before: Edit, after: Edit): Edit {
  return editText(before, after, cleanEmail, LIMITS.holderEmailInputLengthMax);
}

/** The characters of a name, those that phones and word processors put in place of plain ones turned back. */
export function cleanName(text: string): string {
  const plain = plainWidth(text)
    .replace(/\p{White_Space}/gu, " ")
    .replace(/[\u2018\u2019\u2032]/g, "'")
    .replace(/[\p{Pd}\u2212]/gu, "-");
  return Array.from(plain).filter(isNameCharacter).join("");
}

/** The text without spaces and without characters that nobody sees. */
function cleanEmail(text: string): string {
  return plainWidth(text)
    .replace(/[\p{White_Space}\p{Cf}\p{Cc}]+/gu, "")
    .replace(/[\u3002\uff61]/g, ".");
}

/** What was there before stays; what comes in is cleaned and cut to the room there is. */
function editText(before: Edit, after: Edit, clean: (text: string) => string, lengthMax: number): Edit {
  const change = changeBetween(before, after);
  const [head, inserted, tail] = [clean(change.head), clean(change.inserted), clean(change.tail)];
  const room = Math.max(lengthMax - length(head) - length(tail), 0);
  const kept = Array.from(inserted).slice(0, room).join("");
  const isWhole = change.inserted === after.text;
  const caret = isWhole ? clean(beforeCaret(after)).length : head.length + kept.length;
  return withCaret(head + kept + tail, caret);
}
