// A merchant's page calls `submit()` right after the shopper's last key press: the form's state at that moment counts.

import type { Browser, Page } from "playwright-core";
import { describe, expect } from "vitest";

import type { Cardform } from "../../sdk/js/src/cardform.ts";
import { openPage } from "../src/browser.ts";
import type { MerchantPage } from "../src/form-page.ts";
import type { Service } from "../src/service.ts";
import { CARDS, field, formIn, typeCard } from "../src/shopper.ts";
import { test as base, serviceWith } from "../src/test.ts";

/** The service is not shared, because a test reads the whole ledger. */
const test = base.extend("service", { scope: "file" }, serviceWith());

const RUNS = 20;

type MerchantWindow = { form: Cardform };

/** Opens the merchant's page with the form of a new charge in the SDK, and waits until the form has loaded. */
async function openShop(service: Service, browser: Browser, merchant: MerchantPage): Promise<Page> {
  const created = await service.merchant.createCharge();
  const { page } = await openPage(browser);
  await page.goto(merchant.url);
  const { payload, client_secret: clientSecret } = created;
  await page.addScriptTag({
    type: "module",
    content: `
      import { mount } from "${service.url}/sdk/cardform.js";
      const form = mount("main", ${JSON.stringify({ url: service.url, payload, clientSecret })});
      form.on("load", () => Object.assign(window, { form }));`,
  });
  await page.waitForFunction(() => "form" in window);
  return page;
}

const submit = (page: Page) =>
  page.evaluate(() => (window as unknown as MerchantWindow).form.submit().then(({ status }) => status));

describe("submit() right after the last key", () => {
  test(`pays ${RUNS} times out of ${RUNS}`, async ({ service, browser, merchant }) => {
    const statuses: string[] = [];
    for (let run = 0; run < RUNS; run++) {
      const page = await openShop(service, browser, merchant);
      await typeCard(formIn(page), page, CARDS.approved);
      statuses.push(await submit(page));
      await page.close();
    }
    expect(statuses).toEqual(Array.from({ length: RUNS }, () => "succeeded"));
  }, 180_000);

  test("sends nothing when that key removed a digit", async ({ service, browser, merchant }) => {
    const page = await openShop(service, browser, merchant);
    const before = (await service.ledger()).length;
    await typeCard(formIn(page), page, CARDS.approved);
    await expect.poll(() => page.evaluate(() => (window as unknown as MerchantWindow).form.ready)).toBe(true);
    await page.keyboard.press("Backspace");
    expect(await submit(page)).toBe("not-ready");
    const error = field(formIn(page), "card-security-code-error");
    expect(await error.getAttribute("data-error-id")).toBe("CardSecurityCode_IncompleteSecurityCode");
    expect((await service.ledger()).length).toBe(before);
    await page.keyboard.type("3");
    expect(await submit(page)).toBe("succeeded");
  });

  test("pays with a card that a program filled in without events", async ({ service, browser, merchant }) => {
    const page = await openShop(service, browser, merchant);
    for (const [id, value] of [
      ["card-number", CARDS.approved],
      ["card-expiry", "12/34"],
      ["card-security-code", "123"],
    ] as const) {
      await field(formIn(page), id).evaluate((input: HTMLInputElement, text) => {
        input.value = text;
      }, value);
    }
    expect(await submit(page)).toBe("succeeded");
  });
});
