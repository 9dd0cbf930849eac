// A form that cannot be shown: the SDK detects it quickly, retries once, and tells the shopper and the merchant's developer.

import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Page, Route } from "playwright-core";
import { describe, expect } from "vitest";

import { holdRequests, openPage } from "../src/browser.ts";
import { openWithSdk, type PageWithSdk } from "../src/form-page.ts";
import type { Service } from "../src/service.ts";
import { CARDS, field, typeCard } from "../src/shopper.ts";
import { test } from "../src/test.ts";

/** A failure that the browser reports must be detected within this time. */
const DETECTED_MS_MAX = 3_000;
/** When the browser reports nothing, the form has failed after this time. */
const LOAD_MS_MAX = 15_000;

/** Makes a charge and returns the options for `mount`. */
async function mountOptions(service: Service) {
  const { payload, client_secret: clientSecret } = await service.merchant.createCharge();
  return { url: service.url, payload, clientSecret };
}

/** Waits until the SDK reports a failure; returns its code, its time after mounting, and the text for the shopper. */
async function reportedFailure({ sdkEvents, page, pageErrors }: PageWithSdk) {
  await expect.poll(async () => (await sdkEvents()).errors.length).toBe(1);
  const [error] = (await sdkEvents()).errors;
  // The console has the SDK's message for the developer once. The browser's own messages are ignored.
  expect(pageErrors.splice(0).filter((pageError) => pageError === `console: ${error?.message}`)).toHaveLength(
    1,
  );
  const alert = page.locator("main [role=alert]");
  expect(await page.locator("main iframe").isVisible()).toBe(false);
  return { code: error?.code, ms: error?.ms, words: await alert.textContent(), alert };
}

/** Answers with our own error page, as the server does when it cannot reach its database. */
async function answerUnavailable(service: Service, route: Route): Promise<void> {
  const response = await route.fetch({ url: `${service.url}/?payload=bm9uZQ` });
  const body = (await response.text()).replace(/"status":4\d\d/, '"status":503');
  await route.fulfill({ response, status: 503, body });
}

const TRY_LATER = "The payment could not be made right now. Try again later.";
const GO_BACK = "The payment could not be started. Go back to the store to start again.";

