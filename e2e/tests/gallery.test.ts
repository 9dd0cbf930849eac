// Every state of the page in both layouts, directions and color modes: nothing overlaps, is cut off or is outside the page,
// the focus is visible, and axe finds no violation.

import { join } from "node:path";
import type { Page } from "playwright-core";
import { describe, expect } from "vitest";

import { STATES } from "../../form/src/gallery/states.ts";
import { axeViolations } from "../src/accessibility.ts";
import { openPage } from "../src/browser.ts";
import { showState } from "../src/gallery.ts";
import { focusRingProblem, layoutProblems } from "../src/layout-problems.ts";
import { saveScreenshot } from "../src/screenshots.ts";
import { test as base } from "../src/test.ts";

const NARROW = { width: 320, height: 720 };
const PHONE = { width: 390, height: 844 };
const WIDE = { width: 1280, height: 900 };
/** The most often that Tab is pressed. Every state has fewer elements that Tab reaches. */
const STOPS_MAX = 24;

/** All tests of the states use one page, so that it and axe are loaded only once. */
const test = base.extend("view", { scope: "file" }, ({ browser }) =>
  openPage(browser, { viewport: NARROW, reducedMotion: "reduce" }),
);

/** The violations that axe finds. An embedded form needs no `h1`, because the merchant's page has one. */
async function foundByAxe(page: Page, state: string): Promise<string[]> {
  const isPage = STATES[state]?.standalone === true || STATES[state]?.error !== undefined;
  const found = await axeViolations(page.mainFrame());
  return found.filter((rule) => isPage || !rule.startsWith("page-has-heading-one:"));
}

const LAYOUTS = ["redesign", "classic"] as const;
const DIRECTIONS = ["ltr", "rtl"] as const;
const LAYOUTS_AND_DIRECTIONS = LAYOUTS.flatMap((layout) => DIRECTIONS.map((dir) => ({ layout, dir })));

describe.each(LAYOUTS_AND_DIRECTIONS)("$layout $dir", ({ layout, dir }) => {
  test.for(Object.keys(STATES))(
    "%s is fully visible, shows the focus, and has no axe violation",
    async (state, { service, view: { page, pageErrors } }) => {
      const found: string[] = [];
      await page.setViewportSize(NARROW);
      await showState(service, page, state, { layout, dir });
      for (const mode of ["light", "dark"]) {
        await page.setViewportSize(NARROW);
        await page.evaluate((mode) => {
          document.documentElement.dataset.colorMode = mode;
        }, mode);
        found.push(...(await page.evaluate(layoutProblems)).map((part) => `${mode}, 320 px: ${part}`));
        await saveScreenshot(page, `${state}-${layout}-${dir}-${mode}-320`);
        found.push(...(await foundByAxe(page, state)).map((rule) => `${mode}: ${rule}`));
        await page.setViewportSize(WIDE);
        found.push(...(await page.evaluate(layoutProblems)).map((part) => `${mode}, 1280 px: ${part}`));
      }
      await saveScreenshot(page, `${state}-${layout}-${dir}-dark-1280`);
      await page.setViewportSize(NARROW);
      for (let stop = 0; stop < STOPS_MAX; stop += 1) {
        await page.keyboard.press("Tab");
        const problem = await page.evaluate(focusRingProblem);
        if (problem === undefined) {
          break;
        }
        if (problem !== null) {
          found.push(problem);
        }
      }
      expect(found).toEqual([]);
      expect(pageErrors).toEqual([]);
    },
  );
});

describe.each(["ltr", "rtl"] as const)("with text of twice the size %s", (dir) => {
  test.for(Object.keys(STATES))("%s is fully visible", async (state, { service, view: { page } }) => {
    const found: string[] = [];
    // German has the longest words.
    const locale = dir === "ltr" ? "de-DE" : "ar-SA";
    await page.setViewportSize(NARROW);
    await showState(service, page, state, { locale, text: "200" });
    for (const viewport of [NARROW, PHONE, WIDE]) {
      await page.setViewportSize(viewport);
      found.push(...(await page.evaluate(layoutProblems)).map((part) => `${viewport.width} px: ${part}`));
      await saveScreenshot(page, `${state}-${dir}-${viewport.width}-200`);
    }
    expect(found).toEqual([]);
  });
});

test("in Arabic a card's brand, dots and digits are read from the left", async ({ service, browser }) => {
  const { page } = await openPage(browser);
  await showState(service, page, "page-receipt", { locale: "ar-SA" });
  await page.waitForSelector("#receipt");
  const [brand, dots, digits] = await page.evaluate(() => {
    const walker = document.createTreeWalker(document.querySelector("#receipt [aria-hidden]") as Element, 4);
    const boxOf = (what: string) => {
      walker.currentNode = walker.root;
      for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
        const at = node.textContent?.indexOf(what) ?? -1;
        if (at >= 0) {
          const range = document.createRange();
          range.setStart(node, at);
          range.setEnd(node, at + what.length);
          const { left, right } = range.getBoundingClientRect();
          return { left, right };
        }
      }
      throw new Error(`${what} is not there`);
    };
    return [boxOf("Mastercard"), boxOf("••••"), boxOf("4444")];
  });
  expect(brand?.right).toBeLessThanOrEqual(dots?.left ?? 0);
  expect(dots?.right).toBeLessThanOrEqual(digits?.left ?? 0);
  await page.context().close();
});

/** The elements of the line with the payee: name, class, `alt` and `height` of each. */
function payeeElements(): string[] {
  return [...document.querySelectorAll<HTMLElement>(".payee, .payee *")].map((part) =>
    [part.localName, part.className, part.getAttribute("alt"), part.getAttribute("height")].join(" "),
  );
}

test("the gallery shows the payee as the payment page does", async ({ service, browser }) => {
  const logo = join(import.meta.dirname, "../../form/src/gallery/logo.png");
  const shop = service.addMerchant("--name", "Larkspur & Sons", "--website", service.url, "--logo", logo);
  const { page } = await openPage(browser);
  await page.goto((await shop.createCharge()).url);
  const onPaymentPage = await page.evaluate(payeeElements);
  expect(onPaymentPage).toHaveLength(4);
  await showState(service, page, "page-logo");
  expect(await page.evaluate(payeeElements)).toEqual(onPaymentPage);
  await page.context().close();
});

test("the list shows every state", async ({ service, browser }) => {
  const { page, pageErrors } = await openPage(browser);
  const answer = await page.goto(`${service.url}/demo/gallery`);
  expect(answer?.headers()["x-content-type-options"]).toBe("nosniff");
  await page.waitForSelector(".gallery");
  expect(await page.locator("figure").count()).toBe(Object.keys(STATES).length);
  expect(pageErrors).toEqual([]);
  await page.context().close();
});
