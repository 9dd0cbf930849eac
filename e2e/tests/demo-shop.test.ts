// The demo shop's developer's drawer: each switch, what form and page say to each other, and what the shop's server did. And the
// shop in one plain HTML file.

import type { Browser, Page } from "playwright-core";
import { describe, expect } from "vitest";

import { EXPERIMENTS, LANGUAGES } from "../../demo/src/drawer/settings.ts";
import { PRESETS } from "../../demo/src/theme/presets.ts";
import { LOCALES } from "../../form/generated/locales.ts";
import arabic from "../../locales/ar-SA.json" with { type: "json" };
import french from "../../locales/fr-FR.json" with { type: "json" };
import { axeViolations } from "../src/accessibility.ts";
import { openPage, PHONE } from "../src/browser.ts";
import { overflowProblems } from "../src/overflow-problems.ts";
import type { Service } from "../src/service.ts";
import { CARDS, field, formIn, typeCard } from "../src/shopper.ts";
import { test } from "../src/test.ts";

const WIDE = { width: 1700, height: 1000 };
/** How long a charge may take on a busy machine, device data included. */
const ANSWER_MS_MAX = 20_000;

/** The shop with its drawer open. */
async function openDrawer(service: Service, browser: Browser, options = {}, query = "") {
  const { page, pageErrors } = await openPage(browser, options);
  const ordered = page.waitForResponse((response) => response.url().endsWith("/demo/orders"));
  await page.goto(service.shop + query);
  const placed = (await (await ordered).json()) as Record<string, string>;
  await field(formIn(page), "card-number").waitFor();
  if (await page.locator("#drawer").isHidden()) {
    await page.click("#drawer-handle");
  }
  return { page, pageErrors, order: placed };
}

const choose = (page: Page, name: string, value: string) =>
  page.locator(`#drawer select[name=${name}]`).selectOption(value);

const labelOf = (page: Page) => formIn(page).locator("label[for=card-number]");

/** The entries of a log, the newest first. */
const entries = (page: Page, log: "message-log" | "server-log", way: string) =>
  page
    .locator(`#${log} li[data-way="${way}"]`)
    .evaluateAll((lines) => lines.map((line) => line.getAttribute("data-name") ?? ""));

