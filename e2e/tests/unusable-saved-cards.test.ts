// Saved cards that can no longer pay because they have expired or were removed: the form tells the shopper and offers the
// new-card form.

import type { Browser, Page } from "playwright-core";
import { describe, expect } from "vitest";

import type { CreateCharge } from "../../form/generated/wire.ts";
import { openPage } from "../src/browser.ts";
import { openEmbedded } from "../src/form-page.ts";
import { saveCard, savedCardsCharge } from "../src/save-card.ts";
import type { Service } from "../src/service.ts";
import { CARDS, field, typeCard } from "../src/shopper.ts";
import { test } from "../src/test.ts";

const UNUSABLE = "This card can no longer be used. Pay with a new card.";
/** A time years after the cards were saved, for the page's clock. */
const LATER = new Date("2032-06-15T12:00:00Z");

async function openCharge(service: Service, browser: Browser, charge: Partial<CreateCharge>, clock?: Date) {
  const created = await service.merchant.createCharge(charge);
  const { page, pageErrors } = await openPage(browser);
  if (clock) {
    await page.clock.setFixedTime(clock);
  }
  await page.goto(created.url);
  return { page, pageErrors, created };
}

const rowOf = (page: Page, lastFour: string) => page.locator(".saved-card", { hasText: lastFour });

async function approvals(service: Service, chargeId: string): Promise<number> {
  const entries = (await service.ledger()).filter((entry) => entry.charge_id === chargeId);
  return entries.filter((entry) => entry.outcome === "approved").length;
}

/** Removes the shopper's only card in another window. */
async function removeElsewhere(
  service: Service,
  browser: Browser,
  charge: Partial<CreateCharge>,
): Promise<void> {
  const { page } = await openCharge(service, browser, charge);
  const deleted = page.waitForResponse((response) => response.request().method() === "DELETE");
  await page.locator("[id$=-remove]").click();
  await page.click("#remove-card-confirm");
  expect((await deleted).ok()).toBe(true);
  await page.context().close();
}

describe("an expired saved card", () => {
  test("is marked, and the next one is selected", async ({ service, browser }) => {
    const charge = savedCardsCharge();
    await saveCard(service, charge, CARDS.approved);
    await saveCard(service, charge, CARDS.mastercard, "123", "1230");
    const { page, pageErrors } = await openCharge(service, browser, charge, LATER);
    const expired = rowOf(page, "4444");
    await expired.waitFor();
    expect(await expired.textContent()).toContain("Expired");
    expect(await rowOf(page, "4242").getByRole("radio").isChecked()).toBe(true);
    expect(await rowOf(page, "4242").textContent()).not.toContain("Expired");
    // The shopper can still remove the expired card.
    await expired.locator("[id$=-remove]").click();
    expect(await page.textContent("#remove-card-message")).toContain("4444");
    expect(pageErrors).toEqual([]);
    await page.context().close();
  });

  test("pays with its new date, which it keeps", async ({ service, browser }) => {
    const charge = savedCardsCharge();
    await saveCard(service, charge, CARDS.mastercard, "123", "1230");
    const { page, pageErrors, created } = await openCharge(service, browser, charge, LATER);
    await page.click("#pay-with-saved-card");
    const expired = rowOf(page, "4444");
    await expired.getByRole("radio").check();
    await page.click("#pay");
    expect(await expired.locator("[id$=-expiry]").evaluate((input) => input === document.activeElement)).toBe(
      true,
    );
    await page.keyboard.type("1134");
    // The focus moves on to the security code.
    await page.keyboard.type("123");
    await page.click("#pay");
    await page.waitForSelector("#outcome[data-status=succeeded]");
    expect(await approvals(service, created.id)).toBe(1);
    const again = await openCharge(service, browser, charge, LATER);
    const row = rowOf(again.page, "4444");
    await row.waitFor();
    expect(await row.textContent()).toContain("11/34");
    expect(await row.getByRole("radio").isChecked()).toBe(true);
    expect([...pageErrors, ...again.pageErrors]).toEqual([]);
    await page.context().close();
    await again.page.context().close();
  });

  test("as the only one is replaced by the new-card form, which pays", async ({ service, browser }) => {
    const charge = savedCardsCharge();
    await saveCard(service, charge, CARDS.mastercard, "123", "1230");
    const { page, pageErrors, created } = await openCharge(service, browser, charge, LATER);
    const savedCardsButton = page.locator("#pay-with-saved-card");
    await savedCardsButton.waitFor();
    expect(await field(page, "card-number").isVisible()).toBe(true);
    await typeCard(page, page, CARDS.approved);
    await page.click("#pay");
    await page.waitForSelector("#outcome[data-status=succeeded]");
    expect(await approvals(service, created.id)).toBe(1);
    expect(pageErrors).toEqual([]);
    await page.context().close();
  });
});

describe("a saved card that was removed elsewhere", () => {
  test("cannot pay on the payment page, but a new card can", async ({ service, browser }) => {
    const charge = savedCardsCharge();
    await saveCard(service, charge, CARDS.approved);
    const { page, created } = await openCharge(service, browser, charge);
    await page.getByRole("radio").first().waitFor();
    await removeElsewhere(service, browser, charge);
    await page.locator("[id$=-security-code]").fill("123");
    await page.click("#pay");
    await page.waitForSelector("#saved-cards-error");
    expect(await page.textContent("#saved-cards-error")).toContain(UNUSABLE);
    expect(await page.getByRole("radio").count()).toBe(0);
    await expect.poll(() => page.evaluate(() => document.activeElement?.id)).toBe("card-number");
    await typeCard(page, page, CARDS.mastercard);
    await page.click("#pay");
    await page.waitForSelector("#outcome[data-status=succeeded]");
    expect(await approvals(service, created.id)).toBe(1);
    await page.context().close();
  });

  test("has its own error code in a merchant's page, and a new card pays", async ({
    service,
    browser,
    merchant,
  }) => {
    const charge = savedCardsCharge();
    await saveCard(service, charge, CARDS.approved);
    const embedded = await openEmbedded(service, browser, merchant, {}, { charge });
    const { page, form, created, received, post } = embedded;
    const clientSecret = created.client_secret;
    await post({ type: "client-secret-response", client_secret: clientSecret });
    await form.getByRole("radio").first().waitFor();
    await removeElsewhere(service, browser, charge);
    await form.locator("[id$=-security-code]").fill("123");
    const results = async () => (await received()).filter(({ type }) => type === "processing-result");
    await post({ type: "submit-ready", client_secret: clientSecret });
    await expect
      .poll(results)
      .toMatchObject([{ success: false, error_code: "payment-method-not-found", message: UNUSABLE }]);
    expect(await form.locator("#saved-cards-error").textContent()).toContain(UNUSABLE);
    await typeCard(form, page, CARDS.mastercard);
    await post({ type: "submit-ready", client_secret: clientSecret });
    await expect.poll(async () => (await results()).at(-1)?.success, { timeout: 20_000 }).toBe(true);
    expect(await approvals(service, created.id)).toBe(1);
    await page.context().close();
  });
});
