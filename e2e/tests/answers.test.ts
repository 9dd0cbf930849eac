// What a submission is answered with when the answer is lost, is somebody else's, or is there already: always the truth.

import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { openPage, startBrowser } from "../src/browser.ts";
import {
  type MerchantPage,
  type Message,
  openEmbedded,
  openWithSdk,
  startMerchantPage,
} from "../src/form-page.ts";
import { type LosingProxy, startLosingProxy } from "../src/losing-proxy.ts";
import { type Service, startService } from "../src/service.ts";
import { CARDS, field, typeCard } from "../src/shopper.ts";

let service: Service;
let proxy: LosingProxy;
let browser: Browser;
let merchant: MerchantPage;

beforeAll(async () => {
  [service, browser, merchant] = await Promise.all([startService(), startBrowser(), startMerchantPage()]);
  proxy = await startLosingProxy(service.url);
});

afterAll(async () => {
  merchant?.stop();
  await browser?.close();
  await proxy?.stop();
  await service?.stop();
});

/** Every state that the outcome has shown, in their order. */
async function outcomesShown(page: Page): Promise<string[]> {
  return page.evaluate(() => (window as unknown as { shown: string[] }).shown);
}

/** Runs in the page before its scripts: notes each state of the outcome. */
function noteOutcomes(): void {
  const shown: string[] = [];
  Object.assign(window, { shown });
  new MutationObserver(() => {
    const status = document.querySelector<HTMLElement>("#outcome")?.dataset.status;
    if (status !== undefined && status !== shown.at(-1)) {
      shown.push(status);
    }
  }).observe(document, { subtree: true, childList: true, attributes: true });
}

const results = (messages: readonly Message[]) => messages.filter(({ type }) => type === "processing-result");

describe("a lost answer", () => {
  test("on the payment page is checked until it is known, and never told as a failure", async () => {
    const { page, troubles } = await openPage(browser);
    await page.addInitScript(noteOutcomes);
    const created = await service.merchant.createCharge();
    await page.goto(created.url.replace(service.url, proxy.url));
    await typeCard(page, page, CARDS.approved);
    const before = proxy.lost();
    await page.click("#pay");
    await page.waitForSelector("#outcome[data-status=succeeded]");
    expect(proxy.lost()).toBeGreaterThan(before);
    expect(await outcomesShown(page)).toEqual(["outcome_unknown", "succeeded"]);
    expect((await service.ledger()).filter((entry) => entry.charge_id === created.id)).toHaveLength(1);
    expect(troubles).toEqual([]);
  });

  test("resolves submit() with outcome_unknown, and the result follows", async () => {
    const created = await service.merchant.createCharge();
    const { page, form, heard, submit, troubles } = await openWithSdk(await openPage(browser), merchant.url, {
      url: proxy.url,
      payload: created.payload,
      clientSecret: created.client_secret,
    });
    await typeCard(form, page, CARDS.approved);
    const submitted = submit();
    await form.locator("#outcome[data-status=outcome_unknown]").waitFor();
    expect(await submitted).toEqual({ status: "outcome_unknown" });
    await expect.poll(async () => (await heard()).results).toEqual([{ status: "succeeded" }]);
    await form.locator("#outcome[data-status=succeeded]").waitFor();
    expect((await service.ledger()).filter((entry) => entry.charge_id === created.id)).toHaveLength(1);
    expect(troubles).toEqual([]);
  });

  test("of a request that never arrived ends with nothing charged, and can be tried again", async () => {
    const { page, troubles } = await openPage(browser);
    await page.addInitScript(noteOutcomes);
    const created = await service.merchant.createCharge();
    await page.goto(created.url);
    await page.route("**/v1/pub/direct/charges", (route) => route.abort("connectionreset"));
    await typeCard(page, page, CARDS.approved);
    await page.click("#pay");
    await page.waitForSelector("#outcome[data-status=failed]");
    expect(await outcomesShown(page)).toEqual(["outcome_unknown", "failed"]);
    expect(await page.textContent("#outcome")).toContain("was not charged. Try again.");
    expect((await service.merchant.charge(created.id)).status).toBe("created");
    await page.unroute("**/v1/pub/direct/charges");
    await page.click("#pay");
    await page.waitForSelector("#outcome[data-status=succeeded]");
    expect(troubles).toEqual([]);
  });
});

describe("an answer of somebody else", () => {
  test.each([
    ["a captive portal's page", { status: 200, contentType: "text/html", body: "<h1>Sign in</h1>" }],
    ["another's JSON", { status: 200, contentType: "application/json", body: '{"ok":true}' }],
    [
      "a status that there is not",
      { status: 201, contentType: "application/json", body: '{"status_code":"approved"}' },
    ],
  ])("%s is no success", async (_, answer) => {
    const { page, received, post, form, created } = await openEmbedded(service, browser, merchant);
    await page.route("**/v1/pub/direct/charges", (route) => route.fulfill(answer));
    await typeCard(form, page, CARDS.approved);
    await post({ type: "submit-ready", client_secret: created.client_secret });
    await expect
      .poll(async () => (await received()).filter(({ type }) => type === "charge-changed"))
      .toEqual([expect.objectContaining({ status: "outcome_unknown" })]);
    await form.locator("#outcome[data-status=outcome_unknown]").waitFor();
    await expect.poll(async () => results(await received()), { timeout: 30_000 }).not.toEqual([]);
    expect(results(await received())).toEqual([
      expect.objectContaining({ success: false, error_code: "connection-lost" }),
    ]);
    expect((await service.merchant.charge(created.id)).status).toBe("created");
  });
});

