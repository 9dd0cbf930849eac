// A shopper pays on the standalone payment page, and the merchant's server sees the same result.

import type { Browser } from "playwright-core";
import { describe, expect } from "vitest";

import { openPage } from "../src/browser.ts";
import type { Service } from "../src/service.ts";
import { CARDS, field, typeCard } from "../src/shopper.ts";
import { test as base, browserWith } from "../src/test.ts";

/** These journeys matter most to merchants, so they run in the whole Chromium. */
const test = base.extend("browser", { scope: "file" }, browserWith());

async function openCharge(service: Service, browser: Browser, charge = {}) {
  const created = await service.merchant.createCharge(charge);
  const { page, pageErrors } = await openPage(browser);
  await page.goto(created.url);
  return { page, pageErrors, created };
}

async function outcomes(service: Service, chargeId: string) {
  const entries = await service.ledger();
  return entries.filter((entry) => entry.charge_id === chargeId).map((entry) => entry.outcome);
}

describe("on the payment page", () => {
  test("a shopper sees item and amount, pays, and follows the link back", async ({ service, browser }) => {
    const { page, pageErrors, created } = await openCharge(service, browser, {
      return_url: `${service.url}/healthz`,
    });
    expect(await page.textContent("main")).toContain("$12.50");
    expect(await page.textContent("main")).toContain("100 gems");
    await typeCard(page, page, CARDS.approved);
    await page.click("#pay");
    await page.waitForSelector("#outcome[data-status=succeeded]");
    expect((await service.merchant.charge(created.id)).status).toBe("succeeded");
    expect(await outcomes(service, created.id)).toEqual(["approved"]);
    await page.getByRole("link", { name: "Back to the store" }).click();
    await page.waitForURL(`${service.url}/healthz?charge_id=${created.id}&status=succeeded&locale=en-US`);
    expect(pageErrors).toEqual([]);
  });

  test("a held payment looks paid, and the merchant reads 'authorized'", async ({ service, browser }) => {
    const iconOf = async (capture_method: "automatic" | "manual", status: string) => {
      const return_url = `${service.url}/healthz`;
      const { page, created } = await openCharge(service, browser, { capture_method, return_url });
      await typeCard(page, page, CARDS.approved);
      await page.click("#pay");
      const icon = page.locator(`#outcome[data-status=${status}] .outcome-icon`);
      const color = await icon.evaluate((icon) => getComputedStyle(icon).color);
      expect(await page.textContent("#outcome")).toContain("Payment complete");
      expect(await page.textContent(".summary")).toContain("You paid");
      expect((await service.merchant.charge(created.id)).status).toBe(status);
      await page.waitForURL(`${return_url}?charge_id=${created.id}&status=${status}&locale=en-US`);
      return color;
    };
    expect(await iconOf("manual", "authorized")).toBe(await iconOf("automatic", "succeeded"));
  });

  test.for([
    [CARDS.declined, "generic_decline", null],
    [CARDS.insufficientFunds, "insufficient_funds", null],
    [CARDS.expired, "expired_card", "card-expiry"],
    [CARDS.wrongCode, "incorrect_cvc", "card-security-code"],
    [CARDS.processingError, "processing_error", null],
  ] as const)(
    "%s is declined as %s, and another card pays",
    async ([number, declineCode, wrongField], { service, browser }) => {
      const { page, pageErrors, created } = await openCharge(service, browser);
      await typeCard(page, page, number);
      await page.click("#pay");
      await page.waitForSelector("#outcome[data-status=failed]");
      expect(await service.merchant.charge(created.id)).toMatchObject({
        status: "failed",
        decline_code: declineCode,
      });
      expect((await field(page, "card-number").inputValue()).replaceAll(" ", "")).toBe(number);
      if (wrongField !== null) {
        const focused = await page.evaluate(() => document.activeElement?.id);
        expect(focused).toBe(wrongField);
      }

      await typeCard(page, page, CARDS.mastercard);
      await page.keyboard.press("Enter");
      await page.waitForSelector("#outcome[data-status=succeeded]");
      expect((await service.merchant.charge(created.id)).status).toBe("succeeded");
      expect(await outcomes(service, created.id)).toEqual(["declined", "approved"]);
      expect(pageErrors).toEqual([]);
    },
  );

  test("a reopened page of a paid charge shows that it is paid", async ({ service, browser }) => {
    const { page, created } = await openCharge(service, browser);
    await typeCard(page, page, CARDS.approved);
    await page.click("#pay");
    await page.waitForSelector("#outcome[data-status=succeeded]");
    await page.reload();
    await page.waitForSelector("#outcome[data-status=succeeded]");
    expect(await page.locator("#pay").count()).toBe(0);
    expect(await outcomes(service, created.id)).toEqual(["approved"]);
  });

  test("pressing pay twice, and in two windows, charges once", async ({ service, browser }) => {
    const { page, created } = await openCharge(service, browser);
    const second = await openPage(browser);
    await second.page.goto(created.url);
    await Promise.all([
      typeCard(page, page, CARDS.approved).then(() => page.dblclick("#pay")),
      typeCard(second.page, second.page, CARDS.mastercard).then(() => second.page.click("#pay")),
    ]);
    for (const window of [page, second.page]) {
      await window.waitForSelector("#outcome[data-status=succeeded]");
    }
    expect(await outcomes(service, created.id)).toEqual(["approved"]);
  });

  test("a link without its client secret shows an error", async ({ service, browser }) => {
    const created = await service.merchant.createCharge();
    const { page } = await openPage(browser);
    await page.goto(created.url.split("#")[0] ?? "");
    await page.waitForSelector("#outcome[data-status=incomplete_link]");
    expect(await page.locator("#pay").count()).toBe(0);
    // The shopper puts the whole link into the same window, where only its fragment is new.
    await page.evaluate((url) => location.assign(url), created.url);
    await page.waitForSelector("#pay");
    expect(await page.evaluate(() => location.hash)).toBe("");
  });
});
