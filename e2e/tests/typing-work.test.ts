// A key press costs little: only the field that it changes is drawn again, and not the page around it.

import type { Page } from "playwright-core";
import { expect } from "vitest";

import { ALL_FIELDS, openStandalone } from "../src/form-page.ts";
import { field } from "../src/shopper.ts";
import { test } from "../src/test.ts";

/** Where React keeps what it has last drawn of an element; another object means that it was drawn again. */
const DRAWN = "__reactProps$";

/** The ids and classes of the elements outside of `field` that React draws again while `doing` happens, and of how many inside. */
async function drawnAgain(page: Page, fieldClass: string, doing: () => Promise<unknown>) {
  const elements = await page.evaluateHandle((prefix) => {
    const drawnOf = (element: Element) =>
      Object.entries(element).find(([name]) => name.startsWith(prefix))?.[1] as unknown;
    return [...document.querySelectorAll("*")].map((element) => ({
      element,
      before: drawnOf(element),
      isDrawn: (before: unknown) => drawnOf(element) !== before,
    }));
  }, DRAWN);
  await doing();
  return elements.evaluate((all, fieldClass) => {
    const drawn = all.filter(({ before, isDrawn }) => isDrawn(before)).map(({ element }) => element);
    const inside = drawn.filter((element) => element.closest(`.${fieldClass}`) !== null);
    const outside = drawn.filter((element) => !inside.includes(element));
    return { inside: inside.length, outside: outside.map(({ id, className }) => `${id} ${className}`) };
  }, fieldClass);
}

test("a key press draws its own field again and nothing else", async ({ service, browser }) => {
  const { page } = await openStandalone(service, browser, ALL_FIELDS);
  await page.waitForSelector("#language");
  await field(page, "card-holder-name").pressSequentially("An");
  const name = await drawnAgain(page, "field-card-holder-name", () => page.keyboard.press("a"));
  expect(name.outside).toEqual([]);
  expect(name.inside).toBeGreaterThan(0);
  await field(page, "card-number").pressSequentially("424242");
  const number = await drawnAgain(page, "field-card-number", () => page.keyboard.press("4"));
  expect(number.outside).toEqual([]);
});