describe("a failed load is reported", () => {
  test("when the merchant has not allowed the page's origin", async ({ service, browser, merchant }) => {
    // The demo shop's merchant allows only the shop's own origin.
    const { page } = await openPage(browser);
    const order = page.waitForResponse((response) => response.url().endsWith("/demo/orders"));
    await page.goto(service.shop);
    const { payload } = (await (await order).json()) as { payload: string };
    await page.close();
    const mount = { ...(await mountOptions(service)), payload };
    const opened = await openWithSdk(await openPage(browser), merchant.url, mount);
    const { code, ms, words } = await reportedFailure(opened);
    expect(code).toBe("origin-not-allowed");
    expect(ms).toBeLessThan(DETECTED_MS_MAX);
    expect(words).toBe(GO_BACK);
    expect(await opened.submit()).toEqual({
      status: "failed",
      errorCode: "origin-not-allowed",
      message: GO_BACK,
    });
  });

  test.for([
    ["frames", (url: string) => `frame-src 'self'; connect-src ${url}`],
    ["frames and calls", () => "frame-src 'self'; connect-src 'self'"],
  ] as const)("when the page's own policy forbids %s", async ([_, policyOf], { service, browser }) => {
    const merchantServer = createServer((_, response) => {
      response.setHeader("content-security-policy", policyOf(service.url));
      response
        .setHeader("content-type", "text/html")
        .end("<!doctype html><title>Merchant</title><main></main>");
    });
    await new Promise<void>((resolve) => merchantServer.listen(0, "127.0.0.1", resolve));
    const { port } = merchantServer.address() as AddressInfo;
    const watched = await openPage(browser);
    const opened = await openWithSdk(watched, `http://127.0.0.1:${port}/`, await mountOptions(service));
    const { code, ms, words } = await reportedFailure(opened);
    merchantServer.close();
    expect(code).toBe("blocked-by-page-policy");
    expect(ms).toBeLessThan(DETECTED_MS_MAX);
    expect(words).toBe(GO_BACK);
  });

  test("when the page's embedder policy forbids the frame", async ({ service, browser }) => {
    const merchantServer = createServer((_, response) => {
      response.setHeader("cross-origin-embedder-policy", "require-corp");
      response
        .setHeader("content-type", "text/html")
        .end("<!doctype html><title>Merchant</title><main></main>");
    });
    await new Promise<void>((resolve) => merchantServer.listen(0, "127.0.0.1", resolve));
    const { port } = merchantServer.address() as AddressInfo;
    const watched = await openPage(browser);
    // As in Firefox and Safari.
    await watched.page.addInitScript(
      () => delete (HTMLIFrameElement.prototype as { credentialless?: boolean }).credentialless,
    );
    const opened = await openWithSdk(watched, `http://127.0.0.1:${port}/`, await mountOptions(service));
    expect((await reportedFailure(opened)).code).toBe("blocked-by-page-policy");
    const [error] = (await opened.sdkEvents()).errors;
    expect(error?.message).toContain("Cross-Origin-Embedder-Policy");
    merchantServer.close();
  });

  test("when the server cannot be reached, after one retry", async ({ service, browser, merchant }) => {
    const stopped = createServer();
    await new Promise<void>((resolve) => stopped.listen(0, "127.0.0.1", resolve));
    const { port } = stopped.address() as AddressInfo;
    await new Promise((resolve) => stopped.close(resolve));
    const mount = { ...(await mountOptions(service)), url: `http://127.0.0.1:${port}` };
    const opened = await openWithSdk(await openPage(browser), merchant.url, mount, service.url);
    const { code, ms, words, alert } = await reportedFailure(opened);
    expect(code).toBe("server-unreachable");
    expect(ms).toBeLessThan(DETECTED_MS_MAX);
    expect(words).toBe(`${TRY_LATER}Try again`);
    expect(await alert.getByRole("button", { name: "Try again" }).isVisible()).toBe(true);
  });

  test("when the payload is invalid", async ({ service, browser, merchant }) => {
    const mount = { ...(await mountOptions(service)), payload: "bm9uZQ" };
    const opened = await openWithSdk(await openPage(browser), merchant.url, mount);
    const { code, ms, words } = await reportedFailure(opened);
    expect(code).toBe("payload-refused");
    expect(ms).toBeLessThan(DETECTED_MS_MAX);
    expect(words).toBe(GO_BACK);
  });

  test("when `url` has a path where Cardform is not", async ({ service, browser, merchant }) => {
    const mount = { ...(await mountOptions(service)), url: `${service.url}/pay?x=1` };
    const opened = await openWithSdk(await openPage(browser), merchant.url, mount, service.url);
    expect((await reportedFailure(opened)).code).toBe("payload-refused");
    const [error] = (await opened.sdkEvents()).errors;
    expect(error?.message).toContain(`\`url\` (${service.url}/pay) should have no path`);
  });

  test("when the server cannot make the page, after one retry", async ({ service, browser, merchant }) => {
    const watched = await openPage(browser);
    let requests = 0;
    await watched.page.route(/\/\?payload=/, (route) => {
      requests += 1;
      return answerUnavailable(service, route);
    });
    const opened = await openWithSdk(watched, merchant.url, await mountOptions(service));
    const { code, ms, words, alert } = await reportedFailure(opened);
    expect(code).toBe("page-unavailable");
    expect(ms).toBeLessThan(DETECTED_MS_MAX);
    expect(words).toBe(`${TRY_LATER}Try again`);
    expect(requests).toBe(2);
    expect(await opened.submit()).toEqual({
      status: "failed",
      errorCode: "page-unavailable",
      message: TRY_LATER,
    });
    await watched.page.unroute(/\/\?payload=/);
    await alert.getByRole("button").click();
    await expect.poll(async () => (await opened.sdkEvents()).loads).toBe(1);
  });

  test("when the page never loads and the browser reports nothing", async ({
    service,
    browser,
    merchant,
  }) => {
    // This server accepts every request and answers none.
    const silent = createServer(() => {});
    await new Promise<void>((resolve) => silent.listen(0, "127.0.0.1", resolve));
    const { port } = silent.address() as AddressInfo;
    const watched = await openPage(browser);
    await watched.page.clock.install();
    const mount = { ...(await mountOptions(service)), url: `http://127.0.0.1:${port}` };
    const opened = await openWithSdk(watched, merchant.url, mount, service.url);
    await watched.page.clock.fastForward(LOAD_MS_MAX);
    const { code, words, alert } = await reportedFailure(opened);
    expect(code).toBe("load-timeout");
    expect(words).toBe(`${TRY_LATER}Try again`);
    expect(await alert.getByRole("button", { name: "Try again" }).isVisible()).toBe(true);
    await watched.page.context().close();
    silent.closeAllConnections();
    silent.close();
  });

  test("when the form's script fails to load, and a new try works", async ({
    service,
    browser,
    merchant,
  }) => {
    const watched = await openPage(browser);
    await watched.page.route("**/assets/browser-*.js", (route) => route.abort());
    const opened = await openWithSdk(watched, merchant.url, await mountOptions(service));
    const { code, words, alert } = await reportedFailure(opened);
    expect(code).toBe("script-failed");
    expect(words).toBe(`${TRY_LATER}Try again`);
    await watched.page.unroute("**/assets/browser-*.js");
    await alert.getByRole("button").click();
    await expect.poll(async () => (await opened.sdkEvents()).loads).toBe(1);
    expect(await alert.count()).toBe(0);
    await typeCard(opened.form, opened.page, CARDS.approved);
    expect(await opened.submit()).toEqual({ status: "succeeded" });
  });
});

