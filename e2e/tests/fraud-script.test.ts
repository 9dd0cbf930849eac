// The fraud prevention's script and the lookup of the client's address: their results are sent with the charge, and their
// failures never stop a payment.

import type { Page, Route } from "playwright-core";
import { describe, expect } from "vitest";

import { openPage } from "../src/browser.ts";
import { paymentPage } from "../src/form-page.ts";
import { CARDS, formIn, typeCard } from "../src/shopper.ts";
import { test } from "../src/test.ts";

const SITE = { site_id: "site-1" };
const SCRIPT = "**/simulator/fraud/**";
const IP = "**/v1/pub/ip";
/** How long a charge waits for a token. */
const TOKEN_TIMEOUT_MS = 15_000;

/**
 * Calls `press` and returns the `shopper_agent` of the direct charge that follows. The charge must be sent well before the
 * time for a token is over.
 */
async function sentBy(page: Page, press: () => Promise<unknown>) {
  const sent = page.waitForRequest((request) => request.url().endsWith("/v1/pub/direct/charges"), {
    timeout: TOKEN_TIMEOUT_MS / 2,
  });
  await press();
  return (await sent).postDataJSON().shopper_agent;
}

async function isPaid(page: Page) {
  await page.waitForSelector("#outcome[data-status=succeeded]");
}

test("the token of the merchant's site is sent with the charge", async ({ service, browser }) => {
  const { page, pageErrors } = await openPage(browser);
  await page.goto(await paymentPage(service, SITE));
  await typeCard(page, page, CARDS.approved);
  const agent = await sentBy(page, () => page.click("#pay"));
  expect(agent.fraud_metadata.fraud_token).toMatch(/^sim_site-1_[\da-f-]{36}$/);
  expect(agent.ip_address).toBe("127.0.0.1");
  await isPaid(page);
  expect(pageErrors).toEqual([]);
});

test("the demo shop has a site and sends a token", async ({ service, browser }) => {
  const { page, pageErrors } = await openPage(browser);
  await page.goto(service.shop);
  await typeCard(formIn(page), page, CARDS.approved);
  const agent = await sentBy(page, () => page.click("#pay-in-shop"));
  expect(agent.fraud_metadata.fraud_token).toMatch(/^sim_demo-shop_/);
  await page.waitForSelector("#shop-outcome[data-status=succeeded]");
  expect(pageErrors).toEqual([]);
});

test("without a site no script is loaded and no trusted type is allowed", async ({ service, browser }) => {
  const { page, pageErrors } = await openPage(browser);
  let requests = 0;
  await page.route(SCRIPT, (route) => {
    requests += 1;
    return route.continue();
  });
  const document = await page.goto(await paymentPage(service));
  expect(document?.headers()["content-security-policy"]).toContain("trusted-types 'none'");
  await typeCard(page, page, CARDS.approved);
  const agent = await sentBy(page, () => page.click("#pay"));
  expect(agent.fraud_metadata.fraud_token).toBe("");
  await isPaid(page);
  expect(requests).toBe(0);
  expect(pageErrors).toEqual([]);
});

test("a stored token is used when the script fails the next time", async ({ service, browser }) => {
  const { page } = await openPage(browser);
  await page.goto(await paymentPage(service, SITE));
  const stored = await page.waitForFunction(
    () => /cardform-fraud-token=(\w[^;]*)/.exec(document.cookie)?.[1],
  );
  const token = await stored.jsonValue();
  const [cookie] = (await page.context().cookies()).filter(({ name }) => name === "cardform-fraud-token");
  expect((cookie?.expires ?? 0) / 86_400 - Date.now() / 86_400_000).toBeCloseTo(400, 1);
  await page.route(SCRIPT, (route) => route.abort());
  await page.goto(await paymentPage(service, SITE));
  await typeCard(page, page, CARDS.approved);
  const agent = await sentBy(page, () => page.click("#pay"));
  expect(agent.fraud_metadata.fraud_token).toBe(token);
  await isPaid(page);
});