describe("a switch of the drawer", () => {
  test("names exactly the languages that there are", () => {
    expect([...LANGUAGES].sort()).toEqual(LOCALES.map(({ code }) => code).sort());
  });

  test("changes the language in place, and the direction with it", async ({ service, browser }) => {
    const { page, pageErrors } = await openDrawer(service, browser, { viewport: WIDE });
    await field(formIn(page), "card-expiry").fill("12/34");
    await choose(page, "language", "fr-FR");
    await expect.poll(() => labelOf(page).textContent()).toBe(french.card_number);
    expect(new URL(page.url()).search).toBe("?locale=fr-FR");
    await choose(page, "language", "ar-SA");
    await expect.poll(() => labelOf(page).textContent()).toBe(arabic.card_number);
    expect(await page.getAttribute("html", "dir")).toBe("rtl");
    expect(await entries(page, "message-log", "to the form")).toContain("language-change");
    // The shopper's own language again.
    await choose(page, "language", "");
    await expect.poll(() => labelOf(page).textContent()).toBe("Card number");
    expect(await page.getAttribute("html", "dir")).toBe("ltr");
    expect(new URL(page.url()).search).toBe("");
    expect(await field(formIn(page), "card-expiry").inputValue()).toBe("12 / 34");
    expect(pageErrors).toEqual([]);
    await page.context().close();
  });

  test("changes the direction of the shop only", async ({ service, browser }) => {
    const { page } = await openDrawer(service, browser, { viewport: WIDE });
    await choose(page, "direction", "rtl");
    await expect.poll(() => page.getAttribute("html", "dir")).toBe("rtl");
    expect(await formIn(page).locator("html").getAttribute("dir")).toBe("ltr");
    // A link has the settings.
    await page.reload();
    await page.locator("#product-name").waitFor();
    expect(await page.getAttribute("html", "dir")).toBe("rtl");
    await page.context().close();
  });

  test("changes the theme in place", async ({ service, browser }) => {
    const { page, pageErrors } = await openDrawer(service, browser, {
      viewport: WIDE,
      colorScheme: "light",
    });
    const place = page.locator(".card-form-place");
    const color = () => labelOf(page).evaluate((label) => getComputedStyle(label).color);
    await field(formIn(page), "card-expiry").fill("12/34");
    const seen = [await color()];
    // A preset that is dark only is shown on a dark ground in the light page.
    const dark = PRESETS.find(({ themes }) => !themes.light)?.name ?? "";
    for (const theme of ["None", PRESETS[0]?.name ?? "", dark]) {
      await choose(page, "theme", theme);
      await expect.poll(async () => seen.includes(await color())).toBe(false);
      seen.push(await color());
      expect(await place.getAttribute("data-color-mode")).toBe(theme === dark ? "dark" : "light");
    }
    expect(await entries(page, "message-log", "to the form")).toContain("page-change");
    expect(await field(formIn(page), "card-expiry").inputValue()).toBe("12 / 34");
    expect(pageErrors).toEqual([]);
    await page.context().close();
  });

  test("switches an experiment off", async ({ service, browser }) => {
    const { page, pageErrors } = await openDrawer(service, browser, { viewport: WIDE });
    await page.click(".experiments summary");
    const boxes = page.locator(".experiments input");
    expect(await boxes.count()).toBe(Object.keys(EXPERIMENTS).length);
    const wrong = CARDS.approved.replace(/.$/, "1");
    const number = field(formIn(page), "card-number");
    await number.fill(wrong);
    await formIn(page).locator("#card-number[aria-invalid=true]").waitFor();
    await page.uncheck("[name=card-form-card-number-luhn-alg-validation]");
    expect(new URL(page.url()).searchParams.get("off")).toBe("card-form-card-number-luhn-alg-validation");
    await page.reload();
    await number.fill(wrong);
    await field(formIn(page), "card-expiry").fill("12/34");
    expect(await formIn(page).locator("#card-number[aria-invalid=true]").count()).toBe(0);
    expect(pageErrors).toEqual([]);
    await page.context().close();
  });

  test("puts the payment on Cardform's page, which leads back", async ({ service, browser }) => {
    const { page, pageErrors, order } = await openDrawer(
      service,
      browser,
      { viewport: WIDE },
      "?locale=fr-FR",
    );
    await choose(page, "layout", "page");
    expect(await page.locator("#card-form").count()).toBe(0);
    await page.click("#payment-page-link");
    await page.waitForSelector("#language");
    expect(await page.locator("#language").inputValue()).toBe("fr-FR");
    await typeCard(page, page, CARDS.approved);
    await page.click("#pay");
    // The page leads back by itself, and the shop's server confirms the order.
    await page.waitForSelector("#shop-outcome[data-status=succeeded]", { timeout: ANSWER_MS_MAX });
    expect(await page.textContent(".order-number")).toBe(order.order_id);
    expect(new URL(page.url()).search).toBe("?locale=fr-FR");
    expect(await page.locator("#drawer select[name=language]").inputValue()).toBe("fr-FR");
    await expect
      .poll(() => entries(page, "server-log", "webhook"), { timeout: ANSWER_MS_MAX })
      .toContain("charge.succeeded");
    await page.getByRole("button", { name: "Buy something else" }).click();
    await field(formIn(page), "card-number").waitFor();
    expect(pageErrors).toEqual([]);
    await page.context().close();
  });
});

test("an order that an address calls paid is not paid", async ({ service, browser }) => {
  const { page, order } = await openDrawer(service, browser);
  const address = `${service.shop}?order=${order.order_id}&charge_id=${order.charge_id}&status=succeeded`;
  await page.goto(address);
  await page.waitForSelector("#shop-outcome[data-status=processing]");
  await page.goto(`${service.shop}?order=LK-00000000&status=succeeded`);
  await page.waitForSelector("#shop-outcome[data-status=processing]");
  expect(await page.textContent("#shop-outcome")).not.toContain("Thank you");
  await page.context().close();
});

