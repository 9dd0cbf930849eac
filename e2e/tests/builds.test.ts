// What the page does when the service has a newer build, and when a script fails to load.

import type { Browser } from "playwright-core";
import { expect } from "vitest";

import { holdRequests, openPage } from "../src/browser.ts";
import { paymentPage } from "../src/form-page.ts";
import { saveCard, savedCardsCharge } from "../src/save-card.ts";
import type { Service } from "../src/service.ts";
import { CARDS, field, typeCard } from "../src/shopper.ts";
import { test } from "../src/test.ts";

/** Makes a payment page that records its events about builds and scripts. */
async function preparePage(service: Service, browser: Browser, charge = {}) {
  const { page, pageErrors } = await openPage(browser);
  await page.clock.install();
  await page.addInitScript(() => {
    const events: string[] = [];
    Object.assign(window, { events });
    for (const name of ["app-manifest-updated", "preload-error"]) {
      window.addEventListener(name, (event) =>
        events.push(`${name} ${(event as CustomEvent<{ id: string } | null>).detail?.id ?? ""}`.trim()),
      );
    }
  });
  const address = await paymentPage(service, {}, charge);
  const events = () => page.evaluate(() => (window as unknown as { events: string[] }).events);
  return { page, pageErrors, address, events };
}

test("a page learns of a newer build within the hour and keeps working", async ({ service, browser }) => {
  const { page, pageErrors, address, events } = await preparePage(service, browser);
  const requested: string[] = [];
  page.on("request", (request) => requested.push(new URL(request.url()).pathname));
  await page.route("**/builds/latest.json?*", (route) => route.fulfill({ json: { id: "newer" } }));
  await page.goto(address);
  await page.waitForFunction(() => window.cardformVersion !== undefined);
  await page.clock.fastForward(1_000);
  await expect.poll(() => requested.some((path) => path.startsWith("/builds/meta/"))).toBe(true);
  // The page fetches the views of challenges and outcomes early, so that they are there when the network fails later.
  await expect.poll(() => requested.some((path) => path.startsWith("/assets/late-views-"))).toBe(true);
  await page.clock.fastForward(3_600_000);
  await expect.poll(events).toEqual(["app-manifest-updated newer"]);
  await page.clock.resume();
  await typeCard(page, page, CARDS.approved);
  await page.click("#pay");
  await page.waitForSelector("#outcome[data-status=succeeded]");
  expect(pageErrors).toEqual([]);
});

test("without the saved cards' script the list fails, and a new card pays", async ({ service, browser }) => {
  const charge = savedCardsCharge();
  await saveCard(service, charge, CARDS.mastercard);
  const { page, address, events } = await preparePage(service, browser, charge);
  await page.route("**/assets/saved-cards-*.js", (route) => route.abort());
  await page.goto(address);
  await page.waitForSelector("#saved-cards-error");
  // `events` fails while the page reloads itself, which it does because the shopper has not used it yet.
  await expect.poll(() => events().catch(() => [])).toContain("preload-error");
  await page.clock.resume();
  await typeCard(page, page, CARDS.approved);
  await page.click("#pay");
  await page.waitForSelector("#outcome[data-status=succeeded]");
});

test("an untouched page reloads once when a script fails to load", async ({ service, browser }) => {
  const { page, address } = await preparePage(service, browser);
  let loads = 0;
  page.on("request", (request) => {
    loads += request.isNavigationRequest() ? 1 : 0;
  });
  await page.goto(address);
  await page.waitForFunction(() => window.cardformVersion !== undefined);
  await page.clock.fastForward(1_000);
  // The test cannot see when the page begins to listen, so it repeats the event until the page reloads.
  const reportFailedScript = async () => {
    await page.evaluate(() => dispatchEvent(new Event("preload-error"))).catch(() => {});
    return loads;
  };
  await expect.poll(reportFailedScript).toBe(2);
  await page.waitForFunction(() => window.cardformVersion !== undefined);
  await page.clock.fastForward(1_000);
  await field(page, "card-number").fill("4242");
  await page.clock.fastForward(20_000);
  await page.evaluate(() => dispatchEvent(new Event("preload-error")));
  expect(await field(page, "card-number").inputValue()).toBe("4242");
  expect(loads).toBe(2);
});

test("a page that is being left does not take the shopper back", async ({ service, browser }) => {
  const { page, address } = await preparePage(service, browser);
  const { url: next } = await service.merchant.createCharge();
  const isNext = (url: URL) => url.search === new URL(next).search;
  const releaseNext = await holdRequests(page, isNext);
  await page.goto(address);
  await page.waitForFunction(() => window.cardformVersion !== undefined);
  const manifest = page.waitForRequest(/\/builds\/meta\//);
  await page.clock.fastForward(1_000);
  await manifest;

  const asked = page.waitForRequest((request) => isNext(new URL(request.url())));
  // Firefox gives up the scripts that still come as soon as a link is followed.
  await page.evaluate((url) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => dispatchEvent(new Event("preload-error"));
    addEventListener("beforeunload", () => port2.postMessage(null));
    window.location.href = url;
  }, next);
  await asked;
  releaseNext();
  await expect.poll(() => isNext(new URL(page.url()))).toBe(true);
});