describe("a shopper pays anyway", () => {
  const script = (body: string) => (route: Route) => route.fulfill({ contentType: "text/javascript", body });
  const reportTokens = (...details: string[]) =>
    script(
      details
        .map((detail) => `document.dispatchEvent(new CustomEvent("ftr:tokenReady", { detail: ${detail} }));`)
        .join("\n"),
    );

  test.for([
    ["does not exist", (route: Route) => route.fulfill({ status: 404 })],
    ["cannot be reached", (route: Route) => route.abort()],
  ] as const)("without a wait when the script %s", async ([_, answer], { service, browser }) => {
    const { page } = await openPage(browser);
    await page.route(SCRIPT, answer);
    await page.goto(await paymentPage(service, SITE));
    await typeCard(page, page, CARDS.approved);
    const agent = await sentBy(page, () => page.click("#pay"));
    expect(agent.fraud_metadata.fraud_token).toBe("");
    await isPaid(page);
  });

  test.for([
    ["never arrives", () => {}],
    ["never reports a token", script("")],
    ["throws", script("throw new Error('on purpose')")],
    ["is not a script", script("<html>")],
    ["reports a token that is not text", reportTokens("7", "null", "{ token: 't' }", "undefined")],
    ["reports control characters", reportTokens('"a\\nb"', '"\\u0000"')],
    ["reports a far too long token", reportTokens('"x".repeat(1e6)')],
  ] as const)("after fifteen seconds when the script %s", async ([_, answer], { service, browser }) => {
    const { page, pageErrors } = await openPage(browser);
    const scriptRequested = page.waitForRequest(SCRIPT);
    await page.route(SCRIPT, answer);
    await page.clock.install();
    await page.goto(await paymentPage(service, SITE));
    await scriptRequested;
    await typeCard(page, page, CARDS.approved);
    const agent = await sentBy(page, async () => {
      const opened = page.waitForResponse((answer) => answer.url().endsWith("/client-secret"));
      await page.click("#pay");
      // The wait for the token begins once the link has got a client secret and the page has read it.
      await opened;
      await page.evaluate(async () => void (await fetch("/healthz")));
      await page.clock.fastForward(TOKEN_TIMEOUT_MS);
    });
    expect(agent.fraud_metadata.fraud_token).toBe("");
    await isPaid(page);
    // Only the script itself may have errors, not our page.
    expect(
      pageErrors.splice(0).filter((pageError) => !/^thrown: (on purpose|Unexpected token)/.test(pageError)),
    ).toEqual([]);
  });

  test("when the script that loads it fails to load", async ({ service, browser }) => {
    const { page } = await openPage(browser);
    await page.route("**/assets/shopper-agent-*.js", (route) => route.abort());
    await page.goto(await paymentPage(service, SITE));
    await typeCard(page, page, CARDS.approved);
    const agent = await sentBy(page, () => page.click("#pay"));
    expect([agent.fraud_metadata.fraud_token, agent.ip_address]).toEqual(["", ""]);
    await isPaid(page);
  });

  test.for([
    ["is down", (route: Route) => route.fulfill({ status: 503 })],
    ["cannot be reached", (route: Route) => route.abort()],
    ["never answers", () => {}],
    ["returns garbage", (route: Route) => route.fulfill({ body: "<html>who knows</html>" })],
  ] as const)("when the address lookup %s", async ([_, answer], { service, browser }) => {
    const { page } = await openPage(browser);
    const lookupRequested = page.waitForRequest(IP);
    await page.route(IP, answer);
    await page.goto(await paymentPage(service));
    await lookupRequested;
    await typeCard(page, page, CARDS.approved);
    const agent = await sentBy(page, () => page.click("#pay"));
    expect(agent.ip_address).toBe("");
    await isPaid(page);
  });
});
