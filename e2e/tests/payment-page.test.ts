// The payment page always shows the true item, amount and merchant, even when its link was changed or its theme would hide
// them. It also has a language menu, a link back to the merchant and a receipt.

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { describe, expect } from "vitest";

import arabic from "../../locales/ar-SA.json" with { type: "json" };
import english from "../../locales/en-US.json" with { type: "json" };
import french from "../../locales/fr-FR.json" with { type: "json" };
import { axeViolations } from "../src/accessibility.ts";
import { DESKTOP, openPage } from "../src/browser.ts";
import { openEmbedded } from "../src/form-page.ts";
import { layoutProblems } from "../src/layout-problems.ts";
import { overflowProblems } from "../src/overflow-problems.ts";
import type { AddedMerchant, Service } from "../src/service.ts";
import { CARDS, field, typeCard } from "../src/shopper.ts";
import { test } from "../src/test.ts";

const PHONE = { width: 390, height: 844 };
const PHONE_CONTEXT = { viewport: PHONE };
const NARROW = { width: 320, height: 640 };
/** How long a charge may take on a busy machine, device data included. */
const ANSWER_MS_MAX = 20_000;

async function openCharge(
  service: Service,
  browser: Browser,
  charge = {},
  context = {},
  customStyle: object | null = null,
) {
  const created = await service.merchant.createCharge(charge);
  const { page, pageErrors } = await openPage(browser, context);
  const url = new URL(created.url);
  if (customStyle !== null) {
    url.searchParams.set("customStyle", JSON.stringify(customStyle));
  }
  await page.goto(url.href);
  await page.waitForFunction(() => window.cardformVersion !== undefined);
  return { page, pageErrors, created };
}

/** The payload with another item name. */
const withOtherItem = (payload: string) => replaceInPayload(payload, "100 gems", "999 gems");

/** The payload with `after` in place of `before`. Both texts must have the same length. */
function replaceInPayload(payload: string, before: string, after: string): string {
  const bytes = Buffer.from(payload, "base64url");
  bytes.write(after, bytes.indexOf(before));
  return bytes.toString("base64url");
}

async function approvals(service: Service, chargeId: string): Promise<number> {
  return (await service.ledger()).filter((entry) => entry.charge_id === chargeId).length;
}

describe("a changed link", () => {
  test("shows and pays the charge's own item on the payment page", async ({ service, browser }) => {
    const created = await service.merchant.createCharge();
    const { page } = await openPage(browser);
    await page.goto(created.url.replace(created.payload, withOtherItem(created.payload)));
    await page.waitForFunction(() => window.cardformVersion !== undefined);
    expect(await page.textContent(".summary-item")).toBe("100 gems");
    expect(await page.textContent("html")).not.toContain("999 gems");
    await typeCard(page, page, CARDS.approved);
    await page.click("#pay");
    await page.waitForSelector("#outcome[data-status=succeeded]", { timeout: ANSWER_MS_MAX });
    expect(await approvals(service, created.id)).toBe(1);
  });

  test("is refused in a merchant's page, and nothing is charged", async ({ service, browser, merchant }) => {
    const changedService: Service = {
      ...service,
      merchant: {
        ...service.merchant,
        createCharge: async (charge) => {
          const created = await service.merchant.createCharge(charge);
          return { ...created, payload: withOtherItem(created.payload) };
        },
      },
    };
    const { page, form, post, received, created } = await openEmbedded(changedService, browser, merchant);
    await typeCard(form, page, CARDS.approved);
    await post({ type: "submit-ready", client_secret: created.client_secret });
    const results = async () => (await received()).filter(({ type }) => type === "processing-result");
    await expect.poll(async () => (await results()).length, { timeout: ANSWER_MS_MAX }).toBe(1);
    expect((await results())[0]).toMatchObject({ success: false });
    expect(await approvals(service, created.id)).toBe(0);
  });

  test("with another merchant's charge shows an instruction instead of a form", async ({
    service,
    browser,
  }) => {
    const [shop, other] = ["Larkspur", "Foxglove"].map((name) => service.addMerchant("--name", name));
    const created = await (shop as AddedMerchant).createCharge();
    const payload = replaceInPayload(created.payload, shop?.partnerId ?? "", other?.partnerId ?? "");
    const { page, pageErrors } = await openPage(browser, { locale: "fr-FR" });
    const answer = await page.goto(created.url.replace(created.payload, payload));
    expect(answer?.status()).toBe(422);
    expect(await page.textContent("h1")).toBe(french.page_unusable_title);
    expect(await page.textContent(".error-description")).toBe(french.outcome_incomplete_link_text);
    // The explanation for the merchant's developer is in English.
    const detail = page.locator(".error-detail[lang=en]");
    expect(await detail.textContent()).toBe("The payload names the charge of another merchant.");
    expect(await page.textContent("html")).not.toContain("100 gems");
    expect(await page.locator("input").count()).toBe(0);
    expect(await axeViolations(page)).toEqual([]);
    // The browser itself logs the status 422.
    expect(pageErrors.splice(0).filter((pageError) => !pageError.includes("422"))).toEqual([]);
    await page.context().close();
  });
});

