// A shopper saves a card, pays with it, chooses between saved cards and removes them, on the payment page and in a
// merchant's page.

import type { Browser, Page } from "playwright-core";
import { describe, expect } from "vitest";

import type { CreateCharge } from "../../form/generated/wire.ts";
import { holdRequests, openPage } from "../src/browser.ts";
import { openEmbedded } from "../src/form-page.ts";
import { saveCard, savedCardsCharge } from "../src/save-card.ts";
import type { Service } from "../src/service.ts";
import { CARDS, field, typeCard } from "../src/shopper.ts";
import { test } from "../src/test.ts";

async function openCharge(service: Service, browser: Browser, charge: Partial<CreateCharge>) {
  const created = await service.merchant.createCharge(charge);
  const { page, pageErrors } = await openPage(browser);
  await page.goto(created.url);
  await page.waitForFunction(() => window.cardformVersion !== undefined);
  return { page, pageErrors, created };
}

const radios = (page: Page) => page.getByRole("radio");
const checkedName = (page: Page) => page.locator(".saved-card[data-selected=true] .saved-card-name");
const codeInput = (page: Page) => page.locator("[id^=saved-card-][id$=-security-code]");
const focusedId = (page: Page) => page.evaluate(() => document.activeElement?.id ?? "");

async function approvals(service: Service, chargeId: string) {
  const entries = (await service.ledger()).filter((entry) => entry.charge_id === chargeId);
  return entries.filter((entry) => entry.outcome === "approved");
}

