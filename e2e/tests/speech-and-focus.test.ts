// What a screen reader says while a shopper pays, and where the focus is meanwhile.

import type { FrameLocator, Page } from "playwright-core";
import { describe, expect } from "vitest";

import { holdRequests, openPage } from "../src/browser.ts";
import { saveCard, savedCardsCharge } from "../src/save-card.ts";
import { CARDS, field, typeCard } from "../src/shopper.ts";
import { test } from "../src/test.ts";

const focused = (page: Page) =>
  page.evaluate(() => document.activeElement?.id || document.activeElement?.tagName);

/** Records each text that appears in a live region of the payment page. */
async function recordSpeech(page: Page): Promise<() => Promise<string[]>> {
  await page.evaluate(() => {
    const said: string[] = [];
    Object.assign(window, { said });
    const regions = () => [...document.querySelectorAll("[role=status], [role=alert]")];
    const last = new Map(regions().map((region) => [region, region.textContent ?? ""]));
    new MutationObserver(() => {
      for (const region of regions()) {
        const text = region.textContent ?? "";
        if (text !== (last.get(region) ?? "") && text !== "") {
          said.push(text);
        }
        last.set(region, text);
      }
    }).observe(document.body, { childList: true, characterData: true, subtree: true });
  });
  return () => page.evaluate(() => (window as unknown as { said: string[] }).said);
}

describe("on the payment page", () => {
  test("paying by Enter keeps the focus, and the wait is spoken", async ({ service, browser }) => {
    const { url } = await service.merchant.createCharge();
    const { page, pageErrors } = await openPage(browser);
    const release = await holdRequests(page, "**/v1/pub/direct/charges");
    await page.goto(url);
    await typeCard(page, page, CARDS.approved);
    await page.getByText("Visa card", { exact: true }).waitFor({ state: "attached" });
    const said = await recordSpeech(page);
    expect(await page.title()).toMatch(/^Pay \$12\.50 – ./);
    await page.keyboard.press("Enter");
    await expect.poll(said).toEqual(["Paying…"]);
    expect(await page.locator("[aria-busy=true] #outcome-news").count()).toBe(0);
    expect(await focused(page)).toBe("card-security-code");
    // A text that is being sent cannot be changed, and not be undone.
    await page.keyboard.type("9");
    await page.keyboard.press("ControlOrMeta+z");
    expect(await field(page, "card-security-code").inputValue()).toBe("123");
    release();
    await page.waitForSelector("#outcome[data-status=succeeded]");
    const text = (await page.textContent(".outcome-text")) ?? "";
    expect(text).toContain("Thank you");
    await expect.poll(said).toEqual(["Paying…", text]);
    expect(await page.title()).toMatch(/^Payment complete – ./);
    expect(pageErrors).toEqual([]);
  });

  test("a second Enter does not cancel the challenge", async ({ service, browser }) => {
    const { url } = await service.merchant.createCharge();
    const { page, pageErrors } = await openPage(browser);
    await page.goto(url);
    await typeCard(page, page, CARDS.challenge);
    await page.getByText("Visa card", { exact: true }).waitFor({ state: "attached" });
    const said = await recordSpeech(page);
    await page.keyboard.press("Enter");
    await page.frameLocator("dialog iframe").locator("#approve").waitFor();
    expect(await focused(page)).toBe("challenge-title");
    await page.keyboard.press("Enter");
    expect(await page.locator("dialog[open]").count()).toBe(1);
    // Nothing tells the shopper that the payment is being checked, because the bank's question is open.
    expect(await said()).toEqual(["Paying…"]);
    expect(await page.locator("#outcome").count()).toBe(0);
    await page.keyboard.press("Escape");
    await page.waitForSelector("#outcome[data-status=failed]");
    expect(await focused(page)).toBe("card-security-code");
    expect(pageErrors).toEqual([]);
  });

  test("a declined payment is said once", async ({ service, browser }) => {
    const { url } = await service.merchant.createCharge();
    const { page } = await openPage(browser);
    await page.goto(url);
    await typeCard(page, page, CARDS.insufficientFunds);
    await page.getByText("Visa card", { exact: true }).waitFor({ state: "attached" });
    const said = await recordSpeech(page);
    await page.keyboard.press("Enter");
    await page.waitForSelector("#outcome[data-status=failed]");
    const failure = (await page.textContent("#outcome")) ?? "";
    await expect.poll(said).toEqual(["Paying…", failure]);
  });

  test("the first missing field is read, not said again", async ({ service, browser }) => {
    const { url } = await service.merchant.createCharge();
    const { page } = await openPage(browser);
    await page.goto(url);
    await page.waitForSelector("#language");
    const said = await recordSpeech(page);
    await page.click("#pay");
    expect(await focused(page)).toBe("card-number");
    const error = (id: string) => page.textContent(`#${id}-error`);
    const others = `${await error("card-expiry")} ${await error("card-security-code")}`;
    await expect.poll(said).toEqual([others]);
  });
});

