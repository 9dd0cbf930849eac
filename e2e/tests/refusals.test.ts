// The reasons why the service does not try a card: each has its own code for the merchant and its own text for the shopper,
// and the form allows a retry only where one can help.

import type { Browser } from "playwright-core";
import { describe, expect } from "vitest";

import type { CreatedCharge } from "../../form/generated/wire.ts";
import { openPage } from "../src/browser.ts";
import { type MerchantPage, type Message, openEmbedded } from "../src/form-page.ts";
import type { Service } from "../src/service.ts";
import { CARDS, field, typeCard } from "../src/shopper.ts";
import { test as base, serviceWith } from "../src/test.ts";

const test = base
  .extend("shortSecretService", { scope: "file" }, serviceWith("--client-secret-lifetime-seconds", "20"))
  .extend("rateLimitedService", { scope: "file" }, serviceWith("--limit-per-charge", "1/15"));

/** The payment page's address with the charge's own client secret instead of a link, which would get a new one. */
function opened({ url, client_secret }: CreatedCharge): string {
  const address = new URL(url);
  address.hash = new URLSearchParams({ client_secret }).toString();
  return address.href;
}

const results = (messages: readonly Message[]) => messages.filter(({ type }) => type === "processing-result");

describe("each refusal has its own code and text", () => {
  async function refusedWith(
    service: Service,
    browser: Browser,
    merchant: MerchantPage,
    clientSecret: (created: CreatedCharge) => string,
  ) {
    const { page, form, created, received, post, pageErrors } = await openEmbedded(
      service,
      browser,
      merchant,
    );
    await typeCard(form, page, CARDS.approved);
    await post({ type: "submit-ready", client_secret: clientSecret(created) });
    await expect.poll(async () => results(await received())).not.toEqual([]);
    expect(pageErrors).toEqual([]);
    return results(await received())[0];
  }

  test("a client secret of another charge", async ({ service, browser, merchant }) => {
    const other = await service.merchant.createCharge({ amount_value: "99.00" });
    expect(await refusedWith(service, browser, merchant, () => other.client_secret)).toMatchObject({
      success: false,
      error_code: "client-secret-foreign",
      message: "This form belongs to another payment. Go back to the store to start again.",
    });
    expect((await service.merchant.charge(other.id)).status).toBe("created");
  });

  test("a client secret with a wrong signature", async ({ service, browser, merchant }) => {
    const forged = ({ client_secret }: CreatedCharge) =>
      `${client_secret.slice(0, client_secret.lastIndexOf("."))}.${"A".repeat(86)}`;
    expect(await refusedWith(service, browser, merchant, forged)).toMatchObject({
      error_code: "client-secret-invalid",
      message: "The payment could not be started. Go back to the store to start again.",
    });
  });

  test("no connection; after it is back the form can pay", async ({ service, browser, merchant }) => {
    const embedded = await openEmbedded(service, browser, merchant);
    const { page, form, received, post, created } = embedded;
    await typeCard(form, page, CARDS.approved);
    // The page gets time to load the script that pays.
    await page.waitForFunction(() => performance.now() > 0);
    await form.locator("body").evaluate(() => navigator.onLine);
    await page.waitForLoadState("networkidle");
    await page.context().setOffline(true);
    await post({ type: "submit-ready", client_secret: created.client_secret });
    await expect.poll(async () => results(await received())).not.toEqual([]);
    expect(results(await received())[0]).toMatchObject({
      success: false,
      error_code: "offline",
      message: expect.stringContaining("You are offline"),
    });
    await page.context().setOffline(false);
    await post({ type: "submit-ready", client_secret: created.client_secret });
    await expect.poll(async () => results(await received()).at(-1)?.success).toBe(true);
  });

  test("a charge that was canceled while the form was open", async ({ service, browser, merchant }) => {
    const embedded = await openEmbedded(service, browser, merchant);
    const { page, form, received, post, created } = embedded;
    await typeCard(form, page, CARDS.approved);
    await service.merchant.cancel(created.id);
    await post({ type: "submit-ready", client_secret: created.client_secret });
    await expect.poll(async () => results(await received())).not.toEqual([]);
    expect(results(await received())).toEqual([
      expect.objectContaining({
        success: false,
        status: "canceled",
        error_code: "charge-canceled",
        message: "This payment was canceled. Go back to the store to start again.",
      }),
    ]);
    await form.locator("#outcome[data-status=canceled]").waitFor();
  });

  test("a payment page with another charge's client secret has no form", async ({ service, browser }) => {
    const created = await service.merchant.createCharge();
    const other = await service.merchant.createCharge({ amount_value: "99.00" });
    const url = new URL(created.url);
    url.hash = new URLSearchParams({ client_secret: other.client_secret }).toString();
    const { page, pageErrors } = await openPage(browser);
    await page.goto(url.href);
    await page.waitForSelector("#outcome[data-status=unusable_link]");
    expect(await page.textContent("#outcome")).toContain("belongs to another payment");
    expect(await page.locator("#card-number, #pay").count()).toBe(0);
    expect(pageErrors).toEqual([]);
  });
});

