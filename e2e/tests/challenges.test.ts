// Every way in which a 3-D Secure challenge can end, on the payment page and in the demo shop.

import type { Browser, FrameLocator, Page } from "playwright-core";
import { describe, expect } from "vitest";

import { DESKTOP, openPage, PHONE } from "../src/browser.ts";
import { saveScreenshot } from "../src/screenshots.ts";
import type { Service } from "../src/service.ts";
import { CARDS, field, formIn, typeCard } from "../src/shopper.ts";
import { test as base, serviceWith } from "../src/test.ts";

const SHORT_TIMEOUT = ["--challenge-timeout-ms", "1500", "--reconcile-interval-ms", "100"];
const test = base.extend("shortTimeoutService", { scope: "file" }, serviceWith(...SHORT_TIMEOUT));

/** The bank's page in the dialog, which the payment page or the SDK shows. */
function bankIn(page: Page): FrameLocator {
  return page.frameLocator("dialog iframe");
}

/** Changes the policy of the bank's page so that it may not be shown in a frame. */
async function forbidFrames(page: Page): Promise<void> {
  await page.context().route("**/simulator/challenge/**", async (route) => {
    if (route.request().method() === "POST") {
      return route.continue();
    }
    const response = await route.fetch();
    const headers = { ...response.headers() };
    headers["content-security-policy"] = (headers["content-security-policy"] ?? "").replace(
      "frame-ancestors *",
      "frame-ancestors 'none'",
    );
    await route.fulfill({ response, headers });
  });
}

async function outcomes({ ledger }: Service, chargeId: string) {
  return (await ledger()).filter((entry) => entry.charge_id === chargeId).map((entry) => entry.outcome);
}