/** A PNG image of one red pixel, in base64. */
const LOGO =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==";

test("the merchant's name and logo are at the top and link to its website", async ({ service, browser }) => {
  const website = `${service.url}/healthz`;
  const folder = mkdtempSync(join(tmpdir(), "cardform-logo-"));
  const file = join(folder, "logo.png");
  writeFileSync(file, Buffer.from(LOGO, "base64"));
  const shop = service.addMerchant(...["--name", "Larkspur & Sons", "--website", website, "--logo", file]);
  rmSync(folder, { recursive: true });
  const { page, pageErrors } = await openPage(browser, { viewport: NARROW });
  await page.goto((await shop.createCharge()).url);
  await page.waitForSelector("#cancel-payment");
  expect(await page.textContent(".payee-name")).toBe("Larkspur & Sons");
  const logo = page.locator(".payee-logo");
  await expect.poll(() => logo.evaluate((image: HTMLImageElement) => image.naturalWidth)).toBe(1);
  expect(new URL(await logo.evaluate((image: HTMLImageElement) => image.src)).origin).toBe(service.url);
  expect(await page.evaluate(layoutProblems)).toEqual([]);
  // The charge has no `cancel_url`, so its cancel link leads to the website, too.
  for (const link of [".payee-link", "#cancel-payment"]) {
    expect(await page.getAttribute(link, "href")).toBe(website);
  }
  await page.click(".payee-link");
  await page.waitForURL(website);
  await page.goBack();
  await page.waitForSelector("#language");
  await typeCard(page, page, CARDS.approved);
  await page.click("#pay");
  await page.waitForSelector("#outcome[data-status=succeeded]", { timeout: ANSWER_MS_MAX });
  expect(await page.getAttribute(".outcome-back", "href")).toBe(website);
  expect(pageErrors).toEqual([]);
  await page.context().close();
});

/** Themes that would hide item, amount or merchant. */
const HIDING_THEMES: Readonly<Record<string, object>> = {
  "no size": { children: { cardForm: { fontSize: "0px", verticalSpacing: "0px", fontWeight: 1 } } },
  "a huge size": { children: { cardForm: { fontSize: "400px", verticalSpacing: "900px" } } },
  "white on white": {
    backgroundColor: "#fff",
    children: { cardForm: { backgroundColor: "#fff", titleColor: "#fff" } },
  },
  "black on black": {
    backgroundColor: "#000",
    children: { cardForm: { backgroundColor: "#000", titleColor: "#000" } },
  },
  "a button like the panel": {
    children: {
      cardForm: {
        backgroundColor: "#777777",
        children: { cardCheckbox: { activeBackgroundColor: "#777777" } },
      },
    },
  },
  "a padding beyond the screen": { padding: "200vh 100vw" },
  "symbols for letters": { children: { cardForm: { fontFamily: "Wingdings, Webdings" } } },
};

