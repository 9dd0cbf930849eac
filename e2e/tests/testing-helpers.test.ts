// `@cardform/testing`, the helpers for merchants' own browser tests, with Playwright.

import { readFileSync } from "node:fs";
import { challenge, fillCard, pay, TEST_CARDS } from "@cardform/testing";
import type { Browser } from "playwright-core";
import { describe, expect } from "vitest";

import type { Cardform } from "../../sdk/js/src/index.ts";
import { openPage } from "../src/browser.ts";
import { openWithSdk } from "../src/form-page.ts";
import type { Service } from "../src/service.ts";
import { field, formIn } from "../src/shopper.ts";
import { test } from "../src/test.ts";

const REST = { expiry: "12/30", securityCode: "123" };
const SHOP_BUTTON = { button: "#pay-in-shop" };

interface ListedTestCard {
  readonly number: string;
  readonly label: string;
  readonly outcome: string;
}

/** What the simulator does with each of the helpers' cards. */
const OUTCOMES: Readonly<Record<keyof typeof TEST_CARDS, string>> = {
  approved: "approved",
  mastercard: "approved",
  americanExpress: "approved",
  challenge: "approved",
  challengeThenDeclined: "generic_decline",
  frictionless: "approved",
  declined: "generic_decline",
  insufficientFunds: "insufficient_funds",
  expiredCard: "expired_card",
  incorrectSecurityCode: "incorrect_cvc",
  processingError: "processing_error",
};

test("the test cards do what their names say, and the README has them all", async ({ service }) => {
  const answer = await fetch(new URL("/demo/test-cards", service.url));
  const listed = (await answer.json()) as ListedTestCard[];
  const readme = readFileSync(new URL("../../sdk/testing/README.md", import.meta.url), "utf8");
  for (const [name, number] of Object.entries(TEST_CARDS)) {
    const outcome = listed.find((card) => card.number === number)?.outcome;
    expect([name, outcome]).toEqual([name, OUTCOMES[name as keyof typeof TEST_CARDS]]);
    const row = readme.split("\n").find((line) => line.startsWith(`| \`${name}\``));
    expect(row).toContain(`\`${number}\``);
  }
});

describe("in a merchant's page", () => {
  async function openShop(service: Service, browser: Browser) {
    const { page, pageErrors } = await openPage(browser);
    await page.goto(service.shop);
    return { page, pageErrors };
  }

  test("a card is filled in and pays", async ({ service, browser }) => {
    const { page, pageErrors } = await openShop(service, browser);
    await fillCard(page, { number: TEST_CARDS.approved, ...REST });
    expect(await pay(page, SHOP_BUTTON)).toEqual({ status: "succeeded" });
    await page.waitForSelector("#shop-outcome[data-status=succeeded]");
    expect(pageErrors).toEqual([]);
  });

  test("a frame can be named, and a declined card is replaced", async ({ service, browser }) => {
    const { page } = await openShop(service, browser);
    await fillCard(page.frameLocator("#card-form iframe"), { number: TEST_CARDS.insufficientFunds, ...REST });
    const declined = await pay(page, SHOP_BUTTON);
    expect(declined).toMatchObject({ status: "failed", declineCode: "insufficient_funds" });
    expect(declined.message).toContain("enough funds");
    await fillCard(page, { number: TEST_CARDS.mastercard, ...REST }, { frame: "#card-form iframe" });
    expect((await pay(page, SHOP_BUTTON)).status).toBe("succeeded");
  });

  test("a field that the form does not have ends the filling in time", async ({ service, browser }) => {
    const { page } = await openShop(service, browser);
    await field(formIn(page), "card-number").waitFor();
    page.setDefaultTimeout(0);
    await expect(fillCard(page, { ...REST, holderName: "Ana" }, { timeoutMs: 2_000 })).rejects.toThrow(
      "#card-holder-name could not be filled in within 2000 ms",
    );
  });

  test("an empty form is not ready", async ({ service, browser }) => {
    const { page } = await openShop(service, browser);
    await field(formIn(page), "card-number").waitFor();
    expect(await pay(page, SHOP_BUTTON)).toEqual({ status: "not-ready" });
  });

  test.for([
    ["pass", TEST_CARDS.challenge, { status: "succeeded" }],
    ["fail", TEST_CARDS.challenge, { status: "failed", declineCode: "authentication_failed" }],
    ["cancel", TEST_CARDS.challenge, { status: "failed", declineCode: "authentication_canceled" }],
    ["pass", TEST_CARDS.challengeThenDeclined, { status: "failed", declineCode: "generic_decline" }],
  ] as const)("a challenge: %s with %s", async ([answer, number, result], { service, browser }) => {
    const { page } = await openShop(service, browser);
    await fillCard(page, { number, ...REST });
    expect(await pay(page, SHOP_BUTTON)).toEqual({ status: "challenge" });
    expect(await challenge(page, answer)).toMatchObject(result);
  });

  test("a card is saved, and a returning shopper pays with a new one", async ({ service, browser }) => {
    const { page } = await openShop(service, browser);
    await fillCard(page, { number: TEST_CARDS.approved, ...REST, save: true });
    await pay(page, SHOP_BUTTON);
    await page.reload();
    await formIn(page).getByRole("radio").waitFor();
    await fillCard(page, { number: TEST_CARDS.americanExpress, expiry: "12/30", securityCode: "1234" });
    expect((await pay(page, SHOP_BUTTON)).status).toBe("succeeded");
  });

  test("a page without a form is reported in words", async ({ browser, merchant }) => {
    const { page } = await openPage(browser);
    await page.goto(merchant.url);
    await expect(fillCard(page, { number: TEST_CARDS.approved }, { timeoutMs: 100 })).rejects.toThrow(
      "the card form did not appear within 100 ms",
    );
    await expect(pay(page, { timeoutMs: 100 })).rejects.toThrow("the pay button #pay did not appear");
  });

  test("a page of another origin, without React, is filled in", async ({ service, browser, merchant }) => {
    const { payload, client_secret: clientSecret } = await service.merchant.createCharge();
    const shop = await openWithSdk(await openPage(browser), merchant.url, {
      url: service.url,
      payload,
      clientSecret,
    });
    await fillCard(shop.page, { number: TEST_CARDS.frictionless, ...REST });
    expect((await shop.submit()).status).toBe("succeeded");
  });
});

