// The networks of a card: looked up by eight digits, shown without moving anything, chosen, spoken, sent and kept.

import type { Page, Request } from "playwright-core";
import { describe, expect } from "vitest";

import { holdRequests, openPage } from "../src/browser.ts";
import { openEmbedded, openStandalone } from "../src/form-page.ts";
import { saveCard, savedCardsCharge } from "../src/save-card.ts";
import type { Service } from "../src/service.ts";
import { CARDS, field, typeCard } from "../src/shopper.ts";
import { test } from "../src/test.ts";

const LOOK_UP = "**/v1/pub/card-networks";
const CHOICE = ".networks";
const CB = "#card-number-network-cb";
const VISA = "#card-number-network-visa";
const NUMBER = CARDS.cartesBancairesAndVisa;

const focused = (page: Page) => page.evaluate(() => document.activeElement?.id);
const chosen = (page: Page) => page.locator(`${CHOICE} input:checked`).getAttribute("id");

/** The bodies of the look-ups so far. */
function recordLookUps(page: Page): string[] {
  const sent: string[] = [];
  page.on("request", (request: Request) => {
    if (request.url().endsWith("/v1/pub/card-networks")) {
      sent.push(request.postData() ?? "");
    }
  });
  return sent;
}

/** The network that carried the payment of the open payment page. */
async function paidOver(service: Service, page: Page) {
  await page.waitForSelector("#outcome[data-status=succeeded]");
  const id = (await service.ledger()).at(-1)?.charge_id ?? "";
  return (await service.merchant.charge(id)).paid_with?.network;
}

/** Where the parts below the number are. */
const places = (page: Page) =>
  page.locator("#card-expiry, #card-security-code, #pay, #card-number").evaluateAll((parts) =>
    parts.map((part) => {
      const { x, y, height } = part.getBoundingClientRect();
      return [x, y, height];
    }),
  );

describe("the look-up", () => {
  test("has eight digits, and each eight are looked up once", async ({ service, browser }) => {
    const { page } = await openStandalone(service, browser);
    const sent = recordLookUps(page);
    await field(page, "card-number").focus();
    await page.keyboard.type(NUMBER.slice(0, 7));
    await page.keyboard.type(NUMBER.slice(7));
    await page.waitForSelector(CB);
    await field(page, "card-number").fill("");
    await field(page, "card-number").fill("4242 4242 4242 4242");
    await field(page, "card-number").fill(NUMBER);
    await page.waitForSelector(CB);
    await expect.poll(() => sent).toEqual(['{"prefix":"40000025"}', '{"prefix":"42424242"}']);
  });

  test("that fails or never answers does not stop the payment", async ({ service, browser }) => {
    for (const handle of ["abort", "hold"]) {
      const { page, pageErrors } = await openStandalone(service, browser);
      if (handle === "abort") {
        await page.route(LOOK_UP, (route) => route.abort());
      } else {
        await holdRequests(page, LOOK_UP);
      }
      await typeCard(page, page, NUMBER);
      const request = page.waitForRequest("**/direct/charges");
      await page.click("#pay");
      expect((await request).postDataJSON().payment_method.card.network).toBeUndefined();
      expect(await paidOver(service, page)).toBe("visa");
      expect(pageErrors).toEqual([]);
      await page.context().close();
    }
  });

  test("may answer late: the choice appears and nothing moves", async ({ service, browser }) => {
    const { page } = await openStandalone(service, browser, {}, { viewport: { width: 320, height: 800 } });
    const release = await holdRequests(page, LOOK_UP);
    await typeCard(page, page, NUMBER, "1234", "12");
    const before = await places(page);
    release();
    await page.waitForSelector(CB);
    const after = await places(page);
    expect(after).toEqual(before);
    expect(await focused(page)).toBe("card-security-code");
  });
});

