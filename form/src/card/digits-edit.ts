// Typing into the card number and the security code: digits in a mask.

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

/** The mask for these digits; null where any number of digits is taken. */
export type MaskFor = (digits: string) => string | null;

/** What the card number's input shall hold: groups of four, up to the longest length of the brand. */
export function editNumber(before: Edit, after: Edit, inputType: string): Edit {
  return editDigits(before, after, inputType, (digits) => maskOf(detectBrand(digits)));
}

/**
 * What an input of digits shall hold. What was there before stays; what comes in is cut to the room that the mask
 * leaves, so that typing into a full number neither drops its end nor moves the caret.
 */
export function editDigits(before: Edit, after: Edit, inputType: string, maskFor: MaskFor): Edit {
  const change = changeBetween(plain(before), plain(after));
  const [head, tail] = [onlyDigits(change.head), onlyDigits(change.tail)];
  const inserted = insertedDigits(change.inserted);
  const mask = maskFor(head + inserted + tail);
  const room = mask === null ? inserted.length : capacity(mask) - head.length - tail.length;
  const kept = inserted.slice(0, Math.max(room, 0));
  const digits = head + kept + tail;
  const text = mask === null ? digits : fill(roomy(mask, digits), digits);
  const isRefused = text === before.text && kept === "" && !isDeletion(inputType);
  if (isRefused) return withCaret(text, before.end);
  const isWhole = change.inserted === after.text;
  const count = isWhole ? onlyDigits(beforeCaret(plain(after))).length : head.length + kept.length;
  return withCaret(text, caretAfterDigits(text, count, sideAfter(plain(before), plain(after), inputType)));
}

/** The digits of what was typed or pasted. Of a text with several numbers it is the longest: a label may hold one. */
function insertedDigits(inserted: string): string {
  const numbers = (inserted.match(NUMBER_IN_TEXT) ?? []).map(onlyDigits);
  return numbers.reduce((longest, digits) => (digits.length > longest.length ? digits : longest), "");
}

/**
 * The mask, or one that holds all digits: a brand that changes while one deletes may have shorter numbers, and what
 * was typed is not lost for that.
 */
function roomy(mask: string, digits: string): string {
  return capacity(mask) >= digits.length ? mask : `${mask} ${"#".repeat(digits.length - capacity(mask))}`;
}

function plain(edit: Edit): Edit {
  return { ...edit, text: latinDigits(edit.text) };
}
