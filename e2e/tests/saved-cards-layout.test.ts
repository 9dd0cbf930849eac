// The layout of saved cards: nothing appears only to disappear again, nothing overlaps or is cut off, and the merchant's
// page does not move.

import type { Browser, Locator, Page } from "playwright-core";
import { describe, expect } from "vitest";

import { holdRequests, openPage } from "../src/browser.ts";
import { openEmbedded } from "../src/form-page.ts";
import { showState } from "../src/gallery.ts";
import { saveCard, savedCardsCharge } from "../src/save-card.ts";
import type { Service } from "../src/service.ts";
import { CARDS, field, formIn, typeCard } from "../src/shopper.ts";
import { test } from "../src/test.ts";

const boxOf = async (part: Locator) => {
  const box = await part.boundingBox();
  if (box === null) {
    throw new Error("this part is not visible");
  }
  return { ...box, right: box.x + box.width, bottom: box.y + box.height };
};

/** Opens the charge's payment page. The list of saved cards is answered when the test calls `releaseList`. */
async function openWithHeldList(
  service: Service,
  browser: Browser,
  charge: Parameters<Service["merchant"]["createCharge"]>[0],
) {
  const created = await service.merchant.createCharge(charge);
  const { page, pageErrors } = await openPage(browser);
  await page.clock.install();
  const releaseList = await holdRequests(page, "**/payment-methods?*");
  await page.goto(created.url);
  await page.waitForFunction(() => window.cardformVersion !== undefined);
  return { page, pageErrors, releaseList };
}

describe("before the list is answered", () => {
  test("a new shopper never sees a placeholder for saved cards", async ({ service, browser }) => {
    const { page, releaseList } = await openWithHeldList(service, browser, savedCardsCharge());
    expect(await field(page, "card-number").isVisible()).toBe(true);
    expect(await page.locator(".saved-cards, .method-toggle").count()).toBe(0);
    await page.locator("#card-number").click();
    await page.keyboard.type("4242");
    releaseList();
    await page.clock.runFor(4_000);
    expect(await field(page, "card-number").inputValue()).toBe("4242");
    expect(await page.locator(".saved-cards, .method-toggle").count()).toBe(0);
    await page.context().close();
  });

  test("the new-card form replaces a slow list after three seconds", async ({ service, browser }) => {
    const charge = savedCardsCharge();
    await saveCard(service, charge, CARDS.approved);
    const { page, releaseList } = await openWithHeldList(service, browser, charge);
    await page.clock.runFor(3_000);
    await field(page, "card-number").waitFor();
    expect(await page.locator(".saved-cards").count()).toBe(0);
    await field(page, "card-number").click();
    await page.keyboard.type("42424");
    const place = async () =>
      (await boxOf(field(page, "card-number"))).y - (await boxOf(page.locator("form"))).y;
    const before = await place();
    releaseList();
    await page.locator("#pay-with-saved-card").waitFor();
    expect(await place()).toBe(before);
    expect(await field(page, "card-number").inputValue()).toBe("4242 4");
    await page.context().close();
  });
});

describe("a saved card's row", () => {
  test.for([
    [320, 100],
    [390, 100],
    [1280, 100],
    [320, 200],
  ] as const)(
    "at %i px and %i %% text keeps its dots and digits on one line",
    async ([width, size], { service, browser }) => {
      const { page } = await openPage(browser, { viewport: { width, height: 900 } });
      const heights: number[] = [];
      for (const dir of ["ltr", "rtl"]) {
        await showState(service, page, "saved-many", { dir });
        await page.evaluate((percent) => {
          document.documentElement.style.fontSize = `${percent}%`;
        }, size);
        const rows = await page.locator(".saved-card").evaluateAll((all) =>
          all.map((row) => {
            const texts = document.createTreeWalker(row, NodeFilter.SHOW_TEXT);
            let lines = 0;
            for (let node = texts.nextNode(); node; node = texts.nextNode()) {
              const range = document.createRange();
              range.selectNodeContents(node);
              if (node.textContent?.includes("•") || /^\d{4}$/.test(node.textContent ?? "")) {
                lines = Math.max(lines, new Set([...range.getClientRects()].map(({ top }) => top)).size);
              }
            }
            const choice = row.querySelector(".saved-card-choice");
            return { lines, height: Math.round(choice?.getBoundingClientRect().height ?? 0) };
          }),
        );
        expect(rows).toHaveLength(4);
        expect(rows.map(({ lines }) => lines)).toEqual([1, 1, 1, 1]);
        heights.push(...rows.map(({ height }) => height));
      }
      // All rows have the same height, unless large text makes a brand's name wrap.
      if (size === 100) {
        expect(new Set(heights).size).toBe(1);
      }
      await page.context().close();
    },
  );

  test("Tab reaches the security code before Remove", async ({ service, browser }) => {
    const { page } = await openPage(browser);
    await showState(service, page, "saved-many");
    const order: string[] = [];
    await page.locator("#saved-card-pm_visa").focus();
    for (let stop = 0; stop < 2; stop += 1) {
      await page.keyboard.press("Tab");
      order.push(await page.evaluate(() => document.activeElement?.id ?? ""));
    }
    expect(order).toEqual(["saved-card-pm_visa-security-code", "saved-card-pm_visa-remove"]);
    await page.context().close();
  });
});