describe("the choice", () => {
  test.for([
    ["en-US", "ltr", {}, CB],
    ["ar-SA", "rtl", {}, CB],
    ["fr-FR", "ltr", { preferred_networks: ["mada", "visa"] }, VISA],
  ] as const)(
    "in %s (%s) with %j is made by keyboard alone",
    async ([locale, dir, options, first], { service, browser }) => {
      const { page } = await openStandalone(service, browser, { locale, ...options });
      expect(await page.getAttribute("html", "dir")).toBe(dir);
      await field(page, "card-number").focus();
      await page.keyboard.type(NUMBER);
      await page.waitForSelector(CB);
      expect(await focused(page)).toBe("card-expiry");
      expect(`#${await chosen(page)}`).toBe(first);
      await page.keyboard.press("Shift+Tab");
      expect(`#${await focused(page)}`).toBe(first);
      await page.keyboard.press("ArrowDown");
      const second = first === CB ? VISA : CB;
      expect([`#${await focused(page)}`, `#${await chosen(page)}`]).toEqual([second, second]);
      await page.keyboard.press("Tab");
      expect(await focused(page)).toBe("card-expiry");
      await page.keyboard.type("1234123");
      await page.keyboard.press("Enter");
      expect(await paidOver(service, page)).toBe(second === CB ? "cb" : "visa");
      const brand = second === CB ? "CB" : "Visa";
      expect(await page.textContent("#receipt")).toContain(`${brand} •••• 1001`);
    },
  );

  test("is spoken when it appears, and its buttons are named", async ({ service, browser }) => {
    const { page } = await openStandalone(service, browser);
    await field(page, "card-number").focus();
    await page.keyboard.type(NUMBER);
    await page.getByText("Choose the card’s network: CB, Visa").waitFor({ state: "attached" });
    const group = page.getByRole("radiogroup", { name: "Choose the card’s network" });
    expect(await group.ariaSnapshot()).toBe(
      '- radiogroup "Choose the card’s network":\n  - radio "CB" [checked]\n  - radio "Visa"',
    );
    await page.check(VISA);
    expect(await group.ariaSnapshot()).toContain('- radio "Visa" [checked]');
  });

  test("has large targets, and its label is where errors are", async ({ service, browser }) => {
    const { page } = await openStandalone(service, browser);
    await field(page, "card-number").fill(NUMBER);
    await page.waitForSelector(CB);
    for (const target of await page.locator(".network").all()) {
      const box = await target.boundingBox();
      expect(Math.min(box?.width ?? 0, box?.height ?? 0)).toBeGreaterThanOrEqual(44);
    }
    expect(await page.textContent("#card-number-error")).toBe("Choose the card’s network");
    await field(page, "card-number").fill(NUMBER.replace(/1$/, "2"));
    await field(page, "card-number").blur();
    expect(await page.textContent("#card-number-error")).toBe("Invalid card number.");
  });

  test("cannot be changed while the form pays", async ({ service, browser }) => {
    const { page } = await openStandalone(service, browser);
    const release = await holdRequests(page, "**/direct/charges");
    await typeCard(page, page, NUMBER);
    await page.waitForSelector(CB);
    await page.click("#pay");
    await page.waitForSelector("[aria-busy=true]");
    await page.locator(VISA).click({ force: true });
    expect(`#${await chosen(page)}`).toBe(CB);
    release();
    expect(await paidOver(service, page)).toBe("cb");
  });

  test("is gone after the server's refusal, and the card pays without it", async ({ service, browser }) => {
    const { page } = await openStandalone(service, browser);
    await page.route(LOOK_UP, (route) =>
      route.fulfill({ json: { ranges: [{ length: 16, networks: ["mada", "visa"] }] } }),
    );
    await typeCard(page, page, NUMBER);
    await page.waitForSelector("#card-number-network-mada");
    await page.click("#pay");
    await page.waitForSelector("#outcome[data-status=failed]");
    expect(await page.locator(CHOICE).count()).toBe(0);
    await page.click("#pay");
    expect(await paidOver(service, page)).toBe("visa");
  });

  test("in a merchant's page follows its options", async ({ service, browser, merchant }) => {
    const { page, form, created, post } = await openEmbedded(service, browser, merchant, {
      preferredNetworks: ["visa"],
    });
    await typeCard(form, page, CARDS.dankortAndVisa);
    await post({ type: "client-secret-response", client_secret: created.client_secret });
    await field(form, "card-number-network-dankort").waitFor();
    expect(await field(form, "card-number-network-visa").isChecked()).toBe(true);
    await post({ type: "submit-ready", client_secret: created.client_secret });
    const network = async () => (await service.merchant.charge(created.id)).paid_with?.network;
    await expect.poll(network).toBe("visa");
  });
});

test("a number with one network shows it without a choice", async ({ service, browser }) => {
  const { page } = await openStandalone(service, browser);
  await field(page, "card-number").fill(CARDS.mada);
  await page.getByRole("img", { name: "mada", exact: true }).waitFor();
  expect(await page.locator(CHOICE).count()).toBe(0);
});

describe("a saved card", () => {
  test("shows its network, which can be changed before paying", async ({ service, browser }) => {
    const charge = savedCardsCharge();
    await saveCard(service, charge, NUMBER);
    await saveCard(service, charge, CARDS.mastercard);
    const open = async () => {
      const { url } = await service.merchant.createCharge(charge);
      const { page } = await openPage(browser);
      await page.goto(url);
      await page.locator(".saved-card-radio").first().waitFor();
      return page;
    };
    const page = await open();
    await page.getByRole("radio", { name: "CB, ending in 1001, expires 12/34" }).check();
    const group = page.getByRole("radiogroup", { name: "Choose the card’s network" });
    expect(await group.ariaSnapshot()).toContain('- radio "CB" [checked]');
    await page.locator("[id$=-security-code]").focus();
    await page.keyboard.press("Tab");
    expect(await focused(page)).toMatch(/-network-cb$/);
    await page.keyboard.press("ArrowDown");
    expect(await focused(page)).toMatch(/-network-visa$/);
    await page.getByRole("radio", { name: "Visa, ending in 1001, expires 12/34" }).waitFor();
    await page.locator("[id$=-security-code]").fill("123");
    await page.click("#pay");
    expect(await paidOver(service, page)).toBe("visa");
    await page.context().close();

    const again = await open();
    await again.getByRole("radio", { name: "Visa, ending in 1001, expires 12/34" }).waitFor();
    await again.context().close();
  });
});
