// A shopper manages saved cards on the card page: by itself, in a merchant's page, by keyboard, from right to left, and when
// something fails.

import { randomUUID } from "node:crypto";
import type { Browser, BrowserContextOptions, FrameLocator, Page } from "playwright-core";
import { describe, expect } from "vitest";

import { axeViolations } from "../src/accessibility.ts";
import { openPage } from "../src/browser.ts";
import { layoutProblems } from "../src/layout-problems.ts";
import { saveCard, savedCardsCharge } from "../src/save-card.ts";
import { saveScreenshot } from "../src/screenshots.ts";
import type { Service } from "../src/service.ts";
import { CARDS, type FormPlace, typeCard } from "../src/shopper.ts";
import { serviceWith, test } from "../src/test.ts";

/** With a service whose time a test moves. */
const clocked = test.extend("service", { scope: "file" }, serviceWith("--clock"));

const RETURN_URL = "https://shop.example/account";
const PHONE_320 = { width: 320, height: 700 };

interface StoredCard {
  readonly last_four: string;
  readonly nickname: string | null;
  readonly default: boolean;
  readonly expiration_year: string;
}

interface OpenedSession {
  readonly url: string;
  readonly payload: string;
  readonly client_secret: string;
}

async function openSession(service: Service, shopper: string, body: object = {}): Promise<OpenedSession> {
  const answer = await fetch(`${service.url}/v1/shoppers/${shopper}/card-sessions`, {
    method: "POST",
    headers: { authorization: `Bearer ${service.secretKey}`, "content-type": "application/json" },
    body: JSON.stringify({ return_url: RETURN_URL, ...body }),
  });
  expect(answer.status).toBe(201);
  return (await answer.json()) as OpenedSession;
}

/** A shopper with a Visa card and, saved later, a Mastercard. */
async function shopperWithCards(service: Service): Promise<string> {
  const charge = savedCardsCharge();
  await saveCard(service, charge, CARDS.approved);
  await saveCard(service, charge, CARDS.mastercard);
  return String(charge.shopper_id);
}

async function openCards(
  service: Service,
  browser: Browser,
  shopper: string,
  { locale, ...context }: BrowserContextOptions & { locale?: string } = {},
) {
  const session = await openSession(service, shopper);
  const watched = await openPage(browser, context);
  const url = new URL(session.url);
  if (locale !== undefined) {
    url.pathname = `/${locale}`;
  }
  await watched.page.goto(url.href);
  await watched.page.locator("#add-card, #outcome, #saved-cards-error").first().waitFor();
  return { ...watched, session, url: url.href };
}

const rows = (place: FormPlace) => place.locator("li.saved-card");
const titles = (place: FormPlace) => rows(place).locator(".own-card-name").allTextContents();
const row = (place: FormPlace, text: string) => rows(place).filter({ hasText: text });
const button = (place: Page | FrameLocator, name: RegExp) => place.getByRole("button", { name });
const focusedId = (page: Page) => page.evaluate(() => document.activeElement?.id ?? "");

/** Moves the service's clock, by an ISO 8601 duration. */
async function advance(service: Service, duration: string): Promise<void> {
  const moved = await fetch(`${service.url}/clock`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ advance: duration }),
  });
  expect(moved.status).toBe(200);
}

/** The cards as the merchant's server sees them. */
async function storedCards(service: Service, shopper: string) {
  const answer = await fetch(`${service.url}/v1/shoppers/${shopper}/payment-methods`, {
    headers: { authorization: `Bearer ${service.secretKey}` },
  });
  return ((await answer.json()) as { items: StoredCard[] }).items;
}

async function expectClean(page: Page, name: string): Promise<void> {
  await saveScreenshot(page, `cards-${name}`, true);
  expect(await axeViolations(page), name).toEqual([]);
  expect(await page.evaluate(layoutProblems), name).toEqual([]);
}