describe("a theme", () => {
  test.for(Object.keys(HIDING_THEMES))(
    "with %s hides nothing of the summary",
    async (name, { service, browser }) => {
      const { page, pageErrors } = await openCharge(
        service,
        browser,
        {},
        { viewport: PHONE },
        HIDING_THEMES[name] ?? {},
      );
      const shown = await page.evaluate(() =>
        [".payee-name", ".summary-label", ".summary-amount", ".summary-item bdi", "#pay span"].map((part) => {
          const element = document.querySelector(part) as HTMLElement;
          const { width, height, left, right, top } = element.getBoundingClientRect();
          const { fontSize, fontFamily } = getComputedStyle(element);
          return {
            part,
            isSeen: width > 20 && height > 10 && left >= 0 && right <= innerWidth && top < innerHeight,
            size: Number.parseFloat(fontSize) >= 12 && Number.parseFloat(fontSize) <= 40,
            isPlain: fontFamily.startsWith("system-ui"),
          };
        }),
      );
      expect(shown).toEqual(shown.map(({ part }) => ({ part, isSeen: true, size: true, isPlain: true })));
      expect((await axeViolations(page)).filter((rule) => rule.startsWith("color-contrast"))).toEqual([]);
      expect(await overflowProblems(page)).toEqual([]);
      expect(pageErrors).toEqual([]);
      await page.context().close();
    },
  );

  test("sets the colors of panel, button and page, and a limited radius", async ({ service, browser }) => {
    const style = {
      backgroundColor: "#1b2a41",
      children: {
        cardForm: {
          backgroundColor: "#fdf6ec",
          borderRadius: "500px",
          children: { cardCheckbox: { activeBackgroundColor: "#7a1f5c" } },
        },
      },
    };
    const { page } = await openCharge(service, browser, {}, {}, style);
    const styles = await page.evaluate(() => {
      const of = (part: string) => getComputedStyle(document.querySelector(part) as Element);
      return {
        page: of("body").backgroundColor,
        panel: of(".panel").backgroundColor,
        button: of("#pay").backgroundColor,
        radius: of("#pay").borderTopLeftRadius,
      };
    });
    expect(styles).toEqual({
      page: "rgb(27, 42, 65)",
      panel: "rgb(253, 246, 236)",
      button: "rgb(122, 31, 92)",
      radius: "20px",
    });
    await page.context().close();
  });
});

/** The positions of the parts that a shopper may be about to tap. */
function positions(page: Page) {
  return page.evaluate(() =>
    Object.fromEntries(
      [".summary-amount", "#card-number", "#card-security-code", "#pay", ".page-foot"].map((part) => {
        const { left, top } = (document.querySelector(part) as Element).getBoundingClientRect();
        return [part, `${Math.round(left)} ${Math.round(top + scrollY)}`];
      }),
    ),
  );
}

