// Challenges with Stripe as the provider, on the payment page and in the demo shop. The challenge's page is on another
// origin and redirects back to ours.

import type { Browser, FrameLocator, Page } from "playwright-core";
import { expect } from "vitest";

import { openPage } from "../src/browser.ts";
import { startFakeStripe } from "../src/fake-stripe.ts";
import type { Service } from "../src/service.ts";
import { CARDS, field, formIn, typeCard } from "../src/shopper.ts";
import { test as base, serviceWith, startAndStop } from "../src/test.ts";

const test = base
  .extend("stripe", { scope: "file" }, startAndStop(startFakeStripe))
  .extend("service", { scope: "file" }, ({ stripe }, cleanup) => serviceWith(...stripe.args)({}, cleanup));

function bankIn(page: Page): FrameLocator {
  return page.frameLocator("dialog iframe");
}

async function pressPay(service: Service, browser: Browser) {
  const created = await service.merchant.createCharge();
  const { page, pageErrors } = await openPage(browser);
  await page.goto(created.url);
  await typeCard(page, page, CARDS.approved);
  await page.click("#pay");
  return { page, pageErrors, id: created.id };
}

test("a passed challenge pays on the payment page", async ({ service, browser, stripe }) => {
  const { page, pageErrors, id } = await pressPay(service, browser);
  await bankIn(page).locator("#approve").click();
  await page.waitForSelector("#outcome[data-status=succeeded]");
  expect((await service.merchant.charge(id)).status).toBe("succeeded");
  expect(stripe.statuses().at(-1)).toBe("succeeded");
  expect(pageErrors).toEqual([]);
});

test("a failed challenge leaves the charge payable", async ({ service, browser, stripe }) => {
  const { page, pageErrors, id } = await pressPay(service, browser);
  await bankIn(page).locator("#reject").click();
  await page.waitForSelector("#outcome[data-status=failed]");
  expect((await service.merchant.charge(id)).decline_code).toBe("authentication_failed");
  await page.click("#pay");
  await bankIn(page).locator("#approve").click();
  await page.waitForSelector("#outcome[data-status=succeeded]");
  expect(stripe.statuses().slice(-2)).toEqual(["canceled", "succeeded"]);
  expect(pageErrors).toEqual([]);
});

test("a closed challenge is also canceled at Stripe", async ({ service, browser, stripe }) => {
  const { page, pageErrors } = await pressPay(service, browser);
  await bankIn(page).locator("#approve").waitFor();
  await page.click("#challenge-close");
  await page.waitForSelector("#outcome[data-status=failed]");
  expect(stripe.statuses().at(-1)).toBe("canceled");
  expect(pageErrors).toEqual([]);
});

test("a passed challenge pays in the demo shop, where the SDK shows it", async ({
  service,
  browser,
  stripe,
}) => {
  const { page, pageErrors } = await openPage(browser);
  await page.goto(service.shop);
  const form = formIn(page);
  await field(form, "card-number").waitFor();
  await typeCard(form, page, CARDS.approved);
  await page.click("#pay-in-shop");
  await bankIn(page).locator("#approve").click();
  await page.waitForSelector("#shop-outcome[data-status=succeeded]");
  expect(stripe.statuses().at(-1)).toBe("succeeded");
  expect(pageErrors).toEqual([]);
});
