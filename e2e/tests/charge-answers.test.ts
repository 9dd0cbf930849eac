// What the form shows when the answer to a charge is lost, when another server answers, and when the charge is already
// finished; and where the focus is after a payment.

import type { Browser, Page } from "playwright-core";
import { describe, expect } from "vitest";

import { openPage } from "../src/browser.ts";
import { advanceClockUntil, advanceClockUntilShown } from "../src/clock.ts";
import { type Message, openEmbedded, openWithSdk } from "../src/form-page.ts";
import { startProxy } from "../src/proxy.ts";
import type { Service } from "../src/service.ts";
import { CARDS, field, typeCard } from "../src/shopper.ts";
import { test as base } from "../src/test.ts";

/** In front of the service. It forwards every request, and loses the answer to each POST of a direct charge. */
const test = base.extend("proxy", async ({ service }, { onCleanup }) => {
  let lost = 0;
  const proxy = await startProxy(
    () => service.url,
    () => {},
    ({ incoming, path }) => {
      if (incoming.method !== "POST" || !path.startsWith("/v1/pub/direct/charges")) return undefined;
      lost += 1;
      return "lose";
    },
  );
  onCleanup(proxy.stop);
  return { ...proxy, lost: () => lost };
});

/** Every status that the outcome has shown, in order. */
async function outcomesShown(page: Page): Promise<string[]> {
  return page.evaluate(() => (window as unknown as { shown: string[] }).shown);
}

/** Runs in the page before its scripts: records each status of the outcome. */
function recordOutcomes(): void {
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
  test("is checked on the payment page until known, never shown as failed", async ({
    service,
    browser,
    proxy,
  }) => {
    const { page, pageErrors } = await openPage(browser);
    await page.clock.install();
    await page.addInitScript(recordOutcomes);
    const created = await service.merchant.createCharge();
    await page.goto(created.url.replace(service.url, proxy.url));
    await typeCard(page, page, CARDS.approved);
    await page.click("#pay");
    await expect.poll(proxy.lost).toBeGreaterThan(0);
    await advanceClockUntilShown(page, page.locator("#outcome[data-status=succeeded]"));
    expect(await outcomesShown(page)).toEqual(["outcome_unknown", "succeeded"]);
    expect((await service.ledger()).filter((entry) => entry.charge_id === created.id)).toHaveLength(1);
    expect(pageErrors).toEqual([]);
  });

  test("of a decline lets the next card be tried at once", async ({ service, browser, proxy }) => {
    const { page, pageErrors } = await openPage(browser);
    await page.clock.install();
    const created = await service.merchant.createCharge();
    await page.goto(created.url.replace(service.url, proxy.url));
    await typeCard(page, page, CARDS.insufficientFunds);
    await page.click("#pay");
    await advanceClockUntilShown(page, page.locator("#outcome[data-status=failed]"));
    await typeCard(page, page, CARDS.approved);
    await page.click("#pay");
    const ended = page.locator("#outcome").and(page.locator("[data-status=succeeded], [data-status=failed]"));
    await advanceClockUntilShown(page, ended);
    expect(await ended.getAttribute("data-status")).toBe("succeeded");
    expect(pageErrors).toEqual([]);
  });

  test("resolves submit() with outcome_unknown, and the result follows", async ({
    service,
    browser,
    merchant,
    proxy,
  }) => {
    const created = await service.merchant.createCharge();
    const watched = await openPage(browser);
    await watched.page.clock.install();
    const { page, form, sdkEvents, submit, pageErrors } = await openWithSdk(watched, merchant.url, {
      url: proxy.url,
      payload: created.payload,
      clientSecret: created.client_secret,
    });
    await typeCard(form, page, CARDS.approved);
    const submitted = submit();
    await expect.poll(proxy.lost).toBeGreaterThan(0);
    // On a slow machine the unknown outcome may last less than one step of the clock, so success ends the wait, too.
    await advanceClockUntilShown(
      page,
      form.locator("#outcome").and(form.locator("[data-status=outcome_unknown], [data-status=succeeded]")),
    );
    expect(await submitted).toEqual({ status: "outcome_unknown" });
    await expect.poll(async () => (await sdkEvents()).results).toEqual([{ status: "succeeded" }]);
    await form.locator("#outcome[data-status=succeeded]").waitFor();
    expect((await service.ledger()).filter((entry) => entry.charge_id === created.id)).toHaveLength(1);
    expect(pageErrors).toEqual([]);
  });

  test("of a request that never arrived charges nothing and can be retried", async ({ service, browser }) => {
    const { page, pageErrors } = await openPage(browser);
    await page.clock.install();
    await page.addInitScript(recordOutcomes);
    const created = await service.merchant.createCharge();
    await page.goto(created.url);
    await page.route("**/v1/pub/direct/charges", (route) => route.abort("connectionreset"));
    await typeCard(page, page, CARDS.approved);
    const chargeRequested = page.waitForRequest("**/v1/pub/direct/charges");
    await page.click("#pay");
    await chargeRequested;
    await advanceClockUntilShown(page, page.locator("#outcome[data-status=failed]"));
    expect(await outcomesShown(page)).toEqual(["outcome_unknown", "failed"]);
    expect(await page.textContent("#outcome")).toContain("was not charged. Try again.");
    expect((await service.merchant.charge(created.id)).status).toBe("created");
    await page.unroute("**/v1/pub/direct/charges");
    await page.click("#pay");
    await page.waitForSelector("#outcome[data-status=succeeded]");
    expect(pageErrors).toEqual([]);
  });
});

