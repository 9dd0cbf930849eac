// After a payment the payment page leads back to the merchant by itself; after anything else the shopper stays.

import type { Browser, Page } from "playwright-core";
import { describe, expect } from "vitest";

import french from "../../locales/fr-FR.json" with { type: "json" };
import { axeViolations } from "../src/accessibility.ts";
import { openPage } from "../src/browser.ts";
import { advanceClockUntilShown } from "../src/clock.ts";
import { layoutProblems } from "../src/layout-problems.ts";
import type { Service } from "../src/service.ts";
import { CARDS, typeCard } from "../src/shopper.ts";
import { test } from "../src/test.ts";

/** How long a charge may take on a busy machine, device data included. */
const ANSWER_MS_MAX = 20_000;
/** Much longer than the page shows an outcome before it leads back. */
const LONG_MS = 60_000;

async function openCharge(service: Service, browser: Browser, context = {}) {
  const return_url = `${service.url}/healthz?order=a%20b#done`;
  const created = await service.merchant.createCharge({ return_url });
  const { page, pageErrors } = await openPage(browser, context);
  await page.clock.install();
  // The page asks where the charge stands, and so learns of `return_url`.
  const looked = page.waitForResponse(/\/v1\/pub\/charges\//);
  await page.goto(created.url);
  await looked;
  return { page, pageErrors, created };
}

async function pay(page: Page, number: string = CARDS.approved, status = "succeeded"): Promise<void> {
  await typeCard(page, page, number);
  await page.click("#pay");
  await page.waitForSelector(`#outcome[data-status=${status}]`, { timeout: ANSWER_MS_MAX });
}

describe("a paid payment page", () => {
  test("says so, and leads back with charge, status and language", async ({ service, browser }) => {
    const { page, pageErrors, created } = await openCharge(service, browser, { locale: "fr-FR" });
    await pay(page);
    const address =
      `${service.url}/healthz?order=a%20b` + `&charge_id=${created.id}&status=succeeded&locale=fr-FR#done`;
    expect(await page.getAttribute(".outcome-back", "href")).toBe(address);
    expect(await page.textContent(".returning")).toBe(french.returning_to_merchant);
    // A screen reader hears the title, which has the focus, then this.
    expect(await page.textContent("#outcome-news")).toMatch(
      new RegExp(`12,50\\s\\$.* ${french.returning_to_merchant}$`),
    );
    await page.clock.runFor(4_000);
    expect(new URL(page.url()).pathname).not.toBe("/healthz");
    await page.clock.runFor(2_000);
    await page.waitForURL(address);
    expect(pageErrors).toEqual([]);
    // Whoever goes back sees the paid charge, and is not led away again.
    await page.goBack();
    await page.waitForSelector("#outcome[data-status=succeeded]", { timeout: ANSWER_MS_MAX });
    await page.clock.runFor(LONG_MS);
    expect(new URL(page.url()).pathname).not.toBe("/healthz");
    await page.context().close();
  });

  test("stays when the shopper does something, and nothing moves", async ({ service, browser }) => {
    const { page, pageErrors } = await openCharge(service, browser, {
      viewport: { width: 390, height: 844 },
    });
    await pay(page);
    await page.waitForSelector("#receipt");
    expect(await axeViolations(page)).toEqual([]);
    expect(await page.evaluate(layoutProblems)).toEqual([]);
    await page.waitForSelector(".returning");
    const place = () => page.locator(".outcome-back").boundingBox();
    const before = await place();
    await page.keyboard.press("Tab");
    await page.waitForSelector(".returning", { state: "hidden" });
    expect(await place()).toEqual(before);
    await page.clock.runFor(LONG_MS);
    expect(new URL(page.url()).pathname).not.toBe("/healthz");
    await page.click(".outcome-back");
    await page.waitForURL(/\/healthz\?order=a%20b&charge_id=/);
    expect(pageErrors).toEqual([]);
    await page.context().close();
  });

  test("that is opened again stays, with the same link", async ({ service, browser }) => {
    const { page, created } = await openCharge(service, browser);
    await pay(page);
    await page.keyboard.press("Shift");
    await page.reload();
    await page.waitForSelector("#outcome[data-status=succeeded]", { timeout: ANSWER_MS_MAX });
    expect(await page.locator(".returning").count()).toBe(0);
    expect(await page.textContent("#outcome-news")).toBe(await page.textContent(".outcome-text"));
    await page.clock.runFor(LONG_MS);
    expect(new URL(page.url()).pathname).not.toBe("/healthz");
    expect(await page.getAttribute(".outcome-back", "href")).toContain(`charge_id=${created.id}`);
    await page.context().close();
  });

  test("leads back even if the first look at the charge was lost", async ({ service, browser }) => {
    const created = await service.merchant.createCharge({ return_url: `${service.url}/healthz` });
    const { page } = await openPage(browser);
    const isLook = /\/v1\/pub\/charges\/[^/]+$/;
    await page.clock.install();
    await page.route(isLook, (route) => route.fulfill({ status: 502 }), { times: 1 });
    const looked = page.waitForResponse(isLook);
    await page.goto(created.url);
    expect((await looked).status()).toBe(502);
    await pay(page);
    await advanceClockUntilShown(page, page.locator(".returning"));
    await page.clock.runFor(LONG_MS);
    await page.waitForURL(/\/healthz\?charge_id=/);
    await page.context().close();
  });

  test("leads back after the bank's confirmation, too", async ({ service, browser }) => {
    const { page } = await openCharge(service, browser);
    await typeCard(page, page, CARDS.challenge);
    await page.click("#pay");
    await page.frameLocator("dialog iframe").locator("#approve").click({ timeout: ANSWER_MS_MAX });
    await advanceClockUntilShown(page, page.locator(".returning"));
    await page.clock.runFor(LONG_MS);
    await page.waitForURL(/\/healthz\?order=a%20b&charge_id=/);
    await page.context().close();
  });
});

test("after a decline the shopper stays", async ({ service, browser }) => {
  const { page } = await openCharge(service, browser);
  await pay(page, CARDS.declined, "failed");
  await page.clock.runFor(LONG_MS);
  expect(await page.locator("#pay").count()).toBe(1);
  await page.context().close();
});

test("the shopper stays while the outcome is unknown, and at a canceled one", async ({
  service,
  browser,
}) => {
  const { page, created } = await openCharge(service, browser);
  // What the server says of the charge from now on: nothing, and later that it was canceled.
  await page.route(/\/v1\/pub\//, (route) => route.abort());
  await typeCard(page, page, CARDS.approved);
  await page.click("#pay");
  await advanceClockUntilShown(page, page.locator("#outcome[data-status=outcome_unknown]"));
  await page.clock.runFor(LONG_MS);
  expect(await page.locator(".returning").count()).toBe(0);
  expect(new URL(page.url()).pathname).not.toBe("/healthz");

  // Canceled first: a page that is told of an unpaid charge in between lets the shopper pay again, and asks no more.
  await service.merchant.cancel(created.id);
  await page.unroute(/\/v1\/pub\//);
  await advanceClockUntilShown(page, page.locator("#outcome[data-status=canceled]"));
  await page.clock.runFor(LONG_MS);
  expect(await page.locator(".returning").count()).toBe(0);
  // The link leads back as the merchant wrote it.
  expect(await page.getAttribute(".outcome-back", "href")).toBe(`${service.url}/healthz?order=a%20b#done`);
  await page.context().close();
});
