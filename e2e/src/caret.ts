// An input with its caret in one string, so that a test shows what a person sees: `4242 4|2`, `4242 [424]2`.

import type { Locator } from "playwright-core";

/** The input's text with `|` at its caret, or `[…]` around its selection. */
export function seen(input: Locator): Promise<string> {
  return input.evaluate((element: HTMLInputElement) => {
    const { value, selectionStart, selectionEnd } = element;
    const [start, end] = [selectionStart ?? value.length, selectionEnd ?? value.length];
    const selected = start === end ? "|" : `[${value.slice(start, end)}]`;
    return value.slice(0, start) + selected + value.slice(end);
  });
}

/** Puts the caret, or a selection, where a click or a drag over the text would. */
export async function select(input: Locator, start: number, end = start): Promise<void> {
  await input.focus();
  await input.evaluate((element: HTMLInputElement, [from, to]) => element.setSelectionRange(from, to), [
    start,
    end,
  ] as [number, number]);
}