describe("an answer that is not the service's", () => {
  test.for([
    ["a captive portal's page", { status: 200, contentType: "text/html", body: "<h1>Sign in</h1>" }],
    ["another server's JSON", { status: 200, contentType: "application/json", body: '{"ok":true}' }],
    [
      "an unknown status",
      { status: 201, contentType: "application/json", body: '{"status_code":"approved"}' },
    ],
  ] as const)("%s does not count as success", async ([_, answer], { service, browser, merchant }) => {
    const { page, received, post, form, created } = await openEmbedded(
      service,
      browser,
      merchant,
      {},
      { controlsClock: true },
    );
    await page.route("**/v1/pub/direct/charges", (route) => route.fulfill(answer));
    await typeCard(form, page, CARDS.approved);
    const chargeRequested = page.waitForRequest("**/v1/pub/direct/charges");
    await post({ type: "submit-ready", client_secret: created.client_secret });
    await chargeRequested;
    await advanceClockUntilShown(page, form.locator("#outcome[data-status=outcome_unknown]"));
    await expect
      .poll(async () => (await received()).filter(({ type }) => type === "charge-changed"))
      .toEqual([expect.objectContaining({ status: "outcome_unknown" })]);
    await advanceClockUntil(page, async () => results(await received()).length);
    expect(results(await received())).toEqual([
      expect.objectContaining({ success: false, error_code: "connection-lost" }),
    ]);
    expect((await service.merchant.charge(created.id)).status).toBe("created");
  });
});

describe("a finished charge", () => {
  async function payOnPaymentPage(service: Service, browser: Browser, id: string, url: string) {
    const { page } = await openPage(browser);
    await page.goto(url);
    await typeCard(page, page, CARDS.approved);
    await page.click("#pay");
    await page.waitForSelector("#outcome[data-status=succeeded]");
    expect((await service.merchant.charge(id)).status).toBe("succeeded");
    await page.close();
  }

  test("is shown as paid in a reopened frame, without a form", async ({ service, browser, merchant }) => {
    const created = await service.merchant.createCharge();
    await payOnPaymentPage(service, browser, created.id, created.url);
    const { form, sdkEvents, pageErrors } = await openWithSdk(await openPage(browser), merchant.url, {
      url: service.url,
      payload: created.payload,
      clientSecret: created.client_secret,
    });
    await form.locator("#outcome[data-status=succeeded]").waitFor();
    expect(await form.locator("#outcome").textContent()).toContain("$12.50");
    expect(await field(form, "card-number").count()).toBe(0);
    await expect.poll(async () => (await sdkEvents()).results).toEqual([{ status: "succeeded" }]);
    expect(pageErrors).toEqual([]);
  });

  test("says in a frame that it was canceled", async ({ service, browser, merchant }) => {
    const created = await service.merchant.createCharge();
    await service.merchant.cancel(created.id);
    const { form, sdkEvents } = await openWithSdk(await openPage(browser), merchant.url, {
      url: service.url,
      payload: created.payload,
      clientSecret: created.client_secret,
    });
    await form.locator("#outcome[data-status=canceled]").waitFor();
    expect(await form.locator("#outcome").textContent()).toContain("This payment was canceled.");
    await expect
      .poll(async () => (await sdkEvents()).results)
      .toEqual([expect.objectContaining({ status: "failed", errorCode: "charge-canceled" })]);
  });
});

