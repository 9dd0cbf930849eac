// A proxy between browser and service records all requests, and none of them has a readable card number or security code.

import type { Browser, Page } from "playwright-core";
import { expect } from "vitest";

import type { CreateCharge } from "../../form/generated/wire.ts";
import { openPage } from "../src/browser.ts";
import { startProxy } from "../src/proxy.ts";
import type { Service } from "../src/service.ts";
import { CARDS, field, typeCard } from "../src/shopper.ts";
import { test as base, serviceWith, startAndStop } from "../src/test.ts";

const test = base
  .extend("proxy", { scope: "file" }, startAndStop(startRecorder))
  .extend("service", { scope: "file" }, async ({ proxy }, cleanup) => {
    const service = await serviceWith("--public-url", proxy.url)({}, cleanup);
    proxy.target.url = service.url;
    return service;
  });

interface RecordedRequest {
  readonly path: string;
  readonly body: string;
  /** Method, path, headers and body in one text. */
  readonly text: string;
}

/** A proxy that records every request, as an access log could. Its target is set later: the service needs its address. */
async function startRecorder() {
  const target = { url: "" };
  const requests: RecordedRequest[] = [];
  const proxy = await startProxy(
    () => target.url,
    ({ incoming: { method, rawHeaders }, path, body: bytes }) => {
      const body = bytes.toString("latin1");
      requests.push({ path, body, text: [method, path, ...rawHeaders, body].join("\n") });
    },
  );
  return { ...proxy, target, requests };
}

const SAVED_CARDS_CHARGE: Partial<CreateCharge> = {
  shopper_id: "shopper-1",
  enable_save_payment_method: true,
  display_saved_payment_method_list: true,
  eligible_save_payment_methods: true,
};
/** A security code that no other number in a request equals. */
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

/** The cards in the direct charges that the proxy forwarded. */
function cards(requests: readonly RecordedRequest[]): Record<string, unknown>[] {
  const charges = requests.filter(({ path }) => path === "/v1/pub/direct/charges");
  return charges.map(({ body }) => JSON.parse(body).payment_method.card);
}

test("a proxy reads no card number and no security code of a payment", async ({
  service,
  browser,
  proxy,
}) => {
  const first = await open(service, browser, SAVED_CARDS_CHARGE);
  await typeCard(first, first, CARDS.approved, "1234", CODE);
  await field(first, "save-card").check();
  await pay(first);

  const second = await open(service, browser, SAVED_CARDS_CHARGE);
  const code = second.locator("[id^=saved-card-][id$=-security-code]");
  await code.fill(CODE);
  await pay(second);

  expect(cards(proxy.requests)).toHaveLength(2);
  for (const card of cards(proxy.requests)) {
    expect(card.sealed).toMatch(/^[\w-]+\.\.[\w-]{16}\.[\w-]+\.[\w-]{22}$/);
    expect(Object.keys(card)).not.toContain("number");
    expect(Object.keys(card)).not.toContain("security_code");
  }
  const requests = proxy.requests.map(({ text }) => text);
  expect(requests.length).toBeGreaterThan(4);
  expect(requests.filter((text) => text.includes(CARDS.approved))).toEqual([]);
  // The digits of the number are not there with other characters between them, either.
  expect(requests.filter((text) => text.replaceAll(/\D/g, "").includes(CARDS.approved))).toEqual([]);
  expect(requests.filter((text) => text.includes(`"${CODE}"`))).toEqual([]);
});

test("a browser without WebCrypto sends the card unsealed", async ({ service, browser, proxy }) => {
  const { url } = await service.merchant.createCharge();
  const { page } = await openPage(browser);
  await page.addInitScript(() => Object.defineProperty(crypto, "subtle", { value: undefined }));
  await page.goto(url);
  await typeCard(page, page, CARDS.mastercard, "1234", CODE);
  await pay(page);
  expect(cards(proxy.requests).at(-1)).toMatchObject({ number: CARDS.mastercard, security_code: CODE });
});