describe("by itself", () => {
  test("a shopper lists, chooses, names and removes cards", async ({ service, browser }) => {
    const shopper = await shopperWithCards(service);
    const { page, pageErrors, url } = await openCards(service, browser, shopper);
    await expect.poll(() => titles(page)).toEqual(["Mastercard •••• 4444", "Visa •••• 4242"]);
    expect(await page.title()).toMatch(/^Your cards – /);
    expect(page.url()).not.toContain("client_secret");
    expect(await page.getAttribute("#card-page-way-out", "href")).toBe(RETURN_URL);
    await expectClean(page, "list");

    await button(page, /Make default: Visa/).click();
    await expect.poll(() => titles(page)).toEqual(["Visa •••• 4242", "Mastercard •••• 4444"]);
    expect(await row(page, "4242").locator(".own-card-default").textContent()).toBe("Default");
    expect(await focusedId(page)).toMatch(/^own-card-pm_\w+$/);
    expect(await page.textContent("#card-page-news")).toBe("Your change was saved.");

    await button(page, /Edit name: Mastercard/).click();
    expect(await focusedId(page)).toMatch(/-name$/);
    await expectClean(page, "naming");
    await page.keyboard.type("Company & Co");
    await page.keyboard.press("Enter");
    await row(page, "Company & Co").waitFor();
    expect(await focusedId(page)).toMatch(/-rename$/);
    expect(await storedCards(service, shopper)).toMatchObject([
      { last_four: "4242", nickname: null, default: true },
      { last_four: "4444", nickname: "Company & Co", default: false },
    ]);

    await button(page, /Remove: Visa/).click();
    await page.locator("dialog[open]").waitFor();
    await expectClean(page, "removal");
    await page.click("#remove-card-confirm");
    await expect.poll(() => titles(page)).toEqual(["Mastercard •••• 4444"]);
    expect(await focusedId(page)).toMatch(/^own-card-pm_\w+$/);
    expect(await storedCards(service, shopper)).toHaveLength(1);

    // The address has no secret any more, but a reload still shows the cards.
    await page.reload();
    await expect.poll(() => titles(page)).toEqual(["Mastercard •••• 4444"]);
    expect(url).toContain("#client_secret=");
    expect(pageErrors).toEqual([]);
  });

  test("a card is added, after a decline and with a challenge", async ({ service, browser }) => {
    const shopper = `sh-${randomUUID()}`;
    const { page, pageErrors } = await openCards(service, browser, shopper);
    await page.locator("text=You have no saved cards yet.").waitFor();
    await expectClean(page, "none");
    await page.click("#add-card");
    await page.locator("#card-number").waitFor();
    expect(await focusedId(page)).toBe("card-number");
    expect(await page.textContent("h1")).toBe("Add a card");
    await expectClean(page, "form");
    await typeCard(page, page, CARDS.declined);
    await page.click("#pay");
    await page.locator("text=Your card was declined").first().waitFor();

    await typeCard(page, page, CARDS.challenge);
    await page.click("#pay");
    await page.frameLocator("dialog iframe").locator("#approve").click();
    await expect.poll(() => rows(page).count()).toBe(1);
    expect(await page.textContent("#card-page-news")).toBe("Card saved");
    expect(await focusedId(page)).toBe("your-cards");

    // A second card has a charge of its own, and a form that was left makes none.
    await page.click("#add-card");
    await page.locator("#card-number").waitFor();
    await button(page, /Back to your cards/).click();
    await expect.poll(() => focusedId(page)).toBe("add-card");
    await page.click("#add-card");
    await page.locator("#card-number").waitFor();
    await typeCard(page, page, CARDS.mastercard);
    await page.keyboard.press("Enter");
    await expect.poll(() => rows(page).count()).toBe(2);
    const charges = await fetch(`${service.url}/v1/charges?shopper_id=${shopper}`, {
      headers: { authorization: `Bearer ${service.secretKey}` },
    });
    expect(((await charges.json()) as { items: unknown[] }).items).toHaveLength(2);
    expect(pageErrors).toEqual([]);
  });

  clocked("an expired card gets its new date", async ({ service, browser }) => {
    const charge = savedCardsCharge();
    const shopper = String(charge.shopper_id);
    await saveCard(service, charge, CARDS.approved);
    const today = new Date();
    const thisMonth = String(today.getMonth() + 1).padStart(2, "0") + String(today.getFullYear()).slice(2);
    await saveCard(service, charge, CARDS.mastercard, "123", thisMonth);
    await advance(service, "P40D");
    const session = await openSession(service, shopper);
    const { page, pageErrors } = await openPage(browser);
    await page.clock.setFixedTime(today.getTime() + 40 * 86_400_000);
    await page.goto(session.url);
    await button(page, /Enter new date: Mastercard/).click();
    const typed = page.locator(".saved-card .field-input");
    await expect.poll(() => typed.count()).toBe(2);
    expect(await page.textContent("h1")).toBe("Enter new date");
    expect(await page.evaluate(() => document.activeElement?.id ?? "")).toMatch(/-expiry$/);
    // Nothing but this card.
    expect(await page.locator(".saved-card").count()).toBe(1);
    expect(await page.locator(".saved-card-remove, .method-divider").filter({ visible: true }).count()).toBe(
      0,
    );
    await expectClean(page, "renewal");
    await button(page, /Back to your cards/).click();
    await expect.poll(() => focusedId(page)).toMatch(/-renew$/);

    await page.keyboard.press("Enter");
    await expect.poll(() => typed.count()).toBe(2);
    await page.keyboard.type("1234");
    await page.keyboard.type("123");
    await page.keyboard.press("Enter");
    await expect.poll(() => row(page, "4444").textContent()).toContain("12/34");
    expect(await page.textContent("#card-page-news")).toBe("Your change was saved.");
    expect(await focusedId(page)).toMatch(/^own-card-pm_\w+$/);
    expect(await storedCards(service, shopper)).toMatchObject([
      { last_four: "4444", expiration_year: "2034" },
      { last_four: "4242", expiration_year: "2034" },
    ]);
    expect(pageErrors).toEqual([]);
  });

  test("the keyboard alone is enough", async ({ service, browser }) => {
    const shopper = await shopperWithCards(service);
    const { page } = await openCards(service, browser, shopper);
    await rows(page).nth(1).waitFor();
    const press = async (...keys: string[]) => {
      for (const key of keys) {
        await page.keyboard.press(key);
      }
    };
    const focusedName = () => page.evaluate(() => document.activeElement?.getAttribute("aria-label"));
    await button(page, /Make default: Mastercard/).focus();
    await press("Tab");
    expect(await focusedName()).toMatch(/^Edit name: Mastercard/);
    await press("Enter");
    await page.keyboard.type("x");
    await press("Escape");
    expect(await focusedName()).toMatch(/^Edit name: Mastercard/);
    await press("Tab");
    expect(await focusedName()).toMatch(/^Remove: Mastercard/);
    await press("Enter");
    await page.locator("dialog[open]").waitFor();
    await press("Escape");
    await expect.poll(() => page.locator("dialog[open]").count()).toBe(0);
    expect(await focusedName()).toMatch(/^Remove: Mastercard/);
    await press("Enter");
    await page.locator("#remove-card-confirm").focus();
    await press("Enter");
    await expect.poll(() => titles(page)).toEqual(["Visa •••• 4242"]);
    expect(await storedCards(service, shopper)).toMatchObject([{ last_four: "4242", nickname: null }]);
  });

  test("a removal is asked again at once after Escape", async ({ service, browser }) => {
    const shopper = await shopperWithCards(service);
    const { page } = await openCards(service, browser, shopper);
    await button(page, /Remove: Mastercard/).click();
    await page.locator("dialog[open]").waitFor();
    // The quickest second press: in the moment in which the closing dialog gives the focus back.
    await button(page, /Remove: Mastercard/).evaluate((remove: HTMLElement) => {
      remove.addEventListener("focus", () => queueMicrotask(() => remove.click()), { once: true });
    });
    await page.keyboard.press("Escape");
    await page.locator("#remove-card-confirm").focus();
    await page.keyboard.press("Enter");
    await expect.poll(() => titles(page)).toEqual(["Visa •••• 4242"]);
  });

  test.for([
    ["ar-SA", "light"],
    ["de-DE", "dark"],
    ["my-MM", "light"],
  ] as const)("on a small phone in %s, %s", async ([locale, colorScheme], { service, browser }) => {
    const shopper = await shopperWithCards(service);
    const phone = { viewport: PHONE_320, hasTouch: true, isMobile: true, colorScheme };
    const { page, pageErrors } = await openCards(service, browser, shopper, { ...phone, locale });
    await rows(page).nth(1).waitFor();
    await expectClean(page, `list-320-${locale}`);
    await rows(page).last().locator(".own-card-action").first().click();
    await rows(page).first().locator(".own-card-default").waitFor();
    await rows(page).first().locator("[id$=-rename]").click();
    await page.keyboard.type("Ein langer Name, der umbricht, mit vierzig");
    await expectClean(page, `naming-320-${locale}`);
    await page.keyboard.press("Enter");
    await page.locator(".own-card-nickname").waitFor();
    await expectClean(page, `named-320-${locale}`);
    await page.click("#add-card");
    await page.locator("#card-number").waitFor();
    await expectClean(page, `form-320-${locale}`);
    expect(pageErrors).toEqual([]);
  });

  test("another language is chosen in the open page", async ({ service, browser }) => {
    const shopper = await shopperWithCards(service);
    const { page } = await openCards(service, browser, shopper);
    await rows(page).nth(1).waitFor();
    await page.selectOption("#language", "fr-FR");
    await page.locator("h1:has-text('Vos cartes')").waitFor();
    await expect.poll(() => page.title()).toMatch(/^Vos cartes – /);
    await page.click("#add-card");
    await page.locator("#card-number").waitFor();
    expect(await page.textContent("#pay")).toBe("Enregistrer la carte");
  });
});