describe("the page's layout", () => {
  test.for([
    ["desktop", DESKTOP],
    ["phone", PHONE],
  ] as const)(
    "on a %s nothing moves when the card is declined",
    async ([_, viewport], { service, browser }) => {
      const { page } = await openCharge(service, browser, {}, { viewport });
      await page.waitForSelector("#language");
      await typeCard(page, page, CARDS.declined);
      const before = await positions(page);
      await page.click("#pay");
      await page.waitForSelector("#outcome[data-status=failed]", { timeout: ANSWER_MS_MAX });
      expect(await positions(page)).toEqual(before);
      await page.context().close();
    },
  );

  test("on a phone the panel is at the top", async ({ service, browser }) => {
    const { page } = await openCharge(service, browser, {}, { viewport: { width: 390, height: 1_400 } });
    const top = await page.evaluate(() => document.querySelector(".panel")?.getBoundingClientRect().top);
    expect(top).toBeLessThan(200);
    await page.context().close();
  });

  test.for([
    ["at 320 pixels", "100%", {}],
    ["with text of twice the size", "200%", {}],
    ["in Arabic", "100%", { locale: "ar-SA" }],
  ] as const)("%s long names wrap", async ([_, size, context], { service, browser }) => {
    const item = `${"Überlebensausrüstungspaket".repeat(9)} مرحبا`;
    const reference = "order-".repeat(40);
    const charge = { item_name: item, partner_reference: reference, amount_value: "1234567890.12" };
    const { page } = await openCharge(service, browser, charge, { viewport: NARROW, ...context });
    await page.waitForSelector("#language");
    await page.evaluate((size) => document.documentElement.style.setProperty("font-size", size), size);
    expect(await page.evaluate(layoutProblems)).toEqual([]);
    await typeCard(page, page, CARDS.approved);
    await page.click("#pay");
    await page.waitForSelector("#receipt", { timeout: ANSWER_MS_MAX });
    expect(await page.evaluate(layoutProblems)).toEqual([]);
    await page.context().close();
  });
});

test("without scripts the page says so in the shopper's language", async ({ service, browser }) => {
  const created = await service.merchant.createCharge();
  const { page } = await openPage(browser, { javaScriptEnabled: false, locale: "fr-FR" });
  await page.goto(created.url);
  expect(await page.locator(".no-script").textContent()).toBe(french.needs_javascript);
  expect(await page.locator(".no-script").isVisible()).toBe(true);
  expect(await page.locator("#card-number").isVisible()).toBe(false);
  expect(await page.locator(".payee").textContent()).toBe("Demo merchant");
  await page.context().close();
});

describe("the language menu", () => {
  test("changes texts and amount, and keeps what was typed", async ({ service, browser }) => {
    const { page, pageErrors, created } = await openCharge(service, browser);
    await page.waitForSelector("#language");
    await field(page, "card-number").click();
    await page.keyboard.type("4242");
    await page.locator("#language").focus();
    await page.locator("#language").selectOption("fr-FR");
    await expect.poll(() => page.textContent("label[for=card-number]")).toBe(french.card_number);
    // Browsers use different narrow spaces in French amounts.
    expect((await page.textContent(".summary-amount"))?.replaceAll(/\s/g, " ")).toBe("12,50 $US");
    expect((await page.textContent("#pay"))?.replaceAll(/\s/g, " ")).toContain("12,50 $US");
    expect(await field(page, "card-number").inputValue()).toBe("4242");
    expect(await page.evaluate(() => document.activeElement?.id)).toBe("language");

    await page.locator("#language").selectOption("ar-SA");
    await expect.poll(() => page.textContent("label[for=card-number]")).toBe(arabic.card_number);
    expect(await page.getAttribute("html", "dir")).toBe("rtl");
    await page.locator("#language").selectOption("en-US");
    await expect.poll(() => page.textContent("label[for=card-number]")).toBe(english.card_number);
    expect(await page.textContent(".summary-amount")).toBe("$12.50");

    await typeCard(page, page, CARDS.approved);
    await page.click("#pay");
    await page.waitForSelector("#outcome[data-status=succeeded]", { timeout: ANSWER_MS_MAX });
    expect((await service.merchant.charge(created.id)).status).toBe("succeeded");
    expect(pageErrors).toEqual([]);
    await page.context().close();
  });

  test("keeps the outcome's title and the focus when the payment is over", async ({ service, browser }) => {
    const { page } = await openCharge(service, browser);
    await page.waitForSelector("#language");
    await page.locator("#language").selectOption("ar-SA");
    await expect.poll(() => page.textContent("#card-form-title")).toBe(arabic.pay_with_card);
    expect(await page.title()).toContain(await page.textContent("#pay"));
    await typeCard(page, page, CARDS.approved);
    await page.click("#pay");
    await page.waitForSelector("#outcome[data-status=succeeded]", { timeout: ANSWER_MS_MAX });
    expect(await page.title()).toContain(arabic.outcome_succeeded);
    await page.locator("#language").focus();
    await page.locator("#language").selectOption("fr-FR");
    await expect.poll(() => page.textContent(".outcome-title")).toBe(french.outcome_succeeded);
    expect(await page.title()).toContain(french.outcome_succeeded);
    expect(await page.evaluate(() => document.activeElement?.id)).toBe("language");

    // The same is true after a reload.
    await page.reload();
    await page.waitForSelector("#outcome[data-status=succeeded]");
    await page.locator("#language").selectOption("ar-SA");
    await expect.poll(() => page.textContent(".outcome-title")).toBe(arabic.outcome_succeeded);
    expect(await page.title()).toContain(arabic.outcome_succeeded);
    await page.context().close();
  });

  test("shows each language by its own name", async ({ service, browser }) => {
    const { page } = await openCharge(service, browser);
    // The menu is in a script of its own that loads after the fields.
    await page.waitForSelector("#language");
    const names = await page.locator("#language option").allTextContents();
    expect(names).toHaveLength(31);
    expect(names.slice(0, 4)).toEqual(["Bahasa Indonesia", "Čeština", "Deutsch", "English"]);
    expect(names).toEqual(expect.arrayContaining(["ລາວ", "မြန်မာ", "ខ្មែរ", "日本語"]));
    await page.context().close();
  });
});

