// Typing into the cardholder's name and email: characters that do not belong there are dropped, and the length is limited.

import { LIMITS } from "../../generated/rules.ts";
import { length, plainWidth } from "./characters.ts";
import { beforeCaret, changeBetween, type Edit, withCaret } from "./edit.ts";
import { isNameCharacter } from "./holder-name.ts";

/** The new text of the name's input: at most 26 characters that names may have (docs/rules.md#cardholder-name). */
export function editHolderName(before: Edit, after: Edit): Edit {
  return editText(before, after, cleanName, LIMITS.holderNameLengthMax);
}

/** The new text of the email's input: at most 254 characters and no space (docs/rules.md#email). */
export function editHolderEmail(before: Edit, after: Edit): Edit {
  return editText(before, after, cleanEmail, LIMITS.holderEmailInputLengthMax);
}

/** The characters of a name. Quotes and dashes that phones and word processors insert become plain ones. */
export function cleanName(text: string): string {
  const plain = plainWidth(text)
    .replace(/\p{White_Space}/gu, " ")
    .replace(/[\u2018\u2019\u2032]/g, "'")
    .replace(/[\p{Pd}\u2212]/gu, "-");
  return Array.from(plain).filter(isNameCharacter).join("");
}

/** The text without spaces and invisible characters. */
function cleanEmail(text: string): string {
  return plainWidth(text)
    .replace(/[\p{White_Space}\p{Cf}\p{Cc}]+/gu, "")
    .replace(/[\u3002\uff61]/g, ".");
}

/** The text that was there stays. Inserted text is cleaned and cut to the room that is left. */
function editText(before: Edit, after: Edit, clean: (text: string) => string, lengthMax: number): Edit {
  const change = changeBetween(before, after);
  const [head, inserted, tail] = [clean(change.head), clean(change.inserted), clean(change.tail)];
  const room = Math.max(lengthMax - length(head) - length(tail), 0);
  const kept = Array.from(inserted).slice(0, room).join("");
  const isWhole = change.inserted === after.text;
  const caret = isWhole ? clean(beforeCaret(after)).length : head.length + kept.length;
  return withCaret(head + kept + tail, caret);
}