describe("on the payment page", () => {
  async function pressPay(service: Service, browser: Browser, number: string) {
    const created = await service.merchant.createCharge();
    const { page, pageErrors } = await openPage(browser);
    await page.goto(created.url);
    await typeCard(page, page, number);
    await page.click("#pay");
    return { page, pageErrors, id: created.id, url: created.url };
  }

  test("an approved challenge pays, and the ledger has it only then", async ({ service, browser }) => {
    const { page, pageErrors, id } = await pressPay(service, browser, CARDS.challenge);
    await bankIn(page).locator("#approve").waitFor();
    expect(await bankIn(page).locator(".amount").textContent()).toBe("12.50 USD");
    const frame = await page.locator("dialog iframe").boundingBox();
    expect(frame).toMatchObject({ width: 390, height: 400 });
    expect(await page.getAttribute("dialog iframe", "allow")).toBe("publickey-credentials-get; payment");
    expect(await outcomes(service, id)).toEqual([]);
    await bankIn(page).locator("#approve").click();
    await page.waitForSelector("#outcome[data-status=succeeded]");
    expect(await page.locator("dialog[open]").count()).toBe(0);
    expect(await outcomes(service, id)).toEqual(["approved"]);
    expect(pageErrors).toEqual([]);
  });

  test.for([
    ["en-US", DESKTOP],
    ["ar-SA", PHONE],
  ] as const)(
    "the bank leads to another tab after the first has gone, in %s",
    async ([locale, viewport], { service, browser }) => {
      const { id, url } = await service.merchant.createCharge({ return_url: `${service.url}/healthz?a=1` });
      const address = new URL(url);
      address.searchParams.set("options", JSON.stringify({ locale }));
      address.searchParams.set("customStyle", JSON.stringify({ backgroundColor: "#f3e8ff" }));
      const { page, pageErrors } = await openPage(browser, { viewport, locale });
      await page.goto(address.href);
      await typeCard(page, page, CARDS.challenge);
      await page.click("#pay");
      const bank = await page.locator("dialog iframe").getAttribute("src");
      await bankIn(page).locator("#approve").waitFor();
      const tab = await page.context().newPage();
      await page.close();
      // The bank leads back before its answer is known.
      await tab.goto(`${service.url}/v1/pub/charges/${id}/return?locale=${locale}`);
      const outcome = tab.locator("#outcome");
      await expect.poll(() => tab.url()).toContain("customStyle");
      expect(await outcome.getAttribute("data-status")).toBe("waiting_for_shopper_action");
      expect(await tab.evaluate(() => getComputedStyle(document.body).backgroundColor)).toBe(
        "rgb(243, 232, 255)",
      );
      await saveScreenshot(tab, `return-waiting-${locale}`);
      const atBank = await page.context().newPage();
      await atBank.goto(bank ?? "");
      await atBank.click("#approve");
      await atBank.locator("#outcome[data-status=succeeded]").waitFor();
      await outcome.and(tab.locator("[data-status=succeeded]")).waitFor();
      await saveScreenshot(tab, `return-paid-${locale}`);
      const back = tab.locator(".outcome-back");
      expect(await back.getAttribute("href")).toContain(`status=succeeded&locale=${locale}`);
      await back.click();
      expect(tab.url()).toContain("/healthz?a=1&charge_id=");
      expect(pageErrors).toEqual([]);
      await page.context().close();
    },
  );

  test.for([
    [CARDS.challenge, "#reject", "authentication_failed", "could not verify your identity"],
    [CARDS.challengeThenDeclined, "#approve", "generic_decline", "was declined"],
  ] as const)(
    "%s, %s: %s, and another card pays",
    async ([number, button, code, words], { service, browser }) => {
      const { page, pageErrors, id } = await pressPay(service, browser, number);
      await bankIn(page).locator(button).click();
      await page.waitForSelector("#outcome[data-status=failed]");
      expect(await page.textContent("#outcome")).toContain(words);
      expect((await service.merchant.charge(id)).decline_code).toBe(code);
      await typeCard(page, page, CARDS.approved);
      await page.click("#pay");
      await page.waitForSelector("#outcome[data-status=succeeded]");
      expect(await outcomes(service, id)).toEqual(["declined", "approved"]);
      expect(pageErrors).toEqual([]);
    },
  );

  test.for([
    ["the button", (page: Page) => page.click("#challenge-close")],
    ["Escape", (page: Page) => page.keyboard.press("Escape")],
  ] as const)(
    "closed by %s, it is canceled and the same card may be tried again",
    async ([_, close], { service, browser }) => {
      const { page, pageErrors, id } = await pressPay(service, browser, CARDS.challenge);
      await bankIn(page).locator("#approve").waitFor();
      await close(page);
      await page.waitForSelector("#outcome[data-status=failed]");
      expect(await page.textContent("#outcome")).toContain("You canceled the verification");
      expect((await service.merchant.charge(id)).decline_code).toBe("authentication_canceled");
      await page.click("#pay");
      await bankIn(page).locator("#approve").click();
      await page.waitForSelector("#outcome[data-status=succeeded]");
      expect(await outcomes(service, id)).toEqual(["declined", "approved"]);
      expect(pageErrors).toEqual([]);
    },
  );

  test("a challenge that allows no frame opens in a window, and pays", async ({ service, browser }) => {
    const created = await service.merchant.createCharge();
    const { page, pageErrors } = await openPage(browser);
    await forbidFrames(page);
    await page.goto(created.url);
    await typeCard(page, page, CARDS.challenge);
    await page.click("#pay");
    const window = page.context().waitForEvent("page");
    await page.click("#challenge-window");
    await (await window).click("#approve");
    await page.waitForSelector("#outcome[data-status=succeeded]");
    await expect.poll(async () => (await window).isClosed()).toBe(true);
    expect(await outcomes(service, created.id)).toEqual(["approved"]);
    // The browser logs that the frame is forbidden.
    expect(pageErrors.splice(0).join()).toContain("frame");
  });

  test("a challenge that takes too long fails and says why", async ({ browser, shortTimeoutService }) => {
    const { page, id } = await pressPay(shortTimeoutService, browser, CARDS.challenge);
    await page.waitForSelector("#outcome[data-status=failed]");
    expect(await page.textContent("#outcome")).toContain("took too long");
    expect(await page.locator("dialog[open]").count()).toBe(0);
    expect((await shortTimeoutService.merchant.charge(id)).decline_code).toBe("authentication_timed_out");
  });

  test("a page that is reloaded shows the challenge again", async ({ service, browser }) => {
    const { page, url } = await pressPay(service, browser, CARDS.challenge);
    await bankIn(page).locator("#approve").waitFor();
    const { page: again } = await openPage(browser);
    await again.goto(url);
    await bankIn(again).locator("#approve").click();
    await again.waitForSelector("#outcome[data-status=succeeded]");
    await page.waitForSelector("#outcome[data-status=succeeded]");
  });

  test("a soft decline asks for the challenge in the same press", async ({ service, browser }) => {
    const { page, pageErrors, id } = await pressPay(service, browser, CARDS.softDecline);
    await bankIn(page).locator("#approve").click();
    await page.waitForSelector("#outcome[data-status=succeeded]");
    expect(await outcomes(service, id)).toEqual(["approved"]);
    expect(pageErrors).toEqual([]);
  });

  test("a frictionless card pays without a challenge", async ({ service, browser }) => {
    const { page, pageErrors, id } = await pressPay(service, browser, CARDS.frictionless);
    await page.waitForSelector("#outcome[data-status=succeeded]");
    expect(await outcomes(service, id)).toEqual(["approved"]);
    expect(pageErrors).toEqual([]);
  });
});