test("a load that fails once is retried without a report", async ({ service, browser, merchant }) => {
  const watched = await openPage(browser);
  let requests = 0;
  await watched.page.route("**/assets/browser-*.js", (route) => {
    requests += 1;
    return requests === 1 ? route.abort() : route.continue();
  });
  const { form, sdkEvents, page } = await openWithSdk(watched, merchant.url, await mountOptions(service));
  await expect.poll(async () => (await sdkEvents()).loads).toBe(1);
  await field(form, "card-number").waitFor();
  expect((await sdkEvents()).errors).toEqual([]);
  expect(await page.locator("main [role=alert]").count()).toBe(0);
});

test("the retry of a failed load gets the full time", async ({ service, browser, merchant }) => {
  const watched = await openPage(browser);
  await watched.page.clock.install();
  let requests = 0;
  let releasePage = () => {};
  const released = new Promise<void>((resolve) => {
    releasePage = resolve;
  });
  await watched.page.route(/\/\?payload=/, async (route) => {
    requests += 1;
    if (requests === 1) {
      await answerUnavailable(service, route);
    } else {
      await released;
      await route.continue();
    }
  });
  const { form, sdkEvents, page } = await openWithSdk(watched, merchant.url, await mountOptions(service));
  await expect.poll(() => page.clock.runFor(100).then(() => requests)).toBe(2);
  // The second page takes as long as the first one could have.
  await page.clock.runFor(DETECTED_MS_MAX);
  releasePage();
  await expect.poll(async () => (await sdkEvents()).loads).toBe(1);
  await field(form, "card-number").waitFor();
  expect((await sdkEvents()).errors).toEqual([]);
});