describe("on the payment page", () => {
  test("a saved card is offered first the next time, and pays by keyboard", async ({ service, browser }) => {
    const charge = savedCardsCharge();
    const first = (await openCharge(service, browser, charge)).page;
    await typeCard(first, first, CARDS.approved);
    await first.locator("#save-card").check();
    await first.click("#pay");
    await first.waitForSelector("#outcome[data-status=succeeded]");
    const { page, pageErrors, created } = await openCharge(service, browser, charge);
    await radios(page).first().waitFor();
    expect(await checkedName(page).textContent()).toBe("Visa •••• 4242");
    expect(await field(page, "card-number").count()).toBe(0);

    await page.keyboard.press("Tab");
    expect(await focusedId(page)).toMatch(/^saved-card-[^-]+$/);
    await page.keyboard.press("Tab");
    expect(await focusedId(page)).toMatch(/-security-code$/);
    await page.keyboard.type("123");
    await page.keyboard.press("Enter");
    await page.waitForSelector("#outcome[data-status=succeeded]");
    expect(await approvals(service, created.id)).toHaveLength(1);
    expect(pageErrors).toEqual([]);
  });

  test("a new card instead of a saved one pays by keyboard alone", async ({ service, browser }) => {
    const charge = savedCardsCharge();
    await saveCard(service, charge, CARDS.approved);
    const { page, created } = await openCharge(service, browser, charge);
    await radios(page).first().waitFor();
    await page.locator("#pay-with-new-card").focus();
    await page.keyboard.press("Enter");
    expect(await focusedId(page)).toBe("card-number");
    // The focus moves to the next field when a field is complete.
    await page.keyboard.type(CARDS.mastercard);
    await page.keyboard.type("1234");
    await page.keyboard.type("123");
    await page.keyboard.press("Enter");
    await page.waitForSelector("#outcome[data-status=succeeded]");
    expect(await approvals(service, created.id)).toHaveLength(1);
  });

  test("paying with a saved card asks for its security code", async ({ service, browser }) => {
    const charge = savedCardsCharge();
    await saveCard(service, charge, CARDS.approved);
    const { page } = await openCharge(service, browser, charge);
    await radios(page).first().waitFor();
    await page.click("#pay");
    expect(await focusedId(page)).toMatch(/-security-code$/);
    expect(await codeInput(page).getAttribute("data-state")).toBe("Empty");
    expect(await page.getByText("CVV is required.", { exact: true }).first().isVisible()).toBe(true);
  });

  test("choosing another card, or a new one, forgets the security code", async ({ service, browser }) => {
    const charge = savedCardsCharge();
    await saveCard(service, charge, CARDS.approved);
    await saveCard(service, charge, CARDS.mastercard);
    const { page } = await openCharge(service, browser, charge);
    await radios(page).first().waitFor();
    expect(await radios(page).count()).toBe(2);
    await codeInput(page).fill("123");
    await radios(page).nth(1).check();
    expect(await codeInput(page).inputValue()).toBe("");
    await codeInput(page).fill("123");
    await page.click("#pay-with-new-card");
    await page.click("#pay-with-saved-card");
    expect(await codeInput(page).inputValue()).toBe("");
    expect(await radios(page).first().isChecked()).toBe(true);
  });

  test("a removed card is gone the next time; removing asks first", async ({ service, browser }) => {
    const charge = savedCardsCharge();
    await saveCard(service, charge, CARDS.approved);
    await saveCard(service, charge, CARDS.mastercard);
    const { page, pageErrors } = await openCharge(service, browser, charge);
    await radios(page).first().waitFor();
    const remove = page.locator("[id$=-remove]").first();
    await remove.click();
    await page.waitForSelector("#remove-card-dialog[open]");
    expect(await page.textContent("#remove-card-message")).toContain("4444");
    await page.click("#remove-card-cancel");
    expect(await radios(page).count()).toBe(2);
    expect(await focusedId(page)).toBe(await remove.getAttribute("id"));

    const deleted = page.waitForResponse((response) => response.request().method() === "DELETE");
    await remove.click();
    await page.click("#remove-card-confirm");
    expect(await radios(page).count()).toBe(1);
    expect(await page.textContent("#card-removed")).toBe("Card deleted successfully.");
    expect(await focusedId(page)).toMatch(/^saved-card-/);
    expect((await deleted).ok()).toBe(true);
    await page.waitForSelector("#card-removed", { state: "detached" });

    const lastDeleted = page.waitForResponse((response) => response.request().method() === "DELETE");
    await page.locator("[id$=-remove]").first().click();
    await page.click("#remove-card-confirm");
    expect(await focusedId(page)).toBe("card-number");
    await page.click("#card-removed");
    expect(await page.locator("#card-removed").count()).toBe(0);
    expect((await lastDeleted).ok()).toBe(true);
    await page.reload();
    await field(page, "card-number").waitFor();
    expect(await radios(page).count()).toBe(0);
    expect(pageErrors).toEqual([]);
  });

  test("a removal that fails brings the card back and shows an error", async ({ service, browser }) => {
    const charge = savedCardsCharge();
    await saveCard(service, charge, CARDS.approved);
    const { page } = await openCharge(service, browser, charge);
    await radios(page).first().waitFor();
    await page.route("**/v1/pub/payment-methods/*", (route) => route.fulfill({ status: 503, json: {} }));
    await page.locator("[id$=-remove]").click();
    await page.click("#remove-card-confirm");
    await page.waitForSelector("#saved-cards-error");
    expect(await page.textContent("#saved-cards-error")).toContain("could not be removed");
    expect(await page.locator("#card-removed").count()).toBe(0);
    await page.click("#pay-with-saved-card");
    expect(await radios(page).count()).toBe(1);
  });

  test("a list that cannot be loaded shows an error, and a new card pays", async ({ service, browser }) => {
    const charge = savedCardsCharge();
    await saveCard(service, charge, CARDS.mastercard);
    const created = await service.merchant.createCharge(charge);
    const { page } = await openPage(browser);
    await page.route("**/payment-methods?*", (route) => route.fulfill({ status: 500, json: {} }));
    await page.goto(created.url);
    await page.waitForSelector("#saved-cards-error");
    expect(await page.textContent("#saved-cards-error")).toContain("Unable to load payment methods.");
    await typeCard(page, page, CARDS.approved);
    await page.click("#pay");
    await page.waitForSelector("#outcome[data-status=succeeded]");
  });

  test("a list that is loaded again has its whole time", async ({ service, browser }) => {
    const charge = savedCardsCharge();
    await saveCard(service, charge, CARDS.approved);
    const { url } = await service.merchant.createCharge(charge);
    const { page } = await openPage(browser);
    await page.clock.install();
    await page.route("**/payment-methods?*", (route) => route.fulfill({ status: 500, json: {} }));
    await page.goto(url);
    const again = page.getByRole("button", { name: "Try again" });
    await again.waitFor();
    await page.clock.pauseAt((await page.evaluate(() => Date.now())) + 1_000);
    await page.unroute("**/payment-methods?*");
    await holdRequests(page, "**/payment-methods?*");
    await again.click();
    // The first list's three seconds have passed, and not the second one's.
    await page.clock.runFor(2_500);
    expect(await field(page, "card-number").count()).toBe(0);
    await page.clock.runFor(500);
    expect(await field(page, "card-number").count()).toBe(1);
  });

  test("a guest is offered neither saved cards nor saving", async ({ service, browser }) => {
    const { page } = await openCharge(service, browser, {
      enable_save_payment_method: true,
      display_saved_payment_method_list: true,
      eligible_save_payment_methods: true,
    });
    await field(page, "card-number").waitFor();
    expect(await page.locator("#save-card, .saved-cards").count()).toBe(0);
  });
});

