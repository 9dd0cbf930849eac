// Tracking fails, is refused by the shopper, or is switched off: the shopper can still pay, and the console has at most one
// line about it.

import type { Browser, Page, Route } from "playwright-core";
import { describe, expect } from "vitest";

import type { EventBatch } from "../../form/generated/wire.ts";
import { openPage } from "../src/browser.ts";
import { advanceClockUntil } from "../src/clock.ts";
import { type EventRecorder, recorders, type StartRecorder, type TrackingEvent } from "../src/events.ts";
import { ALL_FIELDS, openEmbedded, paymentPage } from "../src/form-page.ts";
import { startSecureService } from "../src/secure-service.ts";
import type { Service } from "../src/service.ts";
import { CARDS, field, typeCard } from "../src/shopper.ts";
import { test as base, browserWith, serviceWith, startAndStop } from "../src/test.ts";

/** With this argument the browser refuses third-party cookies. */
const NO_THIRD_PARTY_COOKIES = "--test-third-party-cookie-phaseout";

const test = base
  // The service is not shared, because these tests read its count of policy violations.
  .extend("service", { scope: "file" }, serviceWith())
  .extend("serviceWithoutTracking", { scope: "file" }, serviceWith("--tracking", "false"))
  .extend("devService", { scope: "file" }, serviceWith("--experimentation-mode", "dev"))
  .extend("secureService", { scope: "file" }, startAndStop(startSecureService))
  .extend("noThirdPartyCookies", { scope: "file" }, browserWith(NO_THIRD_PARTY_COOKIES))
  // The shop's host does not exist, so the browser sees a public site that calls this machine, which it would forbid.
  .extend(
    "localAccessBrowser",
    { scope: "file" },
    browserWith(NO_THIRD_PARTY_COOKIES, "--disable-features=LocalNetworkAccessChecks"),
  )
  .extend("record", recorders);

/** The address of a new charge's payment page, through `recorder`. */
async function recordedPage(recorder: EventRecorder, service: Service, options = {}): Promise<string> {
  const { pathname, search, hash } = new URL(await paymentPage(service, options));
  return recorder.url + pathname + search + hash;
}

/** The lines about events that the page writes to its console from now on. */
function linesAboutEvents(page: Page): string[] {
  const lines: string[] = [];
  page.on("console", (message) => {
    if (/event|tracking|HTTP response error/i.test(message.text())) {
      lines.push(message.text());
    }
  });
  return lines;
}

async function pay(page: Page, url: string) {
  await page.goto(url);
  await typeCard(page, page, CARDS.approved);
  await page.click("#pay");
  await page.waitForSelector("#outcome[data-status=succeeded]");
}

/** Tells the page that it is hidden, as when the shopper opens another tab. It then posts its waiting events at once. */
async function hide(page: Page) {
  await page.click("#outcome");
  await page.evaluate(() => {
    Object.defineProperty(document, "visibilityState", { value: "hidden" });
    document.dispatchEvent(new Event("visibilitychange"));
  });
}

