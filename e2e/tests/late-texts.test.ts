// A form's document leaves out the texts of what comes after the press of the pay button. They are loaded once the form can
// be used. Whatever becomes of them, no shopper sees a text that is missing: the page reports one as an error, and a page
// with errors fails its test.

import type { Page } from "playwright-core";
import { describe, expect } from "vitest";

import { LATE_TEXTS } from "../../form/late-texts.ts";
import english from "../../locales/en-US.json" with { type: "json" };
import french from "../../locales/fr-FR.json" with { type: "json" };
import { holdRequests, openPage } from "../src/browser.ts";
import { paymentPage } from "../src/form-page.ts";
import { saveCard, savedCardsCharge } from "../src/save-card.ts";
import { CARDS, field, typeCard } from "../src/shopper.ts";
import { test } from "../src/test.ts";

const TEXTS = "**/locales/*/*.json";
/** Longer than all pauses between the page's tries to load something. */
const ALL_TRIES_MS = 30_000;

/** The keys of the texts in the document at `url`. */
async function textsAt(url: string): Promise<string[]> {
  const html = await (await fetch(url)).text();
  const data = html.match(/<script type="application\/json" id="page">(.*?)<\/script>/s)?.[1] ?? "";
  return Object.keys(JSON.parse(data).context.messages).sort();
}

/** Passes the time in which the page tries again, step by step, so that each try can fail. */
async function passAllTries(page: Page, isOver: () => Promise<boolean>) {
  await expect
    .poll(async () => {
      await page.clock.runFor(ALL_TRIES_MS / 10);
      return isOver();
    })
    .toBe(true);
}

test("a form's document has the other texts, an error page's all", async ({ service }) => {
  const late: readonly string[] = LATE_TEXTS;
  const all = Object.keys(english).sort();
  expect(await textsAt(await paymentPage(service))).toEqual(all.filter((key) => !late.includes(key)));
  expect(await textsAt(`${service.url}/?payload=nothing`)).toEqual(all);
});

describe("while the late texts cannot be loaded", () => {
  test("a press says that nothing was paid, and a later press pays", async ({ service, browser }) => {
    const { page } = await openPage(browser, { locale: "fr-FR" });
    await page.route(TEXTS, (route) => route.abort());
    await page.clock.install();
    const { id, url } = await service.merchant.createCharge();
    await page.goto(url);
    await field(page, "card-number").click();
    await page.keyboard.type(CARDS.mistyped);
    await page.keyboard.press("Tab");
    expect(await field(page, "card-number-error").textContent()).toBe(french.CardNumber_Invalid);
    await typeCard(page, page, CARDS.approved);
    await page.click("#pay");
    const told = page.locator("#outcome[data-status=failed]");
    await passAllTries(page, () => told.isVisible());
    expect(await told.textContent()).toBe(french.offline);
    expect((await service.ledger()).filter(({ charge_id }) => charge_id === id)).toEqual([]);

    await page.unroute(TEXTS);
    await page.click("#pay");
    await page.waitForSelector("#outcome[data-status=succeeded]");
    expect(await page.textContent(".outcome-title")).toBe(french.outcome_succeeded);
  });

  test("saved cards are not shown, and a new card's fields are", async ({ service, browser }) => {
    const charge = savedCardsCharge();
    await saveCard(service, charge, CARDS.approved);
    const { page } = await openPage(browser);
    await page.route(TEXTS, (route) => route.fulfill({ status: 503 }));
    await page.clock.install();
    await page.goto(await paymentPage(service, {}, charge));
    await passAllTries(page, () => page.locator("#saved-cards-error").isVisible());
    expect(await page.textContent("#saved-cards-error span")).toBe(english.saved_cards_error);
    await field(page, "card-number").waitFor();
    expect(await page.getByRole("radio").count()).toBe(0);
  });
});

test("a press before the late texts are there waits for them", async ({ service, browser }) => {
  const { page } = await openPage(browser);
  const release = await holdRequests(page, TEXTS);
  await page.goto(await paymentPage(service));
  await typeCard(page, page, CARDS.insufficientFunds);
  await page.click("#pay");
  await page.locator("#pay", { hasText: english.paying }).waitFor();
  release();
  await page.waitForSelector("#outcome[data-status=failed]");
  expect(await page.textContent("#outcome")).toBe(english.insufficient_funds);
});
