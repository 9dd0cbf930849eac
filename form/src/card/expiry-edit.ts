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

/** 2028-12, the ISO format that browsers use. */
const YEAR_AND_MONTH = /(?:^|[^0-9])(20[0-9]{2})[-/. ]+([0-9]{1,2})(?![0-9])/;
/** 12/28, 1-2028, 12 . 28, with or without a label. */
const MONTH_AND_YEAR = /(?:^|[^0-9])([0-9]{1,2})[\p{White_Space}\p{Pd}./]+([0-9]{4}|[0-9]{2})(?![0-9])/u;

/** The month and year typed so far, and how many of their digits are before the caret. */
interface Parts {
  readonly month: string;
  readonly year: string;
  readonly count: number;
}

/** The new text of the expiry's input after an edit. */
export function editExpiry(before: Edit, after: Edit, inputType: string): Edit {
  const [was, is] = [plain(before), plain(after)];
  return isDeletion(inputType) ? afterDeletion(was, is, inputType) : afterInsertion(was, is);
}

/** Deleting moves no digit from the month to the year or back, and leaves no separator at the end. */
function afterDeletion(before: Edit, after: Edit, inputType: string): Edit {
  const caret = beforeCaret(after);
  const isSlashGone = before.text.includes("/") && !after.text.includes("/");
  const { month, year } = split(isSlashGone ? `${caret}/${after.text.slice(caret.length)}` : after.text);
  const text = year === "" ? month : month + SEPARATOR + year;
  return withCaret(
    text,
    caretAfterDigits(text, onlyDigits(caret).length, sideAfter(before, after, inputType)),
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
  return withCaret(text, caretAfterDigits(text, count, side));
}

/** The month and year in the typed or pasted text, as digits and slashes, cut to the longest that fits. */
function readInserted(inserted: string): string {
  const iso = YEAR_AND_MONTH.exec(inserted);
  if (iso) return `${iso[2]}/${iso[1]}`;
  const usual = MONTH_AND_YEAR.exec(inserted);
  if (usual) return `${usual[1]}/${usual[2]}`;
  return inserted.replace(/[^0-9/]+/g, "").slice(0, LIMITS.expiryDisplayLengthMax);
}

/** Month and year of the whole value: a month of one digit gets its zero, and the century is dropped. */
function arrange(head: string, inserted: string, tail: string): Parts {
  const { month: typedMonth, year: typedYear } = split(head + inserted + tail);
  const isClosed = inserted.includes("/");
  const month = padded(typedMonth, isClosed);
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
