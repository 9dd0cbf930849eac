// Extensions change the page before its script runs: what was typed, the focus and the tick stay
// (docs/form.md#before-the-script-has-loaded).

import type { Page } from "playwright-core";
import { expect } from "vitest";

import { holdRequests, openPage } from "../src/browser.ts";
import { savedCardsCharge } from "../src/save-card.ts";
import { CARDS } from "../src/shopper.ts";
import { test } from "../src/test.ts";

const CHANGES: Readonly<Record<string, (page: Page) => Promise<void>>> = {
  nothing: async () => {},
  "a node beside an input": (page) =>
    page.evaluate(() => document.querySelector("#card-number")?.after(document.createElement("span"))),
  "a node in the form": (page) =>
    page.evaluate(() => document.querySelector("form")?.prepend(document.createElement("div"))),
  "a wrapped input": (page) =>
    page.evaluate(() => {
      const input = document.querySelector("#card-number");
      const wrapper = document.createElement("div");
      input?.replaceWith(wrapper);
      wrapper.append(input ?? "");
      (input as HTMLElement | null)?.focus();
    }),
  "a changed word": (page) =>
    page.evaluate(() => {
      const label = document.querySelector("label");
      if (label) {
        label.textContent = "Número";
      }
    }),
  "a removed picture": (page) =>
    page.evaluate(() => document.querySelector(".brand-logos img, form img, form svg")?.remove()),
};

test.for(Object.keys(CHANGES))("typed text stays under %s", async (change, { service, browser }) => {
  const { url } = await service.merchant.createCharge({
    ...savedCardsCharge(),
    display_saved_payment_method_list: false,
  });
  const { page, pageErrors } = await openPage(browser);
  const release = await holdRequests(page, "**/assets/browser-*.js");
  await page.goto(url, { waitUntil: "commit" });
  await page.locator("#card-expiry").fill("1134");
  await page.locator("#save-card").check();
  const number = page.locator("#card-number");
  await number.click();
  await page.keyboard.type("42424242");
  await page.keyboard.press("ArrowLeft");
  await CHANGES[change]?.(page);
  await release();
  await page.waitForFunction(() => document.querySelector("#card-number[data-brand=visa]") !== null);
  expect(await number.inputValue()).toBe("4242 4242");
  expect(await page.locator("#card-expiry").inputValue()).toBe("11 / 34");
  expect(await page.locator("#save-card").isChecked()).toBe(true);
  await page.keyboard.type(CARDS.approved.slice(-8));
  expect(await number.inputValue()).toBe("4242 4244 2424 2422");
  // React reports that the page was another one.
  expect(pageErrors.splice(0).filter((error) => !error.includes("#418"))).toEqual([]);
  await page.context().close();
});