describe("the shopper pays when the event service", () => {
  const html = { status: 200, contentType: "text/html", body: "<!doctype html><title>Proxy</title>" };
  test.for<[string, (route: Route) => unknown, readonly string[]]>([
    ["is down", (route) => route.abort(), ["Events could not be posted."]],
    ["never answers", () => {}, []],
    ["fails", (route) => route.fulfill({ status: 500 }), ["HTTP response error! Status: 500"]],
    ["does not exist", (route) => route.fulfill({ status: 404 }), ["HTTP response error! Status: 404"]],
    ["is busy", (route) => route.fulfill({ status: 429 }), ["HTTP response error! Status: 429"]],
    [
      "sends an empty answer",
      (route) => route.fulfill({ status: 200 }),
      ["Events were answered with something else than JSON."],
    ],
    [
      "sends a web page",
      (route) => route.fulfill(html),
      ["Events were answered with something else than JSON."],
    ],
    ["sends other JSON", (route) => route.fulfill({ json: { offsets: { no: "list" } } }), []],
  ])("%s", async ([_, answer, expectedLines], { service, browser }) => {
    const { page, pageErrors } = await openPage(browser);
    const lines = linesAboutEvents(page);
    let tries = 0;
    await page.route("**/topics/**", (route) => {
      tries += 1;
      return answer(route);
    });
    await pay(page, await paymentPage(service));
    await expect.poll(() => tries).toBeGreaterThan(0);
    await expect.poll(() => lines).toEqual(expectedLines);
    // When more events fail, the console has no more lines.
    const before = tries;
    await hide(page);
    await expect.poll(() => tries).toBeGreaterThan(before);
    expect(lines).toEqual(expectedLines);
    expect(pageErrors).toEqual([]);
    expect(await service.policyViolations()).toEqual([]);
  });

  test("fails at first, and the events are sent again", async ({ service, browser }) => {
    const { page } = await openPage(browser);
    const posted: TrackingEvent[] = [];
    await page.route("**/topics/**", async (route) => {
      const { records } = route.request().postDataJSON() as EventBatch;
      posted.push(...records.map(({ value }) => value));
      const offsets = records.map(() => ({
        partition: null,
        offset: null,
        error_code: 50003,
        error: "busy",
      }));
      await route.fulfill({ json: { offsets, key_schema_id: null, value_schema_id: null } });
    });
    await page.clock.install();
    await page.goto(await paymentPage(service));
    const pageViews = () => posted.filter(({ name }) => name === "pageView");
    await advanceClockUntil(page, () => pageViews().length - 1);
    expect(pageViews().length).toBe(2);
    expect(pageViews()[0]).toEqual(pageViews()[1]);
    await field(page, "card-number").click();
    await expect.poll(() => posted.map(({ name }) => name)).toContain("field_focus");
    expect(pageViews().length).toBe(2);
  });
});

describe("with storage denied", () => {
  test("the shopper pays, and the page keeps the session in memory", async ({ service, browser, record }) => {
    const { page, pageErrors } = await openPage(browser);
    const lines = linesAboutEvents(page);
    const posted = await record(service);
    await page.addInitScript(() => {
      const denied = () => {
        throw new DOMException("The operation is insecure.", "SecurityError");
      };
      Object.defineProperty(document, "cookie", { get: denied, set: denied });
      Object.defineProperty(window, "localStorage", { get: denied });
      Object.defineProperty(window, "sessionStorage", { get: denied });
    });
    await pay(page, await recordedPage(posted, service));
    const success = await posted.waitForEvent("submit_success");
    expect(success.metadata.sessionNum).toBe(1);
    expect(new Set(posted.all().map(({ metadata }) => metadata.sessionId)).size).toBe(1);
    expect(posted.all().map(({ name }) => name)).toContain("sessionStart");
    expect(lines).toEqual([]);
    expect(pageErrors).toEqual([]);
  });

  test("the same is true in a frame on another site", async ({
    service,
    merchant,
    record,
    noThirdPartyCookies,
  }) => {
    // A page with another host is another site. Another port alone is not enough.
    const otherSite = { ...merchant, url: merchant.url.replace("127.0.0.1", "localhost") };
    const posted = await record(service);
    const recordedService = { ...service, url: posted.url };
    const { page, pageErrors, form, post, created } = await openEmbedded(
      recordedService,
      noThirdPartyCookies,
      otherSite,
    );
    await typeCard(form, page, CARDS.approved);
    await post({ type: "submit-ready", client_secret: created.client_secret });
    const success = await posted.waitForEvent("submit_success");
    expect(success.metadata).toMatchObject({ sessionNum: 1, codaCookieId: expect.stringMatching(/./) });
    expect((await page.context().cookies()).filter(({ name }) => name.startsWith("cardform-"))).toEqual([]);
    expect(pageErrors).toEqual([]);
  });
});