describe("when something fails", () => {
  test("a failed list is loaded again, and a failed change is told", async ({ service, browser }) => {
    const shopper = await shopperWithCards(service);
    const session = await openSession(service, shopper);
    const { page } = await openPage(browser);
    await page.route("**/v1/pub/shoppers/**", (route) => route.abort());
    await page.goto(session.url);
    await page.locator("#saved-cards-error").waitFor();
    await expectClean(page, "failed");
    await page.unroute("**/v1/pub/shoppers/**");
    await button(page, /Try again/).click();
    await expect.poll(() => rows(page).count()).toBe(2);

    await page.route("**/v1/pub/payment-methods/**", (route) => route.abort());
    await button(page, /Make default: Visa/).click();
    await page.locator("text=This card could not be changed").waitFor();
    await button(page, /Remove: Visa/).click();
    await page.click("#remove-card-confirm");
    await page.locator("text=This card could not be removed").waitFor();
    expect(await rows(page).count()).toBe(2);
    await page.route("**/v1/pub/card-sessions/**", (route) => route.abort());
    await page.click("#add-card");
    await page.locator("text=A card cannot be added right now").waitFor();
    expect(await focusedId(page)).toBe("add-card");
    expect(await storedCards(service, shopper)).toHaveLength(2);
  });

  test("a card that is gone leaves the list", async ({ service, browser }) => {
    const shopper = await shopperWithCards(service);
    const { page } = await openCards(service, browser, shopper);
    const other = await openCards(service, browser, shopper);
    await button(other.page, /Remove: Visa/).click();
    await other.page.click("#remove-card-confirm");
    await expect.poll(() => rows(other.page).count()).toBe(1);
    await button(page, /Make default: Visa/).click();
    await expect.poll(() => titles(page)).toEqual(["Mastercard •••• 4444"]);
    await page.locator("text=This card could not be changed").waitFor();
  });

  clocked("a session that has expired leads back", async ({ service, browser }) => {
    const shopper = `sh-${randomUUID()}`;
    const { page } = await openCards(service, browser, shopper);
    await page.locator("text=You have no saved cards yet.").waitFor();
    await advance(service, "PT2H");
    await page.click("#add-card");
    await page.locator("text=The time to manage your cards has run out.").waitFor();
    expect(await page.getAttribute("#card-page-way-out", "href")).toBe(RETURN_URL);
    expect(await focusedId(page)).toBe("your-cards");
    await expectClean(page, "expired");
  });

  test("without the session's own secret no card is asked for", async ({ service, browser }) => {
    const shopper = await shopperWithCards(service);
    const session = await openSession(service, shopper);
    const other = await openSession(service, `sh-${randomUUID()}`);
    const { page } = await openPage(browser);
    const asked: string[] = [];
    page.on("request", (request) => asked.push(request.url()));
    const [address] = session.url.split("#");
    for (const fragment of ["", `#client_secret=${other.client_secret}`, "#client_secret=x"]) {
      await page.goto("about:blank");
      await page.goto(`${address}${fragment}`);
      await page.locator("text=The time to manage your cards has run out.").waitFor();
    }
    expect(asked.filter((url) => url.includes("/v1/pub/shoppers"))).toEqual([]);
  });
});

