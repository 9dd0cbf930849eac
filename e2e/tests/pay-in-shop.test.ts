// A shopper pays in the demo shop, through the form embedded in it.

import type { Browser, FrameLocator, Page } from "playwright-core";
import { describe, expect } from "vitest";

import { openPage, PHONE } from "../src/browser.ts";
import { advanceClockUntilShown } from "../src/clock.ts";
import type { Service } from "../src/service.ts";
import { CARDS, field, formIn, typeCard } from "../src/shopper.ts";
import { test as base, browserWith } from "../src/test.ts";

/** These journeys matter most to merchants, so they run in the whole Chromium. */
const test = base.extend("browser", { scope: "file" }, browserWith());

async function openShop(service: Service, browser: Browser, options = {}) {
  const { page, pageErrors } = await openPage(browser, options);
  const order = page.waitForResponse((response) => response.url().endsWith("/demo/orders"));
  await page.goto(service.shop);
  const { charge_id } = (await (await order).json()) as { charge_id: string };
  const form = formIn(page);
  await field(form, "card-number").waitFor();
  return { page, pageErrors, form, chargeId: charge_id };
}

async function approvals(service: Service, chargeId: string) {
  const entries = (await service.ledger()).filter((entry) => entry.charge_id === chargeId);
  return entries.filter((entry) => entry.outcome === "approved");
}

/** Pays with a new card and saves it. */
async function saveCard(page: Page, form: FrameLocator) {
  await field(form, "card-number").waitFor();
  await typeCard(form, page, CARDS.approved);
  await form.locator("#save-card").check();
  await page.click("#pay-in-shop");
  await page.waitForSelector("#shop-outcome[data-status=succeeded]");
}

const storedShopper = (page: Page) => page.evaluate(() => localStorage.getItem("larkspur-shopper"));

describe("in the demo shop", () => {
  test.for([
    ["on a desktop", {}],
    ["on a phone", { viewport: PHONE, hasTouch: true, isMobile: true }],
  ] as const)("a shopper pays with a new card %s", async ([_, options], { service, browser }) => {
    const { page, pageErrors, form, chargeId } = await openShop(service, browser, options);
    await typeCard(form, page, CARDS.approved);
    await page.click("#pay-in-shop");
    await page.waitForSelector("#shop-outcome[data-status=succeeded]");
    expect(await approvals(service, chargeId)).toHaveLength(1);
    expect(pageErrors).toEqual([]);
  });

  test("a declined shopper pays with another card, and is charged once", async ({ service, browser }) => {
    const { page, pageErrors, form, chargeId } = await openShop(service, browser);
    await typeCard(form, page, CARDS.insufficientFunds);
    await page.click("#pay-in-shop");
    await page.waitForSelector("#shop-outcome[data-status=failed]");
    expect(await page.textContent("#shop-outcome")).toContain("enough funds");
    expect(await approvals(service, chargeId)).toHaveLength(0);

    await typeCard(form, page, CARDS.mastercard);
    await page.click("#pay-in-shop");
    await page.waitForSelector("#shop-outcome[data-status=succeeded]");
    const [approval, ...others] = await approvals(service, chargeId);
    expect(approval).toMatchObject({ amount_currency: "USD" });
    expect(others).toEqual([]);
    expect(pageErrors).toEqual([]);
  });

  test("a payment that never arrives can be made again", async ({ service, browser }) => {
    const { page, pageErrors } = await openPage(browser);
    await page.clock.install();
    await page.goto(service.shop);
    const form = formIn(page);
    await field(form, "card-number").waitFor();
    await page.route("**/v1/pub/direct/charges", (route) => route.abort("connectionreset"));
    await typeCard(form, page, CARDS.approved);
    await page.click("#pay-in-shop");
    await advanceClockUntilShown(page, page.locator("#shop-outcome[data-status=outcome_unknown]"));
    await advanceClockUntilShown(page, page.locator("#shop-outcome[data-status=failed]"));
    await page.unroute("**/v1/pub/direct/charges");
    await page.click("#pay-in-shop");
    await advanceClockUntilShown(page, page.locator("#shop-outcome[data-status=succeeded]"));
    expect(pageErrors).toEqual([]);
  });

  test("a returning shopper pays with the saved card until it is forgotten", async ({ service, browser }) => {
    const { page, pageErrors, form } = await openShop(service, browser);
    await saveCard(page, form);
    const order = page.waitForResponse((response) => response.url().endsWith("/demo/orders"));
    await page.reload();
    const { charge_id } = (await (await order).json()) as { charge_id: string };
    await form.getByRole("radio").waitFor();
    await form.locator("[id$=-security-code]").fill("123");
    await page.click("#pay-in-shop");
    await page.waitForSelector("#shop-outcome[data-status=succeeded]");
    expect(await approvals(service, charge_id)).toHaveLength(1);

    await page.reload();
    await form.getByRole("radio").waitFor();
    const before = await storedShopper(page);
    await page.click("#forget-me");
    await field(form, "card-number").waitFor();
    expect(await form.getByRole("radio").count()).toBe(0);
    expect(await page.locator("#forget-me").evaluate((button) => button === document.activeElement)).toBe(
      true,
    );
    expect(await storedShopper(page)).not.toBe(before);
    await page.reload();
    await field(form, "card-number").waitFor();
    expect(await form.getByRole("radio").count()).toBe(0);
    expect(pageErrors).toEqual([]);
    await page.context().close();
  });

  test("without storage the shop knows the shopper until a reload", async ({ service, browser }) => {
    const { page, pageErrors } = await openPage(browser);
    await page.addInitScript(() => {
      Object.defineProperty(window, "localStorage", {
        get: () => {
          throw new DOMException("denied", "SecurityError");
        },
      });
    });
    const form = formIn(page);
    await page.goto(service.shop);
    await saveCard(page, form);
    await page.getByRole("button", { name: "Buy something else" }).click();
    await form.getByRole("radio").waitFor();
    await page.reload();
    await field(form, "card-number").waitFor();
    expect(await form.getByRole("radio").count()).toBe(0);
    expect(pageErrors).toEqual([]);
    await page.context().close();
  });

  test("paying too early shows what is missing and focuses the first field", async ({ service, browser }) => {
    const { page, form, chargeId } = await openShop(service, browser);
    await page.click("#pay-in-shop");
    await form.locator("#card-number[data-state=Empty]").waitFor();
    expect(await field(form, "card-number-error").getAttribute("data-error-id")).toBe("CardNumber_Empty");
    expect(await field(form, "card-number").evaluate((input) => input === document.activeElement)).toBe(true);
    expect((await service.ledger()).filter((entry) => entry.charge_id === chargeId)).toEqual([]);
  });

  test("the frame has the height of the form, and follows it", async ({ service, browser }) => {
    const { page, form } = await openShop(service, browser);
    const heights = () =>
      Promise.all([
        page.locator("iframe").evaluate((frame) => frame.clientHeight),
        form.locator("body").evaluate((body) => Math.ceil(body.getBoundingClientRect().height)),
      ]);
    await expect.poll(async () => (await heights()).every((height, _, all) => height === all[0])).toBe(true);
    const [before] = await heights();
    await form
      .locator("body")
      .evaluate((body) => body.append(Object.assign(document.createElement("p"), { textContent: "taller" })));
    await expect.poll(async () => (await heights())[0]).toBeGreaterThan(before);
  });
});
