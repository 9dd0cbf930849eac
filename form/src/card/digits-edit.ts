// Typing into the card number and the security code: digits that fill a mask.

import { detectBrand, maskOf } from "./brand.ts";
import { latinDigits, onlyDigits } from "./characters.ts";
import {
  beforeCaret,
  caretAfterDigits,
  changeBetween,
  type Edit,
  isDeletion,
  sideAfter,
  withCaret,
} from "./edit.ts";
import { capacity, fill } from "./mask-tokens.ts";

/** What people and programs write between the digits of a number: spaces of all kinds, dashes and dots. */
const NUMBER_IN_TEXT = /[0-9](?:[\p{White_Space}\p{Pd}.]*[0-9])*/gu;

/** The mask for these digits; null if any number of digits is allowed. */
export type MaskFor = (digits: string) => string | null;

/** The new text of the card number's input: groups of four digits, up to the longest length of the brand. */
export function editNumber(before: Edit, after: Edit, inputType: string): Edit {
  return editDigits(before, after, inputType, (digits) => maskOf(detectBrand(digits)));
}

/**
 * The new text of an input that takes digits. The digits that were there stay. New digits are added only as far as the
 * mask has room, so typing into a full number does not drop its last digits and does not move the caret.
 */
export function editDigits(before: Edit, after: Edit, inputType: string, maskFor: MaskFor): Edit {
  const change = changeBetween(withLatinDigits(before), withLatinDigits(after));
  const [head, tail] = [onlyDigits(change.head), onlyDigits(change.tail)];
  const inserted = insertedDigits(change.inserted);
  const mask = maskFor(head + inserted + tail);
  const room = mask === null ? inserted.length : capacity(mask) - head.length - tail.length;
  const kept = inserted.slice(0, Math.max(room, 0));
  const digits = head + kept + tail;
  const text = mask === null ? digits : fill(longEnough(mask, digits), digits);
  const isRefused = text === before.text && kept === "" && !isDeletion(inputType);
  if (isRefused) return withCaret(text, before.end);
  const isWhole = change.inserted === after.text;
  const count = isWhole ? onlyDigits(beforeCaret(withLatinDigits(after))).length : head.length + kept.length;
  return withCaret(
    text,
    caretAfterDigits(text, count, sideAfter(withLatinDigits(before), withLatinDigits(after), inputType)),
  );
}

/** The digits in the typed or pasted text. If it has several numbers, the longest one: a label may have a number, too. */
function insertedDigits(inserted: string): string {
  const numbers = (inserted.match(NUMBER_IN_TEXT) ?? []).map(onlyDigits);
  return numbers.reduce((longest, digits) => (digits.length > longest.length ? digits : longest), "");
}

/**
 * The mask, made longer if there are more digits. Deleting a digit can change the brand to one with shorter numbers;
 * the digits that were typed are kept then.
 */
function longEnough(mask: string, digits: string): string {
  return capacity(mask) >= digits.length ? mask : `${mask} ${"#".repeat(digits.length - capacity(mask))}`;
}

function withLatinDigits(edit: Edit): Edit {
  return { ...edit, text: latinDigits(edit.text) };
}