/** The status of the server's answer when this client secret is used to read the charge. */
async function readingStatus(service: Service, { id, client_secret }: CreatedCharge): Promise<number> {
  const headers = { authorization: `Bearer ${client_secret}` };
  return (await fetch(`${service.url}/v1/pub/charges/${id}`, { headers })).status;
}

// Both tests wait until the client secret expires, so they run at the same time. Vitest then needs each test's own `expect`.
describe.concurrent("a client secret that expires", () => {
  const EXPIRED =
    "The time to pay has run out. If you have not paid yet, go back to the store to start again.";
  test("shows this in a frame, keeps what was typed, and a new one pays", { timeout: 120_000 }, async ({
    browser,
    merchant,
    shortSecretService,
    expect,
  }) => {
    const embedded = await openEmbedded(shortSecretService, browser, merchant);
    const { page, form, received, post, created, pageErrors } = embedded;
    await typeCard(form, page, CARDS.approved);
    await expect.poll(() => readingStatus(shortSecretService, created), { timeout: 40_000 }).toBe(401);
    await post({ type: "submit-ready", client_secret: created.client_secret });
    await expect.poll(async () => results(await received())).not.toEqual([]);
    expect(results(await received())).toEqual([
      expect.objectContaining({ success: false, error_code: "client-secret-expired", message: EXPIRED }),
    ]);
    expect(await field(form, "card-number").inputValue()).toBe("4242 4242 4242 4242");
    await expect
      .poll(async () => (await received()).findLast(({ type }) => type === "form-ready-state"))
      .toMatchObject({ ready: true });
    expect((await shortSecretService.merchant.charge(created.id)).status).toBe("created");

    const fresh = await shortSecretService.merchant.freshClientSecret(created.id);
    await post({ type: "submit-ready", client_secret: fresh });
    await expect.poll(async () => results(await received()).at(-1)?.success, { timeout: 20_000 }).toBe(true);
    // The browser itself logs the status 401.
    expect(pageErrors.filter((pageError) => !pageError.includes("401"))).toEqual([]);
  });

  test("hides no payment when it expires during the bank's challenge", { timeout: 120_000 }, async ({
    browser,
    shortSecretService,
    expect,
  }) => {
    const { merchant } = shortSecretService;
    const { page } = await openPage(browser);
    await page.goto(opened(await merchant.createCharge()));
    await typeCard(page, page, CARDS.challenge);
    await page.click("#pay");
    const approve = page.frameLocator("dialog iframe").locator("#approve");
    await approve.waitFor();
    const later = await merchant.createCharge();
    await expect.poll(() => readingStatus(shortSecretService, later), { timeout: 40_000 }).toBe(401);
    await approve.click();
    await page.waitForSelector("#outcome[data-status=succeeded]");
    await page.reload();
    await page.waitForSelector("#outcome[data-status=succeeded]");
  });

  test("is renewed by the payment page's link", { timeout: 120_000 }, async ({
    browser,
    shortSecretService,
    expect,
  }) => {
    const created = await shortSecretService.merchant.createCharge();
    const { page } = await openPage(browser);
    await page.goto(created.url);
    await typeCard(page, page, CARDS.approved);
    await expect.poll(() => readingStatus(shortSecretService, created), { timeout: 40_000 }).toBe(401);
    await page.click("#pay");
    await page.waitForSelector("#outcome[data-status=succeeded]");
  });

  test("ends the wait for a payment that never arrived", { timeout: 120_000 }, async ({
    browser,
    shortSecretService,
    expect,
  }) => {
    const created = await shortSecretService.merchant.createCharge();
    const { page } = await openPage(browser);
    await page.goto(opened(created));
    await typeCard(page, page, CARDS.approved);
    await page.route("**/v1/pub/direct/charges", (route) => route.abort());
    await page.click("#pay");
    await page.waitForSelector("#outcome[data-status=outcome_unknown]");
    await page.waitForSelector("#outcome[data-status=failed]", { timeout: 60_000 });
    expect(await page.textContent("#outcome")).toContain("the card was not charged");
    expect((await shortSecretService.merchant.charge(created.id)).status).toBe("created");
  });

  test("ends on the payment page with the reason and the link back", { timeout: 120_000 }, async ({
    browser,
    shortSecretService,
    expect,
  }) => {
    const shop = shortSecretService.addMerchant(
      "--name",
      "Larkspur",
      "--website",
      "https://larkspur.example/",
    );
    const created = await shop.createCharge();
    const { page } = await openPage(browser);
    await page.goto(opened(created));
    await typeCard(page, page, CARDS.approved);
    await expect.poll(() => readingStatus(shortSecretService, created), { timeout: 40_000 }).toBe(401);
    await page.click("#pay");
    await page.waitForSelector("#outcome[data-status=unusable_link]");
    expect(await page.textContent(".outcome-text")).toBe(EXPIRED);
    expect(await page.getAttribute(".outcome-back", "href")).toBe("https://larkspur.example/");
    expect(await page.locator("#card-number, #pay").count()).toBe(0);
    // The summary no longer says "You pay", because the shopper cannot pay any more.
    expect(await page.textContent(".summary")).toBe("$12.50100 gems");

    // When the page is opened again, the shopper cannot type a card that could not pay.
    await page.reload();
    await page.waitForSelector("#outcome[data-status=unusable_link]");
    expect(await page.textContent(".outcome-text")).toBe(EXPIRED);
    expect((await shop.charge(created.id)).status).toBe("created");
  });
});