test("each press of Try again gets the full time", async ({ service, browser, merchant }) => {
  const watched = await openPage(browser);
  await watched.page.clock.install();
  await watched.page.route("**/assets/browser-*.js", (route) => route.abort());
  const opened = await openWithSdk(watched, merchant.url, await mountOptions(service));
  const { alert } = await reportedFailure(opened);
  await alert.getByRole("button").click();
  await expect.poll(async () => (await opened.sdkEvents()).errors.length).toBe(2);
  await watched.page.clock.fastForward(10_000);
  const releasePage = await holdRequests(watched.page, /\/\?payload=/);
  await alert.getByRole("button").click();
  // The first press was 18 seconds ago, the second 8.
  await watched.page.clock.fastForward(8_000);
  expect(await alert.count()).toBe(0);
  await watched.page.clock.fastForward(8_000);
  await expect.poll(async () => (await opened.sdkEvents()).errors.length).toBe(3);
  // The SDK's two messages for the developer.
  expect(opened.pageErrors.splice(0)).toHaveLength(2);
  releasePage();
});

test("a payment page says that its script stalls, until the script starts", async ({ service, browser }) => {
  const { page } = await openPage(browser);
  const { url } = await service.merchant.createCharge();
  const releaseScript = await holdRequests(page, "**/assets/browser-*.js");
  await page.goto(url, { waitUntil: "commit" });
  await page.locator("#pay").waitFor();
  const text = page.locator(".stalled-script");
  expect(await text.textContent()).toBe("This page is temporarily unavailable.");
  expect(await text.isVisible()).toBe(false);
  const places = () =>
    page.evaluate(() => [
      document.documentElement.scrollHeight,
      ...[...document.querySelectorAll("#root *")].map((element) => element.getBoundingClientRect().top),
    ]);
  const before = await places();
  // As if its time had passed.
  await text.evaluate((element) => element.getAnimations().map((animation) => animation.finish()));
  expect(await text.isVisible()).toBe(true);
  expect(await places()).toEqual(before);
  releaseScript();
  await page.waitForFunction(() => window.cardformVersion !== undefined);
  expect(await text.count()).toBe(0);
  await typeCard(page, page, CARDS.approved);
  await page.click("#pay");
  await page.waitForSelector("#outcome[data-status=succeeded]");
});

