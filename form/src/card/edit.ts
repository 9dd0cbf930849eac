// An edit that the browser made to an input: the text before the edit, the inserted text, the text after it.

import { onlyDigits } from "./characters.ts";

/** An input's value and selection, in UTF-16 offsets. */
export interface Edit {
  text: string;
  start: number;
  end: number;
}

/** On which side of a separator the caret is placed. */
export type Side = "before" | "after";

/**
 * The new value in three parts: `head` and `tail` were there before the edit, and the caret is after `inserted`. If the
 * whole value was replaced, as by autofill, all of it is `inserted`.
 */
export function changeBetween(before: Edit, after: Edit) {
  const caret = caretOf(after);
  const tail = after.text.slice(caret);
  if (!before.text.endsWith(tail)) return { head: "", inserted: after.text, tail: "" };
  const headMax = Math.min(caret, before.text.length - tail.length);
  const head = commonPrefix(before.text, after.text, headMax);
  return { head, inserted: after.text.slice(head.length, caret), tail };
}

export function beforeCaret(edit: Edit): string {
  return edit.text.slice(0, caretOf(edit));
}

/** A value with its caret and no selection. */
export function withCaret(text: string, caret: number): Edit {
  const at = Math.min(Math.max(caret, 0), text.length);
  return { text, start: at, end: at };
}

/** The caret's place after `count` digits of `text`. If a separator follows, `side` says on which side of it. */
export function caretAfterDigits(text: string, count: number, side: Side): number {
  let at = 0;
  for (let seen = 0; seen < count && at < text.length; at++) if (isDigitAt(text, at)) seen++;
  if (side === "after") while (at < text.length && !isDigitAt(text, at)) at++;
  return at;
}

export function isDeletion(inputType: string): boolean {
  return inputType.startsWith("delete");
}

/** The side of a separator on which the browser left the caret. A deleted separator comes back, and the caret moves over it. */
export function sideAfter(before: Edit, after: Edit, inputType: string): Side {
  const isSeparatorDeleted = isDeletion(inputType) && onlyDigits(before.text) === onlyDigits(after.text);
  if (isSeparatorDeleted) return inputType.endsWith("Forward") ? "after" : "before";
  return /[^0-9]$/.test(beforeCaret(after)) ? "after" : "before";
}

function caretOf(edit: Edit): number {
  return Math.min(Math.max(edit.end, 0), edit.text.length);
}

function commonPrefix(a: string, b: string, max: number): string {
  let at = 0;
  while (at < max && a[at] === b[at]) at++;
  // A surrogate pair is one character and must not be split.
  return at > 0 && /[\ud800-\udbff]/.test(a.charAt(at - 1)) ? a.slice(0, at - 1) : a.slice(0, at);
}

function isDigitAt(text: string, at: number): boolean {
  return /[0-9]/.test(text.charAt(at));
}
