// Which characters are spaces, digits and letters: the same ones as in the Rust rules.

import { DIGIT_ZEROS, LETTERS } from "../../generated/rules.ts";

const SPACES = /\p{White_Space}+/gu;
const DIGITS_ONLY = /^[0-9]*$/;
const LETTER = new RegExp(`^[${classOf(LETTERS)}]$`, "u");
const DIGIT_COUNT = 10;

/** The distance in Unicode between a full-width character (！ to ～) and its plain one (! to ~). */
const FULL_WIDTH_OFFSET = 0xfee0;

export function withoutSpaces(text: string): string {
  return text.replace(SPACES, "");
}

/** The text without the spaces around it. */
export function trimmed(text: string): string {
  return text.replace(/^\p{White_Space}*(.*\P{White_Space})?\p{White_Space}*$/su, "$1");
}

/** Whether the text has only the digits 0 to 9. */
export function isDigits(text: string): boolean {
  return DIGITS_ONLY.test(text);
}

/** Whether `character`, one code point, is a letter or a mark of one. */
export function isLetter(character: string): boolean {
  return LETTER.test(character);
}

/** The text with the digits of other scripts changed to 0 to 9. No offset changes. */
export function latinDigits(text: string): string {
  return text.replace(/[^\0-\x7f]/g, (unit) => {
    const code = unit.charCodeAt(0);
    const zero = DIGIT_ZEROS.find((zero) => code >= zero && code < zero + DIGIT_COUNT);
    return zero === undefined ? unit : String(code - zero);
  });
}

/** The text with full-width letters, digits and signs changed to plain ones. No offset changes. */
export function plainWidth(text: string): string {
  return text.replace(/[\uff01-\uff5e]/g, (unit) =>
    String.fromCharCode(unit.charCodeAt(0) - FULL_WIDTH_OFFSET),
  );
}

/** How many characters (code points) the text has. */
export function length(text: string): number {
  return Array.from(text).length;
}

export function onlyDigits(text: string): string {
  return text.replace(/[^0-9]+/g, "");
}

/** The character class of a regular expression, made from the distances in the table of letters. */
function classOf(distances: string): string {
  let point = 0;
  return distances.split(" ").reduce((inside, distance, index) => {
    point += Number.parseInt(distance, 36);
    return inside + (index % 2 === 0 ? "" : "-") + String.fromCodePoint(point);
  }, "");
}
