// An edit that the browser made to an input: what stood before it, what came in, what stands after it.

import { onlyDigits } from "./characters.ts";

/** An input's value and selection, in UTF-16 offsets. */
export interface Edit {
  text: string;
  start: number;
  end: number;
}

/** The value in three parts: head and tail stood there before the edit, and the caret stands after `inserted`. */
export interface Change {
  readonly head: string;
  readonly inserted: string;
  readonly tail: string;
}

/** On which side of a separator the caret comes to stand. */
export type Side = "before" | "after";

/** What changed between two values. A value that was replaced as a whole, as autofill does, is all inserted. */
export function changeBetween(before: Edit, after: Edit): Change {
  const caret = caretOf(after);
  const tail = after.text.slice(caret);
  if (!before.text.endsWith(tail)) return { head: "", inserted: after.text, tail: "" };
  const headMax = Math.min(caret, before.text.length - tail.length);
  const head = commonPrefix(before.text, after.text, headMax);
  return { head, inserted: after.text.slice(head.length, caret), tail };
}

/** What stands in front of the caret. */
export function beforeCaret(edit: Edit): string {
  return edit.text.slice(0, caretOf(edit));
}

/** A value with the caret, and nothing selected. */
export function withCaret(text: string, caret: number): Edit {
  const at = Math.min(Math.max(caret, 0), text.length);
  return { text, start: at, end: at };
}

/** Where the caret stands after `count` digits of `text`; `side` decides where a separator follows them. */
export function caretAfterDigits(text: string, count: number, side: Side): number {
  let at = 0;
  for (let seen = 0; seen < count && at < text.length; at++) if (isDigitAt(text, at)) seen++;
  if (side === "after") while (at < text.length && !isDigitAt(text, at)) at++;
  return at;
}

/** Whether the edit took something away and put nothing in. */
export function isDeletion(inputType: string): boolean {
  return inputType.startsWith("delete");
}

/**
 * The side of a separator on which a person expects the caret: where the browser left it. A separator that was deleted
 * is put back, and the caret moves over it.
 */
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
  // A pair of surrogates is one character: it is kept whole or not at all.
  return at > 0 && /[\ud800-\udbff]/.test(a.charAt(at - 1)) ? a.slice(0, at - 1) : a.slice(0, at);
}

function isDigitAt(text: string, at: number): boolean {
  return /[0-9]/.test(text.charAt(at));
}
