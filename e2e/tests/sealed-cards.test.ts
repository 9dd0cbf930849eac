// A proxy between browser and service records everything, and sees neither a card number nor a security code.

import type { Browser, Page } from "playwright-core";
import { expect } from "vitest";

import type { CreateCharge } from "../../form/generated/wire.ts";
import { openPage } from "../src/browser.ts";
import { type RecordingProxy, startRecordingProxy } from "../src/recording-proxy.ts";
import type { Service } from "../src/service.ts";
import { CARDS, field, typeCard } from "../src/shopper.ts";
import { test as base, serviceWith, startAndStop } from "../src/test.ts";

const test = base
  .extend("proxy", { scope: "file" }, startAndStop(startRecordingProxy))
  .extend("service", { scope: "file" }, async ({ proxy }, until) => {
    const service = await serviceWith("--public-url", proxy.url)({}, until);
    proxy.forwardTo(service.url);
    return service;
  });

const SAVING: Partial<CreateCharge> = {
  shopper_id: "shopper-1",
  enable_save_payment_method: true,
  display_saved_payment_method_list: true,
  eligible_save_payment_methods: true,
};
/** No other number in a request looks like it. */
const CODE = "739";

async function open(service: Service, browser: Browser, charge: Partial<CreateCharge>): Promise<Page> {
  const { url } = await service.merchant.createCharge(charge);
  const { page } = await openPage(browser);
  await page.goto(url);
  await page.waitForFunction(() => window.cardformVersion !== undefined);
  return page;
}

async function pay(page: Page): Promise<void> {
  await page.click("#pay");
  await page.waitForSelector("#outcome[data-status=succeeded]");
}

/** The cards of the direct charges that passed. */
function cards(proxy: RecordingProxy): Record<string, unknown>[] {
  const charges = proxy.requests().filter(({ path }) => path === "/v1/pub/direct/charges");
  return charges.map(({ body }) => JSON.parse(body).payment_method.card);
}

test("a proxy sees no card number and no security code of any payment", async ({
  service,
  browser,
  proxy,
}) => {
  const first = await open(service, browser, SAVING);
  await typeCard(first, first, CARDS.approved, "1234", CODE);
  await field(first, "save-card").check();
  await pay(first);

  const second = await open(service, browser, SAVING);
  const code = second.locator("[id^=saved-card-][id$=-security-code]");
  await code.fill(CODE);
  await pay(second);

  expect(cards(proxy)).toHaveLength(2);
  for (const card of cards(proxy)) {
    expect(card.sealed).toMatch(/^[\w-]+\.\.[\w-]{16}\.[\w-]+\.[\w-]{22}$/);
    expect(Object.keys(card)).not.toContain("number");
    expect(Object.keys(card)).not.toContain("security_code");
  }
  const everything = proxy.requests().map(({ text }) => text);
  expect(everything.length).toBeGreaterThan(4);
  expect(everything.filter((text) => text.includes(CARDS.approved))).toEqual([]);
  // No card's digits however they are parted; device data have the first six, which are no card's.
  expect(everything.filter((text) => text.replaceAll(/\D/g, "").includes(CARDS.approved))).toEqual([]);
  expect(everything.filter((text) => text.includes(`"${CODE}"`))).toEqual([]);
});

test("a browser without WebCrypto sends the card as it was typed", async ({ service, browser, proxy }) => {
  const { url } = await service.merchant.createCharge();
  const { page } = await openPage(browser);
  await page.addInitScript(() => Object.defineProperty(crypto, "subtle", { value: undefined }));
  await page.goto(url);
  await typeCard(page, page, CARDS.mastercard, "1234", CODE);
  await pay(page);
  expect(cards(proxy).at(-1)).toMatchObject({ number: CARDS.mastercard, security_code: CODE });
});
