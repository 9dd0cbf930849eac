// A form of a merchant with allowed origins works on no other site, and a client secret pays only the charge that the page
// shows.

import type { Page } from "playwright-core";
import { describe, expect } from "vitest";

import { openPage } from "../src/browser.ts";
import { type MerchantPage, openEmbedded, openStandalone, startMerchantPage } from "../src/form-page.ts";
import type { Service } from "../src/service.ts";
import { CARDS, typeCard } from "../src/shopper.ts";
import { test as base, startAndStop } from "../src/test.ts";

/** A page on an origin that the demo shop's merchant has not allowed. */
const test = base.extend("otherSite", { scope: "file" }, startAndStop(startMerchantPage));

/** The payload and client secret of a charge in the demo shop, whose merchant allows only the shop's own origin. */
async function demoShopCharge(service: Service): Promise<{ payload: string; client_secret: string }> {
  const [product] = await (await fetch(`${service.url}/demo/products`)).json();
  const answer = await fetch(`${service.url}/demo/orders`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ product: product.id, shopper: "sam-7" }),
  });
  expect(answer.ok).toBe(true);
  return answer.json();
}

/** Opens the other site with the form in a frame, and records the messages that it receives. */
async function openOnOtherSite(
  service: Service,
  otherSite: MerchantPage,
  page: Page,
  payload: string,
): Promise<void> {
  await page.goto(otherSite.url);
  await page.evaluate(
    ({ src }) => {
      const received: unknown[] = [];
      Object.assign(window, { received });
      window.addEventListener("message", (event) => received.push(event.data));
      const frame = document.createElement("iframe");
      frame.name = "form-1";
      frame.src = src;
      document.body.append(frame);
    },
    { src: `${service.url}/?${new URLSearchParams({ payload })}` },
  );
}

describe("a form of a merchant with allowed origins", () => {
  test("is not shown on another site", async ({ service, browser, otherSite }) => {
    const { payload } = await demoShopCharge(service);
    const { page, pageErrors } = await openPage(browser);
    await openOnOtherSite(service, otherSite, page, payload);
    await expect.poll(() => pageErrors.join("\n")).toContain("frame-ancestors");
    pageErrors.splice(0);
    expect(await page.frameLocator("iframe").locator("#card-number").count()).toBe(0);
  });

  test("exchanges no messages if a browser shows it anyway", async ({ service, browser, otherSite }) => {
    const { payload } = await demoShopCharge(service);
    const { page, pageErrors } = await openPage(browser);
    await page.route(`${service.url}/?*`, async (route) => {
      const response = await route.fetch();
      const { "content-security-policy": _, ...headers } = response.headers();
      await route.fulfill({ response, headers });
    });
    await openOnOtherSite(service, otherSite, page, payload);
    const form = page.frameLocator("iframe");
    await form.locator("main.embedded #card-number").waitFor();
    await page.waitForFunction(() => {
      document
        .querySelector("iframe")
        ?.contentWindow?.postMessage({ source: "cardform", version: 1, type: "submit-not-ready" }, "*");
      return true;
    });
    await form.locator("#card-number").fill("4");
    expect(await form.locator("[data-state=Empty]").count()).toBe(0);
    expect(await page.evaluate(() => (window as unknown as { received: unknown[] }).received)).toEqual([]);
    pageErrors.splice(0);
  });
});

describe("a client secret of another charge", () => {
  test("pays nothing in a merchant's page, which gets an error code", async ({
    service,
    browser,
    otherSite,
  }) => {
    const { page, form, post, received } = await openEmbedded(service, browser, otherSite);
    const other = await service.merchant.createCharge();
    await typeCard(form, page, CARDS.approved);
    await post({ type: "submit-ready", client_secret: other.client_secret });
    await expect.poll(received).toContainEqual(
      expect.objectContaining({
        type: "processing-result",
        success: false,
        error_code: "client-secret-foreign",
      }),
    );
    expect((await service.merchant.charge(other.id)).status).toBe("created");
  });

  test("makes a payment page's link unusable", async ({ service, browser }) => {
    const [shown, other] = await Promise.all([
      service.merchant.createCharge(),
      service.merchant.createCharge(),
    ]);
    const { page } = await openPage(browser);
    const link = new URL(other.url).hash;
    await page.goto(shown.url.slice(0, shown.url.indexOf("#")) + link);
    await page.waitForSelector("#outcome[data-status=unusable_link]");
  });
});

describe("the payment page's link", () => {
  test("leaves the address bar and survives a reload and going back", async ({ service, browser }) => {
    const { page } = await openStandalone(service, browser);
    expect(page.url()).not.toContain("#");
    expect(page.url()).not.toContain("link=");
    await page.reload();
    await page.goto(`${service.url}/nowhere`);
    await page.goBack();
    await typeCard(page, page, CARDS.approved);
    await page.click("#pay");
    await page.waitForSelector("#outcome[data-status=succeeded]");
    expect(page.url()).not.toContain("link=");
  });
});