describe("in a merchant's page", () => {
  test("a second Enter does not cancel, and the focus comes back", async ({ service, browser }) => {
    const { page, pageErrors } = await openPage(browser);
    await page.goto(service.shop);
    // The bank's page is in a frame, too.
    const form = page.frameLocator("iframe[name^=cardform-]");
    await field(form, "card-number").waitFor();
    await typeCard(form, page, CARDS.challenge);
    await page.keyboard.press("Enter");
    const bank = page.frameLocator("dialog iframe");
    await bank.locator("#approve").waitFor();
    expect(await focused(page)).toBe("H2");
    expect(await spokenIn(form)).toBe("Paying…");
    await page.keyboard.press("Enter");
    expect(await page.locator("dialog[open]").count()).toBe(1);
    await page.keyboard.press("Tab");
    const ring = await page.evaluate(() => {
      const { outlineOffset, outlineWidth, fontFamily } = getComputedStyle(document.activeElement as Element);
      const dialog = getComputedStyle(document.querySelector("dialog") as Element);
      return {
        inside: -parseFloat(outlineOffset) >= parseFloat(outlineWidth),
        fontFamily,
        dialog: dialog.fontFamily,
      };
    });
    expect(ring.inside).toBe(true);
    expect(ring.fontFamily).toBe(ring.dialog);
    await page.keyboard.press("Escape");
    await page.waitForSelector("#shop-outcome[data-status=failed]");
    await expect.poll(() => focused(page)).toBe("IFRAME");
    const inForm = form.locator("body").evaluate((body) => body.ownerDocument.activeElement?.id);
    expect(await inForm).toBe("card-security-code");
    expect(pageErrors).toEqual([]);
  });
});

const spokenIn = (form: FrameLocator) => form.locator("#outcome-news").textContent();

describe("saved cards", () => {
  test("are named without dots, on radios, buttons and receipt", async ({ service, browser }) => {
    const charge = savedCardsCharge();
    await saveCard(service, charge, CARDS.approved);
    const { url } = await service.merchant.createCharge(charge);
    const { page } = await openPage(browser);
    await page.goto(url);
    const radio = page.getByRole("radio", { name: "Visa, ending in 4242, expires 12/34", exact: true });
    await radio.waitFor();
    expect(await page.getByRole("button", { name: "Visa, ending in 4242" }).count()).toBe(1);
    await page.locator("[id$=-security-code]").fill("123");
    await page.click("#pay");
    await page.waitForSelector("#receipt");
    expect(await page.locator("#receipt").ariaSnapshot()).toContain("Visa, ending in 4242");
    expect(await page.locator("#receipt").ariaSnapshot()).not.toContain("•");
    await page.context().close();
  });

  test("that have all expired lead to a new card when pay is pressed", async ({ service, browser }) => {
    const charge = savedCardsCharge();
    await saveCard(service, charge, CARDS.mastercard, "123", "1230");
    const { url } = await service.merchant.createCharge(charge);
    const { page, pageErrors } = await openPage(browser);
    // Years after the card was saved.
    await page.clock.setFixedTime(new Date("2032-06-15T12:00:00Z"));
    await page.goto(url);
    await page.click("#pay-with-saved-card");
    const said = await recordSpeech(page);
    await page.click("#pay");
    await page.waitForSelector("#saved-cards-error");
    expect(await focused(page)).toBe("card-number");
    await expect.poll(said).toContain("This card can no longer be used. Pay with a new card.");
    expect(pageErrors).toEqual([]);
    await page.context().close();
  });

  test("that could not be loaded are loaded again by a button", async ({ service, browser }) => {
    const charge = savedCardsCharge();
    await saveCard(service, charge, CARDS.approved);
    const { url } = await service.merchant.createCharge(charge);
    const { page } = await openPage(browser);
    await page.route("**/payment-methods?*", (route) => route.fulfill({ status: 500, json: {} }));
    await page.goto(url);
    const again = page.getByRole("button", { name: "Try again" });
    await again.waitFor();
    await page.unroute("**/payment-methods?*");
    await again.click();
    await page.getByRole("radio").waitFor();
    expect(await page.locator("#saved-cards-error").count()).toBe(0);
    // The pressed button is gone, and the focus is at what replaced it.
    expect(await focused(page)).toBe("pay-with-new-card");
    await page.context().close();
  });
});
