// Shows an input's text and caret in one string, `4242 4|2` or `4242 [424]2`, and moves the caret.

import type { Locator } from "playwright-core";

/** The input's text with `|` at its caret, or `[…]` around its selection. */
export function textWithCaret(input: Locator): Promise<string> {
  return input.evaluate((element: HTMLInputElement) => {
    const { value, selectionStart, selectionEnd } = element;
    const [start, end] = [selectionStart ?? value.length, selectionEnd ?? value.length];
    const selected = start === end ? "|" : `[${value.slice(start, end)}]`;
    return value.slice(0, start) + selected + value.slice(end);
  });
}

/** Focuses the input and puts the caret at `start`, or selects the text from `start` to `end`. */
export async function select(input: Locator, start: number, end = start): Promise<void> {
  await input.focus();
  await input.evaluate((element: HTMLInputElement, [from, to]) => element.setSelectionRange(from, to), [
    start,
    end,
  ] as [number, number]);
}