// Both tests wait until the time window of the limit ends, so they run at the same time.
describe.concurrent("too many attempts", () => {
  const TOO_MANY_TEXT = /^Too many attempts\. Try again in 1 minute\.$/;
  test("are refused with the time to wait, and a later try pays", { timeout: 120_000 }, async ({
    browser,
    rateLimitedService,
    expect,
  }) => {
    const { page } = await openPage(browser);
    const created = await rateLimitedService.merchant.createCharge();
    await page.goto(created.url);
    await typeCard(page, page, CARDS.declined);
    const press = async () => {
      const answer = page.waitForResponse((response) => response.url().endsWith("/v1/pub/direct/charges"));
      await page.click("#pay");
      return (await answer).status();
    };
    // The second of two attempts in one window is refused. A window can end between two attempts, so there may be more.
    await expect.poll(press, { timeout: 40_000 }).toBe(429);
    await expect.poll(() => page.textContent("#outcome")).toMatch(TOO_MANY_TEXT);
    expect(await page.getAttribute("#pay", "aria-disabled")).toBe("false");
    expect(await field(page, "card-number").inputValue()).not.toBe("");
    await typeCard(page, page, CARDS.approved);
    await expect.poll(press, { timeout: 40_000, interval: 1_000 }).toBe(201);
    await page.waitForSelector("#outcome[data-status=succeeded]");
  });

  test("have their own code in a merchant's page", { timeout: 120_000 }, async ({
    browser,
    merchant,
    rateLimitedService,
    expect,
  }) => {
    const { page, form, received, post, created } = await openEmbedded(rateLimitedService, browser, merchant);
    await typeCard(form, page, CARDS.declined);
    const submit = async () => {
      const before = results(await received()).length;
      await post({ type: "submit-ready", client_secret: created.client_secret });
      await expect.poll(async () => results(await received()).length, { timeout: 20_000 }).toBe(before + 1);
      return results(await received()).at(-1);
    };
    await expect
      .poll(submit, { timeout: 60_000 })
      .toMatchObject({ error_code: "too-many-tries", message: expect.stringMatching(TOO_MANY_TEXT) });
    expect((await received()).findLast(({ type }) => type === "form-ready-state")).toMatchObject({
      ready: true,
    });
  });
});
