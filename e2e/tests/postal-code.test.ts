// The postal code: when the form asks for it, which codes it accepts, and what the provider gets.

import type { Browser } from "playwright-core";
import { describe, expect } from "vitest";

import { openPage } from "../src/browser.ts";
import { openEmbedded, paymentPage } from "../src/form-page.ts";
import type { Service } from "../src/service.ts";
import { CARDS, type FormPlace, field, typeCard } from "../src/shopper.ts";
import { test } from "../src/test.ts";

const ID = "card-postal-code";

async function open(service: Service, browser: Browser, options: object, country?: string) {
  const charge = country === undefined ? {} : { payment_method_country_code: country };
  const { page } = await openPage(browser);
  await page.goto(await paymentPage(service, { ...options }, charge));
  await page.waitForFunction(() => window.cardformVersion !== undefined);
  return page;
}

const stateOf = (place: FormPlace) => field(place, ID).getAttribute("data-state");
const errorOf = (place: FormPlace) => field(place, `${ID}-error`).getAttribute("data-error-id");

describe("the form asks for the postal code", () => {
  test.for([
    [undefined, "US", 0],
    [false, "US", 0],
    [true, "DE", 1],
    ["auto", undefined, 1],
    ["auto", "US", 1],
    ["auto", "CA", 1],
    ["auto", "GB", 1],
    ["auto", "DE", 0],
    ["always", "US", 0],
  ] as const)("with %s and a card of %s", async ([shows, country, count], { service, browser }) => {
    const page = await open(service, browser, { show_postal_code: shows }, country);
    expect(await field(page, ID).count()).toBe(count);
  });

  test("as the merchant's option of an open form says", async ({ service, browser, merchant }) => {
    const { form, post } = await openEmbedded(service, browser, merchant, { show_postal_code: true });
    await field(form, ID).fill("941");
    await post({ type: "page-change", options: JSON.stringify({ show_postal_code: false }) });
    await expect.poll(() => field(form, ID).count()).toBe(0);
  });
});

describe("the input", () => {
  test.for([
    ["US", "94107", "94107", "9410", "numeric"],
    ["US", "94107-1234", "94107-1234", "94107-12", "numeric"],
    ["CA", "k1a 0b1", "K1A 0B1", "K1A", "text"],
    ["GB", "sw1a1aa", "SW1A1AA", "SW1A", "text"],
    ["NL", "1012 ab", "1012 AB", "-", "text"],
  ] as const)("of %s accepts %s", async ([country, keys, text, short, keyboard], { service, browser }) => {
    const page = await open(service, browser, { show_postal_code: true }, country);
    const input = field(page, ID);
    expect(await input.getAttribute("autocomplete")).toBe("postal-code");
    expect(await input.getAttribute("inputmode")).toBe(keyboard);
    await input.focus();
    await page.keyboard.type(keys);
    expect(await input.inputValue()).toBe(text);
    expect(await stateOf(page)).toBe("CompletedAndValid");
    await input.fill(short);
    expect([await stateOf(page), await errorOf(page)]).toEqual(["Ready", ""]);
    await input.blur();
    expect([await stateOf(page), await errorOf(page)]).toEqual(["ValidationError", "CardPostalCode_Invalid"]);
    // It is no part of the card, so the browser may keep it.
    expect(await input.getAttribute("autocomplete")).toBe("postal-code");
  });

  test("refuses a sign with its error, and an empty field is required", async ({ service, browser }) => {
    const page = await open(service, browser, { show_postal_code: true });
    await field(page, ID).focus();
    await page.keyboard.type("!");
    expect([await field(page, ID).inputValue(), await errorOf(page)]).toEqual(["", "CardPostalCode_Invalid"]);
    await typeCard(page, page, CARDS.approved);
    await page.click("#pay");
    expect([await stateOf(page), await errorOf(page)]).toEqual(["Empty", "CardPostalCode_Cant_Empty"]);
    expect(await page.evaluate(() => document.activeElement?.id)).toBe(ID);
  });

  test("runs from left to right in Arabic", async ({ service, browser }) => {
    const options = { show_postal_code: true, postal_code: "K1A 0B1", locale: "ar-SA" };
    const page = await open(service, browser, options, "CA");
    expect(await field(page, ID).inputValue()).toBe("K1A 0B1");
    const { direction, textAlign } = await field(page, ID).evaluate((input) => getComputedStyle(input));
    expect([direction, textAlign]).toEqual(["ltr", "right"]);
  });
});

describe("the provider checks", () => {
  test("the shopper's postal code on the payment page", async ({ service, browser }) => {
    const charge = await service.merchant.createCharge({ zip_code: "10110" });
    const url = new URL(charge.url);
    url.searchParams.set("options", JSON.stringify({ show_postal_code: "auto" }));
    const { page } = await openPage(browser);
    await page.goto(url.href);
    await typeCard(page, page, CARDS.approved);
    await field(page, ID).fill("94107");
    const request = page.waitForRequest("**/direct/charges");
    await page.click("#pay");
    expect((await request).postDataJSON().payment_method.shopper.zip_code).toBe("94107");
    await page.waitForSelector("#outcome[data-status=succeeded]");
    expect((await service.merchant.charge(charge.id)).paid_with?.checks.postal_code).toBe("pass");
  });

  test("and a decline for it marks the field", async ({ service, browser }) => {
    const page = await open(service, browser, { show_postal_code: true });
    await typeCard(page, page, CARDS.wrongZip);
    await field(page, ID).fill("94107");
    await page.click("#pay");
    await expect.poll(() => errorOf(page)).toBe("CardPostalCode_Invalid");
    expect(await page.evaluate(() => document.activeElement?.id)).toBe(ID);
    const text = "Your card was declined. Check the postal code or use another card.";
    await page.getByText(text).first().waitFor();
  });

  test("the shopper's postal code in a merchant's page", async ({ service, browser, merchant }) => {
    const { page, form, created, post } = await openEmbedded(
      service,
      browser,
      merchant,
      { show_postal_code: true },
      { charge: { payment_method_country_code: "GB", shopper_id: "shopper-1" } },
    );
    await typeCard(form, page, CARDS.approved);
    await field(form, ID).fill("sw1a 1aa");
    await post({ type: "submit-ready", client_secret: created.client_secret });
    const checks = async () => (await service.merchant.charge(created.id)).paid_with?.checks.postal_code;
    await expect.poll(checks).toBe("pass");
  });
});
