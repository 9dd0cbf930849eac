// Typing into the expiry: any way to write a month and a year becomes MM / YY (docs/rules.md#expiry).

import { LIMITS } from "../../generated/rules.ts";
import { latinDigits, onlyDigits, plainWidth } from "./characters.ts";
import {
  beforeCaret,
  caretAfterDigits,
  changeBetween,
  type Edit,
  isDeletion,
  sideAfter,
  withCaret,
} from "./edit.ts";

const SEPARATOR = " / ";
const CENTURY_DIGITS = "20";

/** 2028-12, the ISO format that browsers use, and 2028年12月. A day may follow. */
const YEAR_AND_MONTH = /(?:^|[^0-9])(20[0-9]{2})[^0-9a-z]+([0-9]{1,2})(?![0-9])/i;
/** 12/28, 1-2028, 12 . 28, with or without a label; also 31.12.2028 and 12/31/28. */
const MONTH_AND_YEAR =
  /(?:^|[^0-9])([0-9]{1,2})([^0-9a-z]+)(?:([0-9]{1,2})\2)?((?:19|20)?[0-9]{2})(?![0-9])/i;

/** The month and year typed so far, and how many of their digits are before the caret. */
interface Parts {
  readonly month: string;
  readonly year: string;
  readonly count: number;
}

export function editExpiry(before: Edit, after: Edit, inputType: string): Edit {
  const [was, is] = [plain(before), plain(after)];
  return isDeletion(inputType) ? afterDeletion(was, is, inputType) : afterInsertion(was, is);
}

/** Whether the shopper has just typed the separator after a 1, which then got its zero. Backspace takes both back. */
let hasTypedSeparator = false;

/** Deleting moves no digit between month and year. Backspace after the separator deletes the digit before it. */
function afterDeletion(before: Edit, after: Edit, inputType: string): Edit {
  const caret = beforeCaret(after);
  const isSlashGone = before.text.includes("/") && !after.text.includes("/");
  const { month: typedMonth, year } = split(
    isSlashGone ? `${caret}/${after.text.slice(caret.length)}` : after.text,
  );
  const takesDigit = inputType.endsWith("Backward") && onlyDigits(before.text) === onlyDigits(after.text);
  const shorter = hasTypedSeparator ? "1" : typedMonth.slice(0, -1);
  const month = takesDigit ? shorter : typedMonth;
  const text = year === "" ? month : month + SEPARATOR + year;
  return withCaret(
    text,
    caretAfterDigits(
      text,
      takesDigit ? month.length : onlyDigits(caret).length,
      sideAfter(before, after, inputType),
    ),
  );
}

/** Inserted text is shortened until it fits, so a digit typed into a full expiry changes nothing. */
function afterInsertion(before: Edit, after: Edit): Edit {
  const change = changeBetween(before, after);
  let inserted = readInserted(change.inserted);
  let parts = arrange(change.head, inserted, change.tail);
  while (!fits(parts) && inserted !== "") {
    inserted = inserted.slice(0, -1);
    parts = arrange(change.head, inserted, change.tail);
  }
  const { month, year, count } = parts;
  const isMonthComplete = month.length === 2;
  const text = isMonthComplete || year !== "" ? month + SEPARATOR + year : month;
  const side = isMonthComplete && count >= 2 ? "after" : "before";
  hasTypedSeparator = before.text === "1" && text === `01${SEPARATOR}`;
  return withCaret(text, caretAfterDigits(text, count, side));
}

/** The month and year in the typed or pasted text, as digits and slashes, cut to the longest that fits. */
function readInserted(inserted: string): string {
  const text = inserted
    .replace(/\b(20[0-9]{2})(0[1-9]|1[0-2])([0-9]{2})?\b/, "$1/$2")
    // Six or eight digits with a day. Six with a year of four digits, 122028, have none.
    .replace(/\b([0-9]{2})(?!(?:19|20)[0-9]{2}\b)([0-9]{2})((?:20)?[0-9]{2})\b/, "$1/$2/$3");
  const [iso, isoYear, isoMonth] = YEAR_AND_MONTH.exec(text) ?? [];
  if (iso) return `${isoMonth}/${isoYear}`;
  const [usual, first, , second, year] = MONTH_AND_YEAR.exec(text) ?? [];
  if (usual) {
    // The day is the one that is no month, or else the first of a month, or else it stands first.
    const isSecondMonth = Number(second) <= 12 && (Number(second) > 1 || Number(first) > 12);
    return `${isSecondMonth ? second : first}/${year}`;
  }
  // A space closes the month as a slash does.
  return text
    .replace(/\s+$/, "/")
    .replace(/[^0-9/]+/g, "")
    .slice(0, LIMITS.expiryDisplayLengthMax);
}

/** Month and year of the whole value: a month of one digit gets its zero, and the century is dropped. */
function arrange(head: string, inserted: string, tail: string): Parts {
  const { month: typedMonth, year: typedYear } = split(head + inserted + tail);
  const month = padded(typedMonth, inserted.includes("/"));
  const year = onlyDigits(tail) === "" ? withoutCentury(typedYear) : typedYear;
  const typed = onlyDigits(head + inserted).length;
  const isPaddedBeforeCaret = month !== typedMonth && typed > 0;
  const count = typed + (isPaddedBeforeCaret ? 1 : 0) - (typedYear.length - year.length);
  return { month, year, count };
}

/** The digits before and after the slash. Without a slash, or with too many digits before it, the month is two digits. */
function split(text: string): { month: string; year: string } {
  const slash = text.indexOf("/");
  const first = onlyDigits(slash < 0 ? text : text.slice(0, slash));
  const rest = slash < 0 ? "" : onlyDigits(text.slice(slash));
  const monthLength = slash < 0 && /^[2-9]/.test(first) ? 1 : 2;
  return { month: first.slice(0, monthLength), year: first.slice(monthLength) + rest };
}

/** The months 2 to 9 get their zero at once; 1 gets it when the separator is typed. */
function padded(month: string, isClosed: boolean): string {
  return /^[2-9]$/.test(month) || (isClosed && month === "1") ? `0${month}` : month;
}

/** If more digits follow 20, then 20 was the century: 2028 becomes 28. */
function withoutCentury(year: string): string {
  return year.length > 2 && year.startsWith(CENTURY_DIGITS) ? year.slice(2) : year;
}

function fits(parts: Parts): boolean {
  return parts.month.length <= 2 && parts.year.length <= 2;
}

function plain(edit: Edit): Edit {
  return { ...edit, text: latinDigits(plainWidth(edit.text)) };
}
