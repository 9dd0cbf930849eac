// A challenge of Stripe's in Chromium: its page, which is on another origin and leads back to ours, in the payment page
// and in the demo shop.

import type { Browser, FrameLocator, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";

import { openPage, startBrowser } from "../src/browser.ts";
import { type Service, startService } from "../src/service.ts";
import { CARDS, field, formIn, typeCard } from "../src/shopper.ts";
import { type StripePeer, startStripePeer } from "../src/stripe.ts";

let stripe: StripePeer;
let service: Service;
let browser: Browser;

beforeAll(async () => {
  stripe = await startStripePeer();
  [service, browser] = await Promise.all([startService(...stripe.args), startBrowser()]);
});

afterAll(async () => {
  await browser?.close();
  await service?.stop();
  await stripe?.stop();
});

function bankIn(page: Page): FrameLocator {
  return page.frameLocator("dialog iframe");
}

async function pressed() {
  const created = await service.merchant.createCharge();
  const { page, troubles } = await openPage(browser);
  await page.goto(created.url);
  await typeCard(page, page, CARDS.approved);
  await page.click("#pay");
  return { page, troubles, id: created.id };
}

test("one that is passed pays on the payment page", async () => {
  const { page, troubles, id } = await pressed();
  await bankIn(page).locator("#approve").click();
  await page.waitForSelector("#outcome[data-status=succeeded]");
  expect((await service.merchant.charge(id)).status).toBe("succeeded");
  expect(stripe.statuses().at(-1)).toBe("succeeded");
  expect(troubles).toEqual([]);
});

test("one that is not passed leaves the charge payable", async () => {
  const { page, troubles, id } = await pressed();
  await bankIn(page).locator("#reject").click();
  await page.waitForSelector("#outcome[data-status=failed]");
  expect((await service.merchant.charge(id)).decline_code).toBe("authentication_failed");
  await page.click("#pay");
  await bankIn(page).locator("#approve").click();
  await page.waitForSelector("#outcome[data-status=succeeded]");
  expect(stripe.statuses().slice(-2)).toEqual(["requires_payment_method", "succeeded"]);
  expect(troubles).toEqual([]);
});

test("one that is closed is canceled at Stripe, too", async () => {
  const { page, troubles } = await pressed();
  await bankIn(page).locator("#approve").waitFor();
  await page.click("#challenge-close");
  await page.waitForSelector("#outcome[data-status=failed]");
  expect(stripe.statuses().at(-1)).toBe("canceled");
  expect(troubles).toEqual([]);
});

test("one that is passed pays in the demo shop, where the SDK shows it", async () => {
  const { page, troubles } = await openPage(browser);
  await page.goto(service.shop);
  const form = formIn(page);
  await field(form, "card-number").waitFor();
  await typeCard(form, page, CARDS.approved);
  await page.click("#pay-in-shop");
  await bankIn(page).locator("#approve").click();
  await page.waitForSelector("#shop-outcome[data-status=succeeded]");
  expect(stripe.statuses().at(-1)).toBe("succeeded");
  expect(troubles).toEqual([]);
});