/** Runs in each document before its scripts: the shop's checkout is in a dialog of its own, with a pay button. */
function payInDialog(): void {
  if (window.parent !== window) return;
  document.addEventListener("DOMContentLoaded", () => {
    const dialog = document.createElement("dialog");
    const pay = Object.assign(document.createElement("button"), { id: "pay", textContent: "Pay" });
    pay.addEventListener("click", () => (window as unknown as { form: Cardform }).form.submit());
    dialog.append(document.createElement("button"), document.querySelector("main") ?? "", pay);
    document.body.append(dialog);
    dialog.showModal();
  });
}

test("an unknown outcome in the form's result is no failure", async ({ browser }) => {
  const { page } = await openPage(browser);
  await page.setContent("<button id=pay>Pay</button>");
  await page.evaluate(() => {
    const told = { source: "cardform", type: "processing-result", success: false, status: "outcome_unknown" };
    document.querySelector("#pay")?.addEventListener("click", () => window.postMessage(told, "*"));
  });
  expect(await pay(page)).toEqual({ status: "outcome_unknown" });
});

test("a checkout in a dialog of the shop's is not taken for the bank's", async ({
  service,
  browser,
  merchant,
}) => {
  const { payload, client_secret: clientSecret } = await service.merchant.createCharge();
  const watched = await openPage(browser);
  await watched.page.addInitScript(payInDialog);
  const { page } = await openWithSdk(watched, merchant.url, { url: service.url, payload, clientSecret });
  await fillCard(page, { number: TEST_CARDS.challenge, ...REST });
  expect(await pay(page, { timeoutMs: 10_000 })).toEqual({ status: "challenge" });
  expect(await challenge(page, "cancel", { timeoutMs: 10_000 })).toMatchObject({
    declineCode: "authentication_canceled",
  });
  expect(await pay(page)).toEqual({ status: "challenge" });
  expect(await challenge(page, "pass")).toEqual({ status: "succeeded" });
});

describe("on the payment page", () => {
  async function open(service: Service, browser: Browser) {
    const charge = await service.merchant.createCharge();
    const { page } = await openPage(browser);
    await page.goto(charge.url);
    return { page, id: charge.id };
  }

  test("not ready, declined, then paid after the bank's question", async ({ service, browser }) => {
    const { page, id } = await open(service, browser);
    await page.waitForFunction(() => window.cardformVersion !== undefined);
    expect(await pay(page)).toEqual({ status: "not-ready" });
    await fillCard(page, { number: TEST_CARDS.declined, ...REST });
    expect(await pay(page)).toMatchObject({ status: "failed" });
    await fillCard(page, { number: TEST_CARDS.challenge, ...REST });
    expect(await pay(page)).toEqual({ status: "challenge" });
    expect(await challenge(page, "cancel")).toMatchObject({ status: "failed" });
    await fillCard(page, { number: TEST_CARDS.challenge, ...REST });
    expect(await pay(page)).toEqual({ status: "challenge" });
    expect(await challenge(page, "pass")).toEqual({ status: "succeeded" });
    expect((await service.merchant.charge(id)).status).toBe("succeeded");
  });
});