test("the cancel link leads to the charge's cancel_url", async ({ service, browser }) => {
  const cancel_url = `${service.url}/healthz`;
  const { page } = await openCharge(service, browser, { cancel_url });
  await page.waitForSelector("#cancel-payment");
  expect(await page.textContent("#cancel-payment")).toBe(english.cancel_payment);
  await page.click("#cancel-payment");
  await page.waitForURL(cancel_url);
  await page.context().close();
});

test("the receipt shows reference and card, also after a reload", async ({ service, browser }) => {
  const { page } = await openCharge(service, browser, { partner_reference: "order-17" });
  await typeCard(page, page, CARDS.mastercard);
  await page.click("#pay");
  const receipt = async () => {
    await page.waitForSelector("#receipt", { timeout: ANSWER_MS_MAX });
    return [await page.locator("#receipt dd").allInnerTexts(), await page.textContent(".summary-label")];
  };
  const last = CARDS.mastercard.slice(-4);
  // The dots are only seen, the other words only heard.
  const card = `Mastercard, ending in ${last}\nMastercard •••• ${last}`;
  const expected = [["order-17", card], english.you_paid];
  expect(await receipt()).toEqual(expected);
  expect(await page.locator("#cancel-payment").count()).toBe(0);
  await page.reload();
  expect(await receipt()).toEqual(expected);
  await page.context().close();
});

test("a chosen color mode stays for the shopper's next pages", async ({ service, browser }) => {
  const { page } = await openCharge(service, browser, {}, { colorScheme: "light" });
  const mode = () => page.locator("html").getAttribute("data-color-mode");
  const ground = () => page.locator("body").evaluate((body) => getComputedStyle(body).backgroundColor);
  const light = await ground();
  expect(await mode()).toBe("system");
  await page.locator("#color-mode").selectOption("dark");
  expect(await ground()).not.toBe(light);
  await page.reload();
  await page.locator("#color-mode").waitFor();
  expect(await mode()).toBe("dark");
  expect(await page.locator("#color-mode").inputValue()).toBe("dark");
  expect(await ground()).not.toBe(light);
});

test("marks piled up on an item's name do not cover the amount", async ({ service, browser }) => {
  const marks = "\u0300\u0321\u030d\u031b".repeat(20);
  const plain = await openCharge(service, browser, { item_name: "gems" }, PHONE_CONTEXT);
  const piled = await openCharge(service, browser, { item_name: `g${marks}ems` }, PHONE_CONTEXT);
  const amount = (page: Page) => page.locator(".summary-amount").screenshot();
  expect((await amount(piled.page)).equals(await amount(plain.page))).toBe(true);
});
