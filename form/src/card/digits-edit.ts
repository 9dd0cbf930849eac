// Typing into the card number and the security code: digits that fill a mask.

import { LIMITS } from "../../generated/rules.ts";
import { detectBrand } from "./brand.ts";
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
import { judgeNumber } from "./number.ts";
import { VALID } from "./verdict.ts";

/** Digits with anything between them that is no letter, visible or not. A colon and a space end a label. */
const NUMBER_IN_TEXT = /[0-9](?:(?:(?!:\s)[^\p{L}\p{N}])*[0-9])*/gu;
/** In a longer text no valid number is searched, because it has too many groups. */
const NOTE_LENGTH_MAX = 100;
/** An expiry, as in a note that has it beside the number. */
const EXPIRY = /(^|[^0-9])(0?[1-9]|1[0-2])[^\p{L}\p{N}]+(20)?[0-9]{2}(?![0-9])/gu;

/**
 * The new text of an input that takes digits. The digits that were there stay. New digits are added only as far as the
 * mask has room, so typing into a full number does not drop its last digits and does not move the caret. `maskFor` is null
 * if any number of digits is allowed.
 */
export function editDigits(
  before: Edit,
  after: Edit,
  inputType: string,
  maskFor: (digits: string) => string | null,
): Edit {
  const [was, is] = [withLatinDigits(before), withLatinDigits(after)];
  const change = changeBetween(was, is);
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
  const count = isWhole ? onlyDigits(beforeCaret(is)).length : head.length + kept.length;
  return withCaret(text, caretAfterDigits(text, count, sideAfter(was, is, inputType)));
}

/**
 * The digits in the typed or pasted text. If it has several numbers, the longest one, because a label may have a number, too.
 * In a note the expiry parts the number from the code, and groups before or after a valid number are left out.
 */
function insertedDigits(inserted: string): string {
  const isNote = onlyDigits(inserted).length > LIMITS.defaultCardNumberLength;
  const text = isNote ? inserted.replace(EXPIRY, "$1x") : inserted;
  const numbers = text.match(NUMBER_IN_TEXT) ?? [];
  const cards = isNote && text.length < NOTE_LENGTH_MAX ? numbers.flatMap(cardsAmong) : [];
  const found = cards.length > 0 ? cards : numbers.map(onlyDigits);
  return found.reduce((longest, digits) => (digits.length > longest.length ? digits : longest), "");
}

/** The text's digits if they are a card number; otherwise each run of whole groups that is one of 16 digits at most. */
function cardsAmong(text: string): string[] {
  const isCard = (digits: string) => detectBrand(digits) && judgeNumber(digits, true) === VALID;
  const groups = text.match(/[0-9]+/g) ?? [];
  if (isCard(groups.join(""))) return [groups.join("")];
  const runs = groups.flatMap((_, start) =>
    groups.slice(start).map((_, count) => groups.slice(start, start + count + 1).join("")),
  );
  return runs.filter((digits) => digits.length <= LIMITS.defaultCardNumberLength && isCard(digits));
}

/** The mask, made longer if a deletion changed the brand to one with shorter numbers, because typed digits are kept. */
function longEnough(mask: string, digits: string): string {
  return capacity(mask) >= digits.length ? mask : `${mask} ${"#".repeat(digits.length - capacity(mask))}`;
}

function withLatinDigits(edit: Edit): Edit {
  return { ...edit, text: latinDigits(edit.text) };
}