describe("in a merchant's page", () => {
  test("the SDK shows the cards, tells of changes and follows the height", async ({
    service,
    browser,
    merchant,
  }) => {
    const shopper = await shopperWithCards(service);
    const session = await openSession(service, shopper);
    const { page, pageErrors } = await openPage(browser);
    await page.goto(merchant.url);
    await page.addScriptTag({ type: "module", content: mounting(service, session) });
    const cards = page.frameLocator("main iframe");
    await expect.poll(() => rows(cards).count()).toBe(2);
    const height = () =>
      page.locator("main iframe").evaluate((frame) => frame.getBoundingClientRect().height);
    const inner = () => cards.locator("body").evaluate((body) => body.getBoundingClientRect().height);
    await expect.poll(async () => Math.abs((await height()) - (await inner()))).toBeLessThan(2);
    expect(await cards.locator(".page-foot").count()).toBe(0);
    expect(await page.getAttribute("main iframe", "title")).toBe("Your cards");
    await saveScreenshot(page, "cards-framed");

    await button(cards, /Make default: Visa/).click();
    await cards.locator(".own-card-default").waitFor();
    await expect.poll(() => events(page)).toEqual(["load", "cards-changed"]);

    await cards.locator("#add-card").click();
    await cards.locator("#card-number").waitFor();
    await saveScreenshot(page, "cards-framed-form");
    await expect.poll(async () => Math.abs((await height()) - (await inner()))).toBeLessThan(2);
    await typeCard(cards, page, CARDS.challenge);
    await cards.locator("#pay").click();
    await cards.frameLocator("dialog iframe").locator("#approve").click();
    await expect.poll(() => rows(cards).count()).toBe(3);
    await expect.poll(() => events(page)).toEqual(["load", "cards-changed", "cards-changed"]);

    await button(cards, /Remove: Mastercard/).click();
    await cards.locator("#remove-card-confirm").click();
    await expect.poll(() => rows(cards).count()).toBe(2);
    await expect.poll(async () => Math.abs((await height()) - (await inner()))).toBeLessThan(2);
    const frame = page.frames().find((one) => one !== page.mainFrame());
    expect(frame && (await axeViolations(frame))).toEqual([]);
    expect(pageErrors).toEqual([]);
  });

  test("a session without access tells the page that it is over", async ({ service, browser, merchant }) => {
    const session = await openSession(service, `sh-${randomUUID()}`);
    const { page } = await openPage(browser);
    await page.goto(merchant.url);
    const content = mounting(service, { ...session, client_secret: "nonsense" });
    await page.addScriptTag({ type: "module", content });
    await page.frameLocator("main iframe").locator("text=The time to manage your cards").waitFor();
    await expect.poll(() => events(page)).toEqual(["load", "session-expired"]);
  });
});

const events = (page: Page) => page.evaluate(() => (window as unknown as { heard: string[] }).heard);

/** The script of a merchant's page that mounts the card page and records its events. */
function mounting(service: Service, { payload, client_secret }: OpenedSession): string {
  return `
    import { mountCards } from ${JSON.stringify(`${service.url}/sdk/cards.js`)};
    const options = ${JSON.stringify({ payload, clientSecret: client_secret, locale: "en-US" })};
    const heard = [];
    Object.assign(window, { heard });
    const cards = mountCards("main", options);
    for (const name of ["load", "cards-changed", "session-expired", "error"]) {
      cards.on(name, () => heard.push(name));
    }
  `;
}