describe("in the demo shop", () => {
  async function pressPay(service: Service, browser: Browser, number: string, options = {}) {
    const { page, pageErrors } = await openPage(browser, options);
    const order = page.waitForResponse((response) => response.url().endsWith("/demo/orders"));
    await page.goto(service.shop);
    const { charge_id: id } = (await (await order).json()) as { charge_id: string };
    const form = formIn(page);
    await field(form, "card-number").waitFor();
    await typeCard(form, page, number);
    await page.click("#pay-in-shop");
    return { page, pageErrors, id };
  }

  test.for([
    ["on a desktop", {}],
    ["on a phone", { viewport: PHONE, hasTouch: true, isMobile: true }],
  ] as const)("an approved challenge pays %s", async ([_, options], { service, browser }) => {
    const { page, pageErrors, id } = await pressPay(service, browser, CARDS.challenge, options);
    await bankIn(page).locator("#approve").click();
    await page.waitForSelector("#shop-outcome[data-status=succeeded]");
    expect(await page.locator("dialog").count()).toBe(0);
    expect(await outcomes(service, id)).toEqual(["approved"]);
    expect(pageErrors).toEqual([]);
  });

  test.for([
    ["rejected", (page: Page) => bankIn(page).locator("#reject").click(), "could not verify your identity"],
    [
      "closed by its button",
      (page: Page) => page.getByRole("button", { name: "Cancel verification" }).click(),
      "You canceled",
    ],
    ["closed by Escape", (page: Page) => page.keyboard.press("Escape"), "You canceled"],
  ] as const)(
    "a challenge that is %s has its own code, and another card pays",
    async ([_, end, words], { service, browser }) => {
      const { page, pageErrors, id } = await pressPay(service, browser, CARDS.challenge);
      await bankIn(page).locator("#reject").waitFor();
      await end(page);
      await page.waitForSelector("#shop-outcome[data-status=failed]");
      expect(await page.textContent("#shop-outcome")).toContain(words);
      expect(await page.locator("dialog").count()).toBe(0);
      await typeCard(formIn(page), page, CARDS.mastercard);
      await page.click("#pay-in-shop");
      await page.waitForSelector("#shop-outcome[data-status=succeeded]");
      expect(await outcomes(service, id)).toEqual(["declined", "approved"]);
      expect(pageErrors).toEqual([]);
    },
  );

  test("a challenge that allows no frame is opened in a window, and pays", async ({ service, browser }) => {
    const { page, pageErrors } = await openPage(browser);
    await forbidFrames(page);
    const order = page.waitForResponse((response) => response.url().endsWith("/demo/orders"));
    await page.goto(service.shop);
    const { charge_id: id } = (await (await order).json()) as { charge_id: string };
    await field(formIn(page), "card-number").waitFor();
    await typeCard(formIn(page), page, CARDS.challenge);
    await page.click("#pay-in-shop");
    const window = page.context().waitForEvent("page");
    await page.getByRole("button", { name: "Open in a new window" }).click();
    await (await window).click("#approve");
    await page.waitForSelector("#shop-outcome[data-status=succeeded]");
    expect(await outcomes(service, id)).toEqual(["approved"]);
    expect(pageErrors.splice(0).join()).toContain("frame");
  });

  test("a challenge that takes too long fails and says why", async ({ browser, shortTimeoutService }) => {
    const { page } = await pressPay(shortTimeoutService, browser, CARDS.challenge);
    await page.waitForSelector("#shop-outcome[data-status=failed]");
    expect(await page.textContent("#shop-outcome")).toContain("took too long");
    expect(await page.locator("dialog").count()).toBe(0);
  });

  test("the dialog keeps the focus away from the page behind it", async ({ service, browser }) => {
    const { page } = await pressPay(service, browser, CARDS.challenge);
    await bankIn(page).locator("#approve").waitFor();
    expect(await page.locator("dialog").evaluate((dialog) => dialog.matches(":modal"))).toBe(true);
    for (let turn = 0; turn < 8; turn += 1) {
      await page.keyboard.press("Tab");
      const inside = await page.evaluate(
        () => document.activeElement === document.body || document.activeElement?.closest("dialog") !== null,
      );
      expect(inside).toBe(true);
    }
  });
});