describe("a form that fails while it hydrates", () => {
  /** Removes the texts from the page's data, so that drawing the form throws. */
  async function breakTexts(page: Page) {
    await page.route(/\/\?payload=/, async (route) => {
      const response = await route.fetch();
      const body = (await response.text()).replace(/"messages":\{/, '"messages":null,"lost":{');
      await route.fulfill({ response, body });
    });
  }

  test("shows an error on the payment page and removes what was typed", async ({ service, browser }) => {
    const { page, pageErrors } = await openPage(browser);
    await breakTexts(page);
    const sent: string[] = [];
    page.on("request", (request) => sent.push(`${request.url()} ${request.postData() ?? ""}`));
    const { url } = await service.merchant.createCharge();
    // The script arrives after something has been typed.
    const releaseScript = await holdRequests(page, "**/assets/browser-*.js");
    await page.goto(url, { waitUntil: "commit" });
    await page.waitForFunction(() => document.querySelector("#card-number") !== null);
    await page.evaluate((number) => {
      const input = document.querySelector<HTMLInputElement>("#card-number");
      if (input !== null) {
        input.value = number;
      }
    }, CARDS.approved);
    releaseScript();
    await page.waitForSelector(".error-page");
    expect(await page.locator("input").count()).toBe(0);
    // An id or a time may have four of these digits by chance.
    expect(sent.join()).not.toMatch(/4242\W*4242/);
    expect(pageErrors.splice(0)).not.toEqual([]);
  });

  test.for([
    ["drawing", breakTexts],
    [
      "connecting",
      (page: Page) =>
        page.addInitScript(() => {
          if (window.parent !== window) {
            Object.defineProperty(window, "ResizeObserver", { value: undefined });
          }
        }),
    ],
  ] as const)(
    "tells the merchant's page when %s throws",
    async ([_, breakForm], { service, browser, merchant }) => {
      const watched = await openPage(browser);
      await breakForm(watched.page);
      const opened = await openWithSdk(watched, merchant.url, await mountOptions(service));
      await expect.poll(async () => (await opened.sdkEvents()).errors.length).toBe(1);
      expect((await opened.sdkEvents()).errors[0]?.code).toBe("script-failed");
      expect(await opened.submit()).toMatchObject({ status: "failed", errorCode: "script-failed" });
      expect(watched.pageErrors.splice(0)).not.toEqual([]);
    },
  );
});

/** Draws the form in German, and drawing throws. */
async function breakDrawing({ form, page }: PageWithSdk) {
  await form.locator("body").evaluate(() => {
    for (const name of ["nodeValue", "textContent"] as const) {
      const { set } = Object.getOwnPropertyDescriptor(Node.prototype, name) ?? {};
      Object.defineProperty(Node.prototype, name, {
        set(this: Node, text) {
          if (this.isConnected) {
            throw new Error("this form cannot be drawn");
          }
          set?.call(this, text);
        },
      });
    }
  });
  await page.evaluate(() =>
    (window as unknown as { form: { setLocale(tag: string): unknown } }).form.setLocale("de"),
  );
}

test("a form that breaks before a card was sent can be tried again", async ({
  service,
  browser,
  merchant,
}) => {
  const opened = await openWithSdk(await openPage(browser), merchant.url, await mountOptions(service));
  await expect.poll(async () => (await opened.sdkEvents()).loads).toBe(1);
  // The form asks for its client secret when it starts.
  await typeCard(opened.form, opened.page, CARDS.approved);
  await opened.page.waitForFunction(() => (window as unknown as { form: { ready: boolean } }).form.ready);
  await breakDrawing(opened);
  const { alert } = await reportedFailure(opened);
  await alert.getByRole("button", { name: "Erneut versuchen" }).click();
  await expect.poll(async () => (await opened.sdkEvents()).loads).toBe(2);
});

test("a form that breaks after a card was sent does not ask to pay again", async ({
  service,
  browser,
  merchant,
}) => {
  const watched = await openPage(browser);
  const release = await holdRequests(watched.page, "**/v1/pub/direct/charges");
  const opened = await openWithSdk(watched, merchant.url, await mountOptions(service));
  await typeCard(opened.form, opened.page, CARDS.approved);
  await opened.page.waitForFunction(() => (window as unknown as { form: { ready: boolean } }).form.ready);
  const submitted = opened.submit();
  await expect.poll(() => opened.form.locator("[aria-busy=true]").count()).toBeGreaterThan(0);
  await breakDrawing(opened);
  const { words, alert } = await reportedFailure(opened);
  expect(words).toBe(
    "Möglicherweise haben Sie bereits bezahlt. Fragen Sie im Shop nach, bevor Sie noch einmal bezahlen.",
  );
  expect(await alert.getByRole("button").count()).toBe(0);
  expect(await submitted).toMatchObject({ status: "outcome_unknown" });
  release();
});

test("a submission that gets no client secret ends after a while", async ({ service, browser, merchant }) => {
  const watched = await openPage(browser);
  await watched.page.clock.install();
  const opened = await openWithSdk(watched, merchant.url, {
    ...(await mountOptions(service)),
    clientSecret: null,
  });
  await typeCard(opened.form, opened.page, CARDS.approved);
  await opened.page.waitForFunction(() => (window as unknown as { form: { ready: boolean } }).form.ready);
  const submitted = opened.submit();
  await watched.page.clock.fastForward(16_000);
  expect(await submitted).toMatchObject({ status: "failed", errorCode: "client-secret-timeout" });
  expect(watched.pageErrors.splice(0)).not.toEqual([]);
});
