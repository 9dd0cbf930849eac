// A key press costs little: React draws a field again only when more than its text changes, and the browser works out the
// style of a few elements, not of the page around them.

import type { Browser, Page } from "playwright-core";
import { expect } from "vitest";

import { ALL_FIELDS, openStandalone } from "../src/form-page.ts";
import { field } from "../src/shopper.ts";
import { test } from "../src/test.ts";

/** React's property with the last drawn state of an element. Another object means that the element was drawn again. */
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

test("a key press draws a field again only if more than its text changes", async ({ service, browser }) => {
  const { page } = await openStandalone(service, browser, ALL_FIELDS);
  await page.waitForSelector("#language");
  await field(page, "card-holder-name").pressSequentially("An");
  const letter = await drawnAgain(page, "field-card-holder-name", () => page.keyboard.press("a"));
  expect(letter).toEqual({ inside: 0, outside: [] });
  await field(page, "card-number").pressSequentially("424");
  const brand = await drawnAgain(page, "field-card-number", () => page.keyboard.press("2"));
  expect(brand.inside).toBeGreaterThan(0);
  const digit = await drawnAgain(page, "field-card-number", () => page.keyboard.press("4"));
  expect(digit).toEqual({ inside: 0, outside: [] });
});

/** The most elements of which the browser works out the style at once while `doing` happens. */
async function mostRestyled(browser: Browser, page: Page, doing: () => Promise<unknown>): Promise<number> {
  await browser.startTracing(page, { categories: ["devtools.timeline"] });
  await doing();
  const trace = JSON.parse(String(await browser.stopTracing())) as {
    traceEvents: readonly { name: string; args?: { elementCount?: number } }[];
  };
  const restyled = trace.traceEvents.filter(({ name }) => name === "UpdateLayoutTree");
  return Math.max(...restyled.map(({ args }) => args?.elementCount ?? 0));
}

test("a new brand restyles its logos, not the page", async ({ service, browser }) => {
  const { page } = await openStandalone(service, browser, ALL_FIELDS);
  await page.waitForSelector("#language");
  await field(page, "card-number").focus();
  const elements = await page.locator("body *").count();
  const typed = await mostRestyled(browser, page, () => page.keyboard.type("4242"));
  expect(typed).toBeGreaterThan(0);
  expect(typed).toBeLessThan(elements / 5);
});
