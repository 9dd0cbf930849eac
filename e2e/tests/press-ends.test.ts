// A press of the pay button ends in a state in which the shopper can act, whatever fails or stalls in the page
// (docs/form.md#paying).

import type { Browser, Page } from "playwright-core";
import { expect } from "vitest";

import { openPage } from "../src/browser.ts";
import { payAndAdvanceClock } from "../src/clock.ts";
import { paymentPage } from "../src/form-page.ts";
import type { Service } from "../src/service.ts";
import { CARDS, typeCard } from "../src/shopper.ts";
import { test as base, serviceWith } from "../src/test.ts";

/** The service is not shared, because the tests count the payments of the whole ledger. */
const test = base.extend("service", { scope: "file" }, serviceWith());

/** How long a script may take, and how long the page waits for device data. */
const LOAD_MS_MAX = 20_000;

/** Opens a payment page in which `prepare` breaks something, and types a card. */
async function openBroken(service: Service, browser: Browser, prepare: (page: Page) => Promise<unknown>) {
  const { page, pageErrors } = await openPage(browser);
  const logged: string[] = [];
  page.on("console", (message) => logged.push(message.text()));
  await page.clock.install();
  await prepare(page);
  await page.goto(await paymentPage(service));
  await typeCard(page, page, CARDS.approved);
  return { page, logged, pageErrors };
}

const chargesPaid = async (service: Service) => (await service.ledger()).length;

test("without https the card is paid, and the console says what is missing", async ({ service, browser }) => {
  const { page, logged, pageErrors } = await openBroken(service, browser, (page) =>
    page.addInitScript(() => {
      Object.defineProperty(window, "isSecureContext", { value: false });
      Object.defineProperty(crypto, "randomUUID", { value: undefined });
      Object.defineProperty(crypto, "subtle", { value: undefined });
    }),
  );
  await page.click("#pay");
  await page.waitForSelector("#outcome[data-status=succeeded]");
  expect(logged.join("\n")).toContain("without https this browser has no crypto.subtle");
  pageErrors.length = 0;
});

test.for(["charging-", "late-views-", "en-US.json"])(
  "a script that stalls is told as not sent: %s",
  async (name, { service, browser }) => {
    const before = await chargesPaid(service);
    const stalled: string[] = [];
    const { page } = await openBroken(service, browser, (page) =>
      page.route(new RegExp(name), (route) => void stalled.push(route.request().url())),
    );
    const opened = page.waitForResponse((answer) => answer.url().endsWith("/client-secret"));
    await page.click("#pay");
    expect(await page.locator("#pay").isDisabled()).toBe(true);
    // The script is waited for once the link has got a client secret and the page has read it.
    await opened;
    await page.evaluate(async () => void (await fetch("/healthz")));
    await page.clock.fastForward(LOAD_MS_MAX);
    await page.waitForFunction(() => !document.querySelector<HTMLButtonElement>("#pay")?.disabled);
    expect(stalled).not.toEqual([]);
    expect(await page.locator("main").innerText()).toContain("the card was not charged");
    expect(await chargesPaid(service)).toBe(before);
  },
);

test("an exception in the press is told as not sent", async ({ service, browser }) => {
  const before = await chargesPaid(service);
  const { page, pageErrors } = await openBroken(service, browser, (page) =>
    page.addInitScript(() => {
      let reads = 0;
      Object.defineProperty(screen, "colorDepth", {
        get: () => {
          reads += 1;
          if (reads === 1) {
            throw new Error("no screen");
          }
          return 24;
        },
      });
    }),
  );
  await page.click("#pay");
  await page.waitForSelector("text=the card was not charged");
  expect(await chargesPaid(service)).toBe(before);
  expect(pageErrors.splice(0).join("\n")).toContain("could not be prepared");
  await page.click("#pay");
  await page.waitForSelector("#outcome[data-status=succeeded]");
});

test("a device data page or script that stalls does not stop a payment", async ({ service, browser }) => {
  const { page } = await openBroken(service, browser, (page) =>
    page.route("**/assets/device-data-collection-*", () => {}),
  );
  await payAndAdvanceClock(page);
  await page.waitForSelector("#outcome[data-status=succeeded]");
});