describe("in a merchant's page over https", () => {
  test("partitioned cookies keep the session for this merchant", async ({
    secureService,
    localAccessBrowser,
  }) => {
    const { page } = await openPage(localAccessBrowser, { ignoreHTTPSErrors: true });
    const posted: TrackingEvent[] = [];
    page.on("request", (request) => {
      if (request.url().includes("/topics/")) {
        posted.push(...(request.postDataJSON() as EventBatch).records.map(({ value }) => value));
      }
    });
    const views = () => posted.filter(({ name }) => name === "pageView");
    const frame = `<iframe src="${secureService.url}/${secureService.query}"></iframe>`;
    await page.route("https://shop.example/**", (route) =>
      route.fulfill({ contentType: "text/html", body: `<!doctype html><title>Shop</title>${frame}` }),
    );
    await page.goto("https://shop.example/");
    await expect.poll(() => views().length).toBe(1);
    const cookies = await page.context().cookies(secureService.url);
    const ours = cookies.filter(({ name }) =>
      /^(cardform-(device|anonymous|session)-|coda-cookie-id)/.test(name),
    );
    expect(ours.map(({ name }) => name).sort()).toEqual([
      "cardform-anonymous-id",
      "cardform-device-id",
      "cardform-session-id",
      "cardform-session-num",
      "coda-cookie-id",
    ]);
    for (const cookie of ours) {
      expect(cookie).toMatchObject({ sameSite: "None", secure: true, partitionKey: "https://shop.example" });
    }
    await page.reload();
    await expect.poll(() => views().length).toBe(2);
    const [first, second] = views();
    expect(second?.metadata).toMatchObject({
      sessionId: first?.metadata.sessionId,
      sessionNum: 1,
      codaCookieId: first?.metadata.codaCookieId,
    });
  });
});

describe("nothing is posted and nothing is stored", () => {
  async function payWithoutEvents(
    service: Service,
    browser: Browser,
    record: StartRecorder,
    options: object,
  ) {
    const { page, pageErrors } = await openPage(browser);
    const posted = await record(service);
    const lines = linesAboutEvents(page);
    // Tracking is in the deferred script. Only after this script has arrived could the page post events.
    const deferredScript = page.waitForResponse((response) => /deferred-/.test(response.url()));
    await page.goto(await recordedPage(posted, service, options));
    await (await deferredScript).finished();
    await typeCard(page, page, CARDS.approved);
    await page.click("#pay");
    await page.waitForSelector("#outcome[data-status=succeeded]");
    const cookies = (await page.context().cookies()).filter(({ name }) => name.startsWith("cardform-"));
    await page.goto("about:blank");
    expect(posted.bodies).toEqual([]);
    expect(pageErrors).toEqual([]);
    return { lines, cookies };
  }

  test("for a merchant who switches tracking off", async ({ service, browser, record }) => {
    expect(
      await payWithoutEvents(service, browser, record, {
        ...ALL_FIELDS,
        show_cardholder_name: false,
        show_cardholder_email: false,
        tracking: false,
      }),
    ).toEqual({
      lines: [],
      cookies: [],
    });
  });

  test("when an operator switches it off; dev mode logs events", async ({
    browser,
    record,
    serviceWithoutTracking,
    devService,
  }) => {
    expect(await payWithoutEvents(serviceWithoutTracking, browser, record, {})).toEqual({
      lines: [],
      cookies: [],
    });
    const { lines } = await payWithoutEvents(devService, browser, record, {});
    expect(lines.filter((line) => line.startsWith("event")).length).toBeGreaterThan(10);
  });
});

describe("a shopper who does not want to be tracked", () => {
  test.for([
    ["Global Privacy Control", "globalPrivacyControl", true, "sec-gpc"],
    ["Do Not Track", "doNotTrack", "1", "dnt"],
  ] as const)(
    "with %s gets no cookie, and events have no identity",
    async ([_, property, value, header], { service, browser, record }) => {
      const { page } = await openPage(browser);
      const posted = await record(service);
      // A browser tells the server with a header, and the page with a property.
      await page.setExtraHTTPHeaders({ [header]: "1" });
      await page.addInitScript(
        ([name, set]) => Object.defineProperty(navigator, name as string, { value: set }),
        [property, value] as const,
      );
      await pay(page, (await recordedPage(posted, service)).replace("#", "&utm_source=news#"));
      await posted.waitForEvent("submit_success");
      expect(new Set(posted.all().map(({ type }) => type))).toEqual(new Set(["page-view", "custom"]));
      for (const { metadata } of posted.all()) {
        const fullUrl = `${posted.url}/`;
        expect(metadata).toMatchObject({ codaCookieId: "", ip: "", userAgent: "", utmSource: "", fullUrl });
      }
      const cookies = await page.context().cookies();
      expect(cookies.filter(({ name }) => /^cardform-|^coda-/.test(name))).toEqual([]);
      expect(
        await page.evaluate(() => Object.keys(localStorage).filter((name) => /campaign|viewed/.test(name))),
      ).toEqual([]);
    },
  );
});