describe("in a merchant's page", () => {
  test("the list needs the client secret, and the dialog fits into the frame", async ({
    service,
    browser,
    merchant,
  }) => {
    const charge = savedCardsCharge();
    await saveCard(service, charge, CARDS.approved);
    const { page, form, created, received, post } = await openEmbedded(
      service,
      browser,
      merchant,
      {},
      { charge },
    );
    await expect
      .poll(async () => (await received()).map(({ type }) => type))
      .toContain("request-client-secret");
    await post({ type: "client-secret-response", client_secret: created.client_secret });
    await form.getByRole("radio").first().waitFor();

    // The page sets the frame's height to that of the form's messages, as the SDK does.
    const resize = (await received()).findLast(({ type }) => type === "resize");
    await page.evaluate((height) => {
      const frame = document.querySelector("iframe");
      const setHeight = (px: unknown) => frame && Object.assign(frame.style, { height: `${px}px` });
      window.addEventListener("message", ({ data }) => data.type === "resize" && setHeight(data.height));
      setHeight(height);
    }, resize?.height);
    await form.locator("[id$=-remove]").click();
    const dialog = form.locator("#remove-card-dialog");
    await dialog.waitFor();
    await expect
      .poll(async () => {
        const [frame, inner] = [await page.locator("iframe").boundingBox(), await dialog.boundingBox()];
        return frame && inner && inner.y >= frame.y && inner.y + inner.height <= frame.y + frame.height;
      })
      .toBe(true);
    await form.locator("#remove-card-cancel").click();

    await form.locator("[id$=-security-code]").fill("123");
    await expect
      .poll(async () => (await received()).findLast(({ type }) => type === "form-ready-state"))
      .toMatchObject({ ready: true });
    await post({ type: "submit-ready", client_secret: created.client_secret });
    await expect
      .poll(async () => (await received()).find(({ type }) => type === "processing-result"))
      .toMatchObject({ success: true });
    expect(await approvals(service, created.id)).toHaveLength(1);
    await page.context().close();
  });

  test("without a client secret the new-card form is shown, and no saved card", async ({
    service,
    browser,
    merchant,
  }) => {
    const { page, form } = await openEmbedded(service, browser, merchant, {}, { charge: savedCardsCharge() });
    await form.locator("#card-number").waitFor();
    expect(await form.getByRole("radio").count()).toBe(0);
    await page.context().close();
  });
});