describe("a removal", () => {
  test("is confirmed at its row, and the merchant's page stays visible", async ({
    service,
    browser,
    merchant,
  }) => {
    const charge = savedCardsCharge();
    await saveCard(service, charge, CARDS.approved);
    await saveCard(service, charge, CARDS.americanExpress, "1234");
    const { page, form, created, post } = await openEmbedded(service, browser, merchant, {}, { charge });
    await post({ type: "client-secret-response", client_secret: created.client_secret });
    for (const place of [0, 1]) {
      // Not a row of the placeholder.
      const row = form.locator(".saved-card:has(button)").nth(place);
      await row.waitFor();
      const before = await boxOf(row);
      await row.locator("[id$=-remove]").click();
      const dialog = form.locator("#remove-card-dialog");
      await dialog.waitFor();
      const dialogBox = await boxOf(dialog);
      expect(dialogBox.y).toBeLessThan(before.bottom);
      expect(dialogBox.bottom).toBeGreaterThan(before.y);
      expect(dialogBox.x).toBeGreaterThanOrEqual(before.x - 1);
      expect(dialogBox.right).toBeLessThanOrEqual(before.right + 1);
      const backdrop = await dialog.evaluate((one) => getComputedStyle(one, "::backdrop").backgroundColor);
      expect(backdrop).toBe("rgba(0, 0, 0, 0)");
      await form.locator("#remove-card-cancel").click();
      await dialog.waitFor({ state: "detached" });
    }
    await page.context().close();
  });

  test.for([320, 1280])(
    "shows at %i px a message that covers nothing",
    async (width, { service, browser }) => {
      const { page } = await openPage(browser, { viewport: { width, height: 900 } });
      await page.clock.install();
      await showState(service, page, "removal-asked");
      await page.waitForSelector("#remove-card-dialog[open]");
      const titleBefore = await boxOf(page.locator("#card-form-title"));
      await page.click("#remove-card-confirm");
      const snackbar = await boxOf(page.locator("#card-removed"));
      const covered = await page.evaluate(() => {
        const over = document.querySelector("#card-removed") as Element;
        const a = over.getBoundingClientRect();
        return [...document.querySelectorAll("main *")]
          .filter(
            (one) =>
              one.textContent !== "" &&
              !over.contains(one) &&
              !one.contains(over) &&
              !one.closest(".visually-hidden") &&
              one.checkVisibility({ visibilityProperty: true, opacityProperty: true }),
          )
          .filter((one) => {
            const b = one.getBoundingClientRect();
            return (
              Math.min(a.right, b.right) - Math.max(a.left, b.left) > 1 &&
              Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 1
            );
          })
          .map((one) => one.className);
      });
      expect(covered).toEqual([]);
      expect(snackbar.height).toBeGreaterThanOrEqual(24);
      const list = await boxOf(page.locator(".saved-cards"));
      expect(list.y).toBeGreaterThanOrEqual(titleBefore.bottom);
      await page.clock.runFor(2_100);
      await page.locator("#card-removed").waitFor({ state: "detached" });
      expect((await boxOf(page.locator(".saved-cards"))).y).toBeCloseTo(list.y, 1);
      await page.context().close();
    },
  );
});

describe("the demo shop", () => {
  interface Shift {
    readonly value: number;
    readonly hadRecentInput: boolean;
  }

  /** Opens an empty page that records every layout shift. */
  async function openShop(browser: Browser, options: Parameters<typeof openPage>[1]) {
    const { page } = await openPage(browser, options);
    await page.addInitScript(() => {
      if (window.parent !== window) {
        return;
      }
      const shifts: unknown[] = [];
      Object.assign(window, { shifts });
      new PerformanceObserver((list) => shifts.push(...list.getEntries())).observe({
        type: "layout-shift",
        buffered: true,
      });
    });
    return page;
  }

  /** The sum of the shifts since the page was opened that no action of the shopper caused. First two frames are drawn. */
  const totalShift = (page: Page) =>
    page.evaluate(async () => {
      const frame = () => new Promise((resolve) => requestAnimationFrame(resolve));
      await frame();
      await frame();
      const { shifts } = window as unknown as { shifts: Shift[] };
      return shifts
        .filter(({ hadRecentInput }) => !hadRecentInput)
        .reduce((sum, { value }) => sum + value, 0);
    });

  test.for([
    ["on a desktop", { viewport: { width: 1280, height: 900 } }],
    ["on a phone", { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true }],
  ] as const)(
    "does not move %s when the form loads, shows errors or grows",
    async ([_, options], { service, browser }) => {
      const page = await openShop(browser, options);
      const form = formIn(page);
      await page.goto(service.shop);
      await field(form, "card-number").waitFor();
      await typeCard(form, page, CARDS.approved);
      await field(form, "card-number").press("End");
      await page.keyboard.press("Backspace");
      await page.keyboard.press("Tab");
      await form.locator("#card-number-error .icon").waitFor();
      expect(await totalShift(page)).toBe(0);

      const placeOfPay = async () => (await boxOf(page.locator("#pay-in-shop"))).y;
      await field(form, "card-number").fill(CARDS.insufficientFunds);
      const before = await placeOfPay();
      await page.click("#pay-in-shop");
      await page.waitForSelector("#shop-outcome[data-status=failed]");
      expect(await placeOfPay()).toBe(before);

      await field(form, "card-number").fill(CARDS.approved);
      await form.locator("#save-card").check();
      await page.click("#pay-in-shop");
      await page.waitForSelector("#shop-outcome[data-status=succeeded]");
      await page.goto(service.shop);
      await form.getByRole("radio").waitFor();
      expect(await totalShift(page)).toBe(0);
      await form.locator("#pay-with-new-card").click();
      await field(form, "card-number").waitFor();
      expect(await totalShift(page)).toBe(0);

      await page.route("**/payment-methods?*", (route) => route.fulfill({ status: 500, json: {} }));
      await page.goto(service.shop);
      await form.locator("#saved-cards-error").waitFor();
      expect(await totalShift(page)).toBe(0);
      await form
        .getByRole("heading", { name: "Pay with card" })
        .waitFor({ state: "attached", timeout: 2_000 });
      await page.context().close();
    },
  );
});