describe("the focus", () => {
  const focused = (page: Page) =>
    page.evaluate(() => document.activeElement?.id || document.activeElement?.className);

  test("goes to the outcome's heading, and the live region says the rest", async ({ service, browser }) => {
    const { page, pageErrors } = await openPage(browser);
    const created = await service.merchant.createCharge();
    await page.goto(created.url);
    await typeCard(page, page, CARDS.approved);
    // The live region is in the page from the start, because screen readers may not announce a new one.
    expect(await page.locator("#outcome-news[role=status]").textContent()).toBe("");
    const region = await page.locator("#outcome-news").elementHandle();
    await page.keyboard.press("Enter");
    await page.waitForSelector("#outcome[data-status=succeeded]");
    expect(await focused(page)).toBe("outcome-title");
    const title = await page.textContent(".outcome-title");
    expect(await region?.textContent()).toBe(await page.textContent(".outcome-text"));
    expect(await page.title()).toContain(title);
    expect(pageErrors).toEqual([]);
  });

  test.for([
    ["the field from which the shopper paid", CARDS.insufficientFunds, "Enter", "card-security-code"],
    ["the pay button", CARDS.insufficientFunds, "click", "pay"],
    ["the wrong field", CARDS.expired, "Enter", "card-expiry"],
  ] as const)("after a decline is at %s", async ([_, number, how, id], { service, browser }) => {
    const { page, pageErrors } = await openPage(browser);
    const created = await service.merchant.createCharge();
    await page.goto(created.url);
    await typeCard(page, page, number);
    how === "Enter" ? await page.keyboard.press("Enter") : await page.click("#pay");
    await page.waitForSelector("#outcome[data-status=failed]");
    expect(await focused(page)).toBe(id);
    expect(pageErrors).toEqual([]);
  });

  test("in a merchant's page goes to the outcome, after a decline to a field", async ({
    service,
    browser,
    merchant,
  }) => {
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
    expect(await form.locator("#outcome-news").textContent()).toBe(
      await form.locator(".outcome-text").textContent(),
    );
  });

  test("goes to the pay button after a challenge was canceled", async ({ service, browser }) => {
    const { page } = await openPage(browser);
    const created = await service.merchant.createCharge();
    await page.goto(created.url);
    await typeCard(page, page, CARDS.challenge);
    await page.click("#pay");
    await page.frameLocator("dialog iframe").locator("#approve").waitFor();
    await page.click("#challenge-close");
    await page.waitForSelector("#outcome[data-status=failed]");
    expect(await focused(page)).toBe("pay");
  });
});

test("the script that looks up the client's address is retried", async ({ service, browser }) => {
  const { page } = await openPage(browser);
  let requests = 0;
  await page.route("**/assets/shopper-agent-*.js", (route) => {
    requests += 1;
    return requests === 1 ? route.abort() : route.continue();
  });
  const { url } = await service.merchant.createCharge();
  const addressLookup = page.waitForRequest((request) => request.url().endsWith("/v1/pub/ip"));
  await page.goto(url);
  await typeCard(page, page, CARDS.approved);
  await addressLookup;
  expect(requests).toBe(2);
});
