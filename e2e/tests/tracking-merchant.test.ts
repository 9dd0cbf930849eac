// What a merchant's page adds to the events: the campaign in its address, and the merchant's own attributes.

import type { Page } from "playwright-core";
import { expect } from "vitest";

import type { EventBatch } from "../../form/generated/wire.ts";
import { openPage } from "../src/browser.ts";
import type { TrackingEvent } from "../src/events.ts";
import { paymentPage } from "../src/form-page.ts";
import { test } from "../src/test.ts";

/** Opens `address` and returns the page view event that is posted. */
async function pageView(page: Page, address: string): Promise<TrackingEvent> {
  const views: TrackingEvent[] = [];
  page.on("request", (request) => {
    if (request.url().includes("/topics/")) {
      const { records } = JSON.parse(request.postData() ?? "") as EventBatch;
      views.push(...records.map(({ value }) => value).filter(({ name }) => name === "pageView"));
    }
  });
  await page.goto(address);
  await expect.poll(() => views.length, { timeout: 15_000 }).toBe(1);
  return views[0] as TrackingEvent;
}

test("the campaign of the merchant's page reaches the form's events", async ({ service, browser }) => {
  const { page, pageErrors } = await openPage(browser);
  const { metadata } = await pageView(page, `${service.shop}?utm_source=mail&campaign_id=9&basket=secret-7`);
  expect(metadata).toMatchObject({ utmSource: "mail", campaignId: "9", utmMedium: "" });
  expect(metadata.fullUrl).toBe(`${service.url}/?campaign_id=9&utm_source=mail`);
  expect(JSON.stringify(metadata)).not.toContain("secret-7");
  expect(pageErrors).toEqual([]);
});

test("events have the merchant's own attributes", async ({ service, browser }) => {
  const { page, pageErrors } = await openPage(browser);
  const event_attributes = { plan: "gold", seats: 3, trial: true, who: "sam@example.com", list: [1] };
  const address = await paymentPage(service, { event_attributes });
  const { metadata } = await pageView(page, address);
  expect(metadata.attributes).toEqual({ plan: "gold", seats: 3, trial: true });
  expect(pageErrors).toEqual([]);
});

test("events have no attributes if the shopper refuses tracking", async ({ service, browser }) => {
  const { page } = await openPage(browser);
  await page.addInitScript(() => Object.defineProperty(navigator, "globalPrivacyControl", { value: true }));
  const address = await paymentPage(service, { event_attributes: { plan: "gold" } });
  const { metadata } = await pageView(page, `${address.replace("#", "&utm_source=mail#")}`);
  expect(metadata).not.toHaveProperty("attributes");
  expect(metadata.utmSource).toBe("");
});