describe("a charge that is over", () => {
  async function payAtServer(id: string, url: string) {
    const { page } = await openPage(browser);
    await page.goto(url);
    await typeCard(page, page, CARDS.approved);
    await page.click("#pay");
    await page.waitForSelector("#outcome[data-status=succeeded]");
    expect((await service.merchant.charge(id)).status).toBe("succeeded");
    await page.close();
  }

  test("is shown as paid in a frame that is opened again, without a form", async () => {
    const created = await service.merchant.createCharge();
    await payAtServer(created.id, created.url);
    const { form, heard, troubles } = await openWithSdk(await openPage(browser), merchant.url, {
      url: service.url,
      payload: created.payload,
      clientSecret: created.client_secret,
    });
    await form.locator("#outcome[data-status=succeeded]").waitFor();
    expect(await form.locator("#outcome").textContent()).toContain("$12.50");
    expect(await field(form, "card-number").count()).toBe(0);
    await expect.poll(async () => (await heard()).results).toEqual([{ status: "succeeded" }]);
    expect(troubles).toEqual([]);
  });

  test("says in a frame that it was canceled", async () => {
    const created = await service.merchant.createCharge();
    await service.merchant.cancel(created.id);
    const { form, heard } = await openWithSdk(await openPage(browser), merchant.url, {
      url: service.url,
      payload: created.payload,
      clientSecret: created.client_secret,
    });
    await form.locator("#outcome[data-status=canceled]").waitFor();
    expect(await form.locator("#outcome").textContent()).toContain("This payment was canceled.");
    await expect
      .poll(async () => (await heard()).results)
      .toEqual([expect.objectContaining({ status: "failed", errorCode: "charge-canceled" })]);
  });
});

describe("the focus", () => {
  const focused = (page: Page) =>
    page.evaluate(() => document.activeElement?.id || document.activeElement?.className);

  test("goes to the outcome's heading, which the live region and the title say, too", async () => {
    const { page, troubles } = await openPage(browser);
    const created = await service.merchant.createCharge();
    await page.goto(created.url);
    await typeCard(page, page, CARDS.approved);
    // There from the start, and empty.
    expect(await page.locator("#outcome-news[role=status]").textContent()).toBe("");
    const region = await page.locator("#outcome-news").elementHandle();
    await page.keyboard.press("Enter");
    await page.waitForSelector("#outcome[data-status=succeeded]");
    expect(await focused(page)).toBe("outcome-title");
    const title = await page.textContent(".outcome-title");
    expect(await region?.textContent()).toBe(title);
    expect(await page.title()).toBe(title);
    expect(troubles).toEqual([]);
  });

  test.each([
    ["the field from which the shopper paid", CARDS.insufficientFunds, "Enter", "card-security-code"],
    ["the pay button", CARDS.insufficientFunds, "click", "pay"],
    ["what is wrong", CARDS.expired, "Enter", "card-expiry"],
  ])("is after a decline at %s", async (_, number, how, id) => {
    const { page, troubles } = await openPage(browser);
    const created = await service.merchant.createCharge();
    await page.goto(created.url);
    await typeCard(page, page, number);
    how === "Enter" ? await page.keyboard.press("Enter") : await page.click("#pay");
    await page.waitForSelector("#outcome[data-status=failed]");
    expect(await focused(page)).toBe(id);
    expect(troubles).toEqual([]);
  });

  test("of a form in a merchant's page goes to the outcome's heading, after a decline to where it was", async () => {
    const { page, form, created, received, post } = await openEmbedded(service, browser, merchant);
    const focusedInForm = () => form.locator("body").evaluate((body) => body.ownerDocument.activeElement?.id);
    await typeCard(form, page, CARDS.insufficientFunds);
    await post({ type: "submit-ready", client_secret: created.client_secret });
    await expect.poll(async () => results(await received()).length, { timeout: 20_000 }).toBe(1);
    expect(await focusedInForm()).toBe("card-security-code");
    await typeCard(form, page, CARDS.approved);
    await post({ type: "submit-ready", client_secret: created.client_secret });
    await form.locator("#outcome[data-status=succeeded]").waitFor();
    const heading = () =>
      form.locator("body").evaluate((body) => body.ownerDocument.activeElement?.className);
    await expect.poll(heading).toBe("outcome-title");
    expect(await form.locator("#outcome-news").textContent()).toBe("Payment complete");
  });

  test("is never lost by a challenge that was canceled", async () => {
    const { page } = await openPage(browser);
    const created = await service.merchant.createCharge();
    await page.goto(created.url);
    await typeCard(page, page, "4000000000003220");
    await page.click("#pay");
    await page.frameLocator("dialog iframe").locator("#approve").waitFor();
    await page.click("#challenge-close");
    await page.waitForSelector("#outcome[data-status=failed]");
    expect(await focused(page)).toBe("pay");
  });
});

test("the script that learns the client's address is fetched again when it does not come", async () => {
  const { page } = await openPage(browser);
  let asked = 0;
  await page.route("**/assets/shopper-agent-*.js", (route) => {
    asked += 1;
    return asked === 1 ? route.abort() : route.continue();
  });
  const { url } = await service.merchant.createCharge();
  const looked = page.waitForResponse((response) => response.url().endsWith("/v1/pub/ip"));
  await page.goto(url);
  await typeCard(page, page, CARDS.approved);
  await looked;
  const sent = page.waitForRequest((request) => request.url().endsWith("/v1/pub/direct/charges"));
  await page.click("#pay");
  expect((await sent).postDataJSON().shopper_agent.ip_address).not.toBe("");
});
