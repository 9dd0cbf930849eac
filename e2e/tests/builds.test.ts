// A page that is older than the service's build, and scripts that fail to load.

import type { Browser } from "playwright-core";
import { expect } from "vitest";

import { openPage } from "../src/browser.ts";
import { paymentPage } from "../src/form-page.ts";
import { saveCard, savedCardsCharge } from "../src/save-card.ts";
import type { Service } from "../src/service.ts";
import { CARDS, field, typeCard } from "../src/shopper.ts";
import { test } from "../src/test.ts";

/** Opens the payment page with the events of builds and scripts written down. */
async function open(service: Service, browser: Browser, charge = {}) {
  const { page, pageErrors } = await openPage(browser);
  await page.clock.install();
  await page.addInitScript(() => {
    const raised: string[] = [];
    Object.assign(window, { raised });
    for (const name of ["app-manifest-updated", "preload-error"]) {
      window.addEventListener(name, (event) =>
        raised.push(`${name} ${(event as CustomEvent<{ id: string } | null>).detail?.id ?? ""}`.trim()),
      );
    }
  });
  const address = await paymentPage(service, {}, charge);
  const raised = () => page.evaluate(() => (window as unknown as { raised: string[] }).raised);
  return { page, pageErrors, address, raised };
}

test("a page learns of a newer build within the hour and keeps working", async ({ service, browser }) => {
  const { page, pageErrors, address, raised } = await open(service, browser);
  const asked: string[] = [];
  page.on("request", (request) => asked.push(new URL(request.url()).pathname));
  await page.route("**/builds/latest.json?*", (route) => route.fulfill({ json: { id: "newer" } }));
  await page.goto(address);
  await page.waitForFunction(() => window.cardformVersion !== undefined);
  await page.clock.fastForward(1_000);
  await expect.poll(() => asked.some((path) => path.startsWith("/builds/meta/"))).toBe(true);
  // What the payment may need later is there before the network can go away.
  await expect.poll(() => asked.some((path) => path.startsWith("/assets/challenge-"))).toBe(true);
  await page.clock.fastForward(3_600_000);
  await expect.poll(raised).toEqual(["app-manifest-updated newer"]);
  await page.clock.resume();
  await typeCard(page, page, CARDS.approved);
  await page.click("#pay");
  await page.waitForSelector("#outcome[data-status=succeeded]");
  expect(pageErrors).toEqual([]);
});

test("without the saved cards' script the list fails, and a new card pays", async ({ service, browser }) => {
  const saving = savedCardsCharge();
  await saveCard(service, browser, saving, CARDS.mastercard);
  const { page, address, raised } = await open(service, browser, saving);
  await page.route("**/assets/saved-cards-*.js", (route) => route.abort());
  await page.goto(address);
  await page.waitForSelector("#saved-cards-error");
  // A page that nobody has touched is loaded once more meanwhile.
  await expect.poll(() => raised().catch(() => [])).toContain("preload-error");
  await page.clock.resume();
  await typeCard(page, page, CARDS.approved);
  await page.click("#pay");
  await page.waitForSelector("#outcome[data-status=succeeded]");
});

test("an untouched page reloads once when a script fails to load", async ({ service, browser }) => {
  const { page, address } = await open(service, browser);
  let loads = 0;
  page.on("request", (request) => {
    loads += request.isNavigationRequest() ? 1 : 0;
  });
  await page.goto(address);
  await page.waitForFunction(() => window.cardformVersion !== undefined);
  await page.clock.fastForward(1_000);
  const failing = () =>
    // When the page listens already is not seen from outside, so it is told until it does.
    expect.poll(async () => {
      await page.evaluate(() => dispatchEvent(new Event("preload-error"))).catch(() => {});
      return loads;
    });
  await failing().toBe(2);
  await page.waitForFunction(() => window.cardformVersion !== undefined);
  await page.clock.fastForward(1_000);
  await field(page, "card-number").fill("4242");
  await page.clock.fastForward(20_000);
  await page.evaluate(() => dispatchEvent(new Event("preload-error")));
  expect(await field(page, "card-number").inputValue()).toBe("4242");
  expect(loads).toBe(2);
});