describe("the logs", () => {
  test("have the lines of form, page and server, and no secret", async ({ service, browser }) => {
    const { page, pageErrors, order } = await openDrawer(service, browser, { viewport: WIDE });
    await typeCard(formIn(page), page, CARDS.approved);
    await page.click("#pay-in-shop");
    await page.waitForSelector("#shop-outcome[data-status=succeeded]", { timeout: ANSWER_MS_MAX });
    expect(await entries(page, "message-log", "from the form")).toEqual(
      expect.arrayContaining(["user-loaded", "form-ready-state", "processing-result"]),
    );
    expect(await entries(page, "message-log", "to the form")).toContain("submit-ready");
    const short = `${order.charge_id?.slice(0, 9)}…`;
    await expect
      .poll(() => entries(page, "server-log", "request"), { timeout: ANSWER_MS_MAX })
      .toEqual(
        expect.arrayContaining([
          "POST /v1/charges",
          `POST /v1/charges/${short}/client-secret`,
          `GET /v1/charges/${short}`,
        ]),
      );
    await expect
      .poll(() => entries(page, "server-log", "webhook"), { timeout: ANSWER_MS_MAX })
      .toEqual(expect.arrayContaining(["charge.processing", "charge.succeeded"]));

    const logged = (await page.locator(".logs").textContent()) ?? "";
    expect(logged).toContain('"client_secret"');
    expect(logged).toContain('"amount_value": "12.50"');
    expect(logged.replaceAll(/\s/g, "")).not.toContain(CARDS.approved);
    // Each of its parts is long, and none is there.
    for (const part of [...(order.client_secret ?? "").split("."), order.payload ?? "-"]) {
      expect(logged).not.toContain(part.slice(0, 30));
    }
    // A line opens to show what was said.
    const line = page.locator('#server-log li[data-name="POST /v1/charges"]');
    await line.locator("summary").click();
    expect(await line.locator("pre").isVisible()).toBe(true);
    expect(await line.locator("pre").textContent()).toContain(order.charge_id);
    await page.getByRole("button", { name: "Clear messages" }).click();
    await expect.poll(() => entries(page, "message-log", "to the form")).toEqual([]);
    expect(pageErrors).toEqual([]);
    await page.context().close();
  });

  test("refuse a webhook that is not signed", async ({ service }) => {
    const body = JSON.stringify({ type: "charge.succeeded", data: { partner_reference: "LK-00000000" } });
    const answer = await fetch(`${service.shop}/webhooks`, { method: "POST", body });
    expect(answer.status).toBe(400);
    const log = await fetch(`${service.shop}/orders/LK-00000000/log`);
    expect(await log.json()).toEqual([]);
  });
});

describe("the drawer", () => {
  test("is open where there is room, and closed on a phone", async ({ service, browser }) => {
    for (const [viewport, isOpen] of [
      [WIDE, true],
      [PHONE, false],
    ] as const) {
      const { page } = await openPage(browser, { viewport });
      await page.goto(service.shop);
      await page.locator("#product-name").waitFor();
      expect(await page.locator("#drawer").isVisible()).toBe(isOpen);
      expect(await page.getAttribute("#drawer-handle", "aria-expanded")).toBe(`${isOpen}`);
      await page.context().close();
    }
  });

  test("has its button below the page on a phone, so that it covers nothing", async ({
    service,
    browser,
  }) => {
    const { page } = await openPage(browser, { viewport: PHONE });
    await page.goto(service.shop);
    await page.locator("#product-name").waitFor();
    const [footer, button] = await Promise.all(
      [".footer", "#drawer-handle"].map((part) => page.locator(part).boundingBox()),
    );
    expect(button?.y).toBeGreaterThanOrEqual((footer?.y ?? 0) + (footer?.height ?? Number.NaN));
    await page.context().close();
  });

  test.for([
    ["on a phone", PHONE, ""],
    ["on a phone from the right", PHONE, "?locale=ar-SA"],
    ["on a wide screen", WIDE, ""],
    ["in the dark", WIDE, "?dir=rtl"],
  ] as const)("is accessible and fits %s", async ([name, viewport, query], { service, browser }) => {
    const colorScheme = name === "in the dark" ? "dark" : "light";
    const { page, pageErrors } = await openDrawer(service, browser, { viewport, colorScheme }, query);
    await page.click(".experiments summary");
    await expect
      .poll(() => page.locator("#server-log li").count(), { timeout: ANSWER_MS_MAX })
      .toBeGreaterThan(0);
    expect(await axeViolations(page)).toEqual([]);
    expect(await overflowProblems(page)).toEqual([]);
    await page.locator("#drawer select[name=theme]").focus();
    await page.keyboard.press("Escape");
    expect(await page.locator("#drawer").isHidden()).toBe(true);
    expect(await page.evaluate(() => document.activeElement?.id)).toBe("drawer-handle");
    expect(pageErrors).toEqual([]);
    await page.context().close();
  });
});

test("the shop in one plain HTML file takes a payment", async ({ service, browser }) => {
  const { page, pageErrors } = await openPage(browser);
  const answer = await page.goto(`${service.shop}/plain`);
  expect(answer?.headers()["content-security-policy"]).not.toContain("unsafe-inline");
  await field(formIn(page), "card-number").waitFor();
  expect(await page.textContent("#pay")).toBe("Pay $12.50");
  await typeCard(formIn(page), page, CARDS.insufficientFunds);
  await page.click("#pay");
  await expect.poll(() => page.textContent("#message"), { timeout: ANSWER_MS_MAX }).toContain("enough funds");
  await typeCard(formIn(page), page, CARDS.approved);
  await page.keyboard.press("Enter");
  await expect
    .poll(() => page.textContent("#message"), { timeout: ANSWER_MS_MAX })
    .toContain("order is paid");
  expect(await page.locator("#pay").isHidden()).toBe(true);
  expect(await axeViolations(page)).toEqual([]);
  expect(pageErrors).toEqual([]);
  await page.context().close();
});
