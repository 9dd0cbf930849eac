// Each kind of event of a shopper's visit, and what events never contain.

import type { Browser } from "playwright-core";
import { describe, expect } from "vitest";

import type { EventBatch, Report } from "../../form/generated/wire.ts";
import { openPage } from "../src/browser.ts";
import {
  type EventRecorder,
  fieldsOf,
  recorders,
  type StartRecorder,
  type TrackingEvent,
} from "../src/events.ts";
import { featuresFileWith } from "../src/features-file.ts";
import { ALL_FIELDS, openEmbedded, type PageOptions, paymentPage } from "../src/form-page.ts";
import type { Service } from "../src/service.ts";
import { CARDS, field, typeCard } from "../src/shopper.ts";
import { test as base, serviceWith } from "../src/test.ts";

/** Every shopper gets the second of two variations. */
const FEATURES = {
  "pop-646-card-form-ui-redesign": {
    defaultValue: true,
    rules: [
      {
        key: "redesign-2026",
        variations: [true, true],
        meta: [{ key: "as-it-was" }, { key: "renewed" }],
        weights: [0, 1],
        coverage: 1,
      },
    ],
  },
};

const test = base
  .extend("features", { scope: "file" }, featuresFileWith(FEATURES))
  // Each test has its own, because one test reads its counts.
  .extend("experimentService", ({ features }, cleanup) =>
    serviceWith("--features-file", features)({}, cleanup),
  )
  .extend("record", recorders);

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const CAMPAIGN =
  "utm_source=news&utm_medium=email&utm_campaign=spring&utm_content=top&utm_term=gems&cid=c7&campaign_id=9";
const SESSION_TIMEOUT_MS = 1_800_000;

/** An empty page, the recorder of what pages post, and `open`, which opens a payment page through the recorder. */
async function recordedBrowser({
  service,
  browser,
  record,
}: {
  service: Service;
  browser: Browser;
  record: StartRecorder;
}) {
  const { page, pageErrors } = await openPage(browser);
  const recorder = await record(service);
  return {
    page,
    pageErrors,
    ...recorder,
    open: async (query = "", options: PageOptions = {}) => {
      const url = throughRecorder(await paymentPage(service, options), recorder);
      for (const [name, value] of new URLSearchParams(query)) url.searchParams.set(name, value);
      await page.goto(url.href);
      return url;
    },
  };
}

function throughRecorder(url: string, recorder: EventRecorder): URL {
  const { pathname, search, hash } = new URL(url);
  return new URL(pathname + search + hash, recorder.url);
}

/** How many events of each type the service has accepted. */
async function acceptedEvents({ url }: Service): Promise<Record<string, number>> {
  const metrics = await (await fetch(`${url}/metrics`)).text();
  const lines = metrics.matchAll(/^cardform_events_total\{type="(.+)"\} (\d+)$/gm);
  return Object.fromEntries([...lines].map(([, type, count]) => [type, Number(count)]));
}

async function operatorReport({ url, operatorKey }: Service): Promise<Report> {
  const headers = { authorization: `Bearer ${operatorKey}` };
  return (await fetch(`${url}/v1/operator/report`, { headers })).json() as Promise<Report>;
}

const eventsNamed = (events: readonly TrackingEvent[], name: string) =>
  events.filter((event) => event.name === name);
/** The fields of an event that differ between two page loads. */
const fieldsOfLoad = ({ id, at, visit, metadata }: TrackingEvent) => ({ id, at, visit, metadata });
/** The name and data of each event of the product's own analytics, in order. */
const customEvents = (events: readonly TrackingEvent[]) =>
  events.flatMap((event) => (event.type === "custom" ? [[event.name, withoutTime(event.data)]] : []));
const withoutTime = ({ elapsed_ms: _, ...data }: Record<string, unknown>) => data;

describe("each kind of event arrives", () => {
  test("a page view with the fields of every event", async ({ service, browser, record }) => {
    const { page, waitForEvent, open, pageErrors, statuses } = await recordedBrowser({
      service,
      browser,
      record,
    });
    const url = await open(CAMPAIGN);
    const { metadata, ...view } = await waitForEvent("pageView");
    expect(view).toEqual({
      type: "page-view",
      name: "pageView",
      id: expect.stringMatching(UUID),
      visit: expect.stringMatching(UUID),
      at: expect.any(Number),
      title: "Pay with card",
      path: "/",
      referrerUrl: "",
      locale: "en-US",
      additionalInfo: {
        place: "standalone",
        redesign: true,
        fields: 3,
        offers_saved_cards: false,
        offers_saving: false,
      },
    });
    expect(Math.abs(Date.now() - view.at)).toBeLessThan(60_000);
    expect(metadata).toEqual({
      namespace: "pay",
      codaCookieId: expect.stringMatching(UUID),
      fullUrl: `${url.origin}/?cid=c7&campaign_id=9&utm_campaign=spring&utm_source=news&utm_medium=email&utm_content=top&utm_term=gems`,
      ip: "127.0.0.1",
      libraryVersion: await page.evaluate(() => window.cardformVersion),
      domainName: "127.0.0.1",
      userAgent: await page.evaluate(() => navigator.userAgent),
      os: "Linux",
      mobile: false,
      browser: "Chrome",
      cid: "c7",
      campaignId: "9",
      utmCampaign: "spring",
      utmSource: "news",
      utmMedium: "email",
      utmContent: "top",
      utmTerm: "gems",
      sessionId: expect.stringMatching(UUID),
      sessionNum: 1,
      engagementMs: 0,
    });
    await expect.poll(() => statuses).toContain(200);
    expect(pageErrors).toEqual([]);
  });

  test("an identity, with the merchant's cookie id where there is one", async ({
    service,
    browser,
    record,
  }) => {
    const { all, waitForEvent, open, page, statuses } = await recordedBrowser({ service, browser, record });
    await open("", { cookie_id: "merchants-own-1" });
    const first = await waitForEvent("identify");
    expect(first).toMatchObject({
      type: "identify",
      deviceId: expect.stringMatching(UUID),
      anonymousId: expect.stringMatching(UUID),
      cookieId: "merchants-own-1",
      metadata: { codaCookieId: "merchants-own-1" },
    });
    // Without an answer, the page would post the events of this load again after the reload.
    await expect.poll(() => statuses).toContain(200);
    await page.reload();
    await expect.poll(() => eventsNamed(all(), "identify").length).toBe(2);
    const again = eventsNamed(all(), "identify").at(-1);
    expect(again?.visit).not.toBe(first.visit);
    expect({ ...again, ...fieldsOfLoad(first) }).toEqual(first);
  });

  test("a session's start, and its end after a pause or by a campaign", async ({
    service,
    browser,
    record,
  }) => {
    const { all, open, page } = await recordedBrowser({ service, browser, record });
    const context = page.context();
    /** Opens the page and waits for its page view. */
    const visit = async (query = "") => {
      const before = eventsNamed(all(), "pageView").length;
      await open(query);
      await expect.poll(() => eventsNamed(all(), "pageView").length).toBe(before + 1);
      return eventsNamed(all(), "pageView").at(-1)?.metadata;
    };
    const sessions = () =>
      all().flatMap(({ type, name, metadata }) => (type === "session" ? [[name, metadata.sessionNum]] : []));
    await visit();
    await visit();
    expect(sessions()).toEqual([["sessionStart", 1]]);
    const first = await visit("utm_source=news");
    expect(first).toMatchObject({ sessionNum: 2, utmSource: "news" });
    expect(await visit()).toMatchObject({ sessionNum: 2, sessionId: first?.sessionId, utmSource: "news" });
    await context.addCookies([
      { name: "cardform-last-action", value: String(Date.now() - SESSION_TIMEOUT_MS), url: service.url },
    ]);
    expect(await visit()).toMatchObject({ sessionNum: 3, utmSource: "" });
    expect(sessions()).toEqual([
      ["sessionStart", 1],
      ["sessionClose", 1],
      ["sessionStart", 2],
      ["sessionClose", 2],
      ["sessionStart", 3],
    ]);
  });

  test("clicks by element id, also those before the script", async ({ service, browser, record }) => {
    const { all, open, page } = await recordedBrowser({ service, browser, record });
    await open();
    await page.waitForFunction(() => window.cardformVersion !== undefined);
    await page.click("label[for=card-expiry], #card-expiry");
    await page.click(".summary");
    await page.click("#pay");
    await expect.poll(() => eventsNamed(all(), "click").length).toBe(2);
    expect(eventsNamed(all(), "click").map((event) => event.type === "click" && event.element)).toEqual([
      "card-expiry",
      "pay",
    ]);
  });

  test("the product's own analytics, from the first focus to the payment", async ({
    service,
    browser,
    record,
  }) => {
    const { all, waitForEvent, open, page, pageErrors } = await recordedBrowser({ service, browser, record });
    const start = Date.now() - 5_000;
    await open(`init_time=${start}`);
    await page.waitForFunction(() => window.cardformVersion !== undefined);
    await field(page, "card-number").click();
    await page.keyboard.type("4242");
    await page.keyboard.press("Tab");
    await page.click("#pay");
    await typeCard(page, page, CARDS.insufficientFunds);
    await page.click("#pay");
    await page.waitForSelector("#outcome[data-status=failed]");
    await typeCard(page, page, CARDS.approved);
    await page.click("#pay");
    await page.waitForSelector("#outcome[data-status=succeeded]");
    const success = await waitForEvent("submit_success");
    expect(success).toMatchObject({ type: "custom", data: { elapsed_ms: success.at - start } });
    const custom = customEvents(all());
    expect(custom.slice(0, 7)).toEqual([
      ["form_ready", {}],
      ["field_focus", { field: "card-number" }],
      ["field_input", { field: "card-number" }],
      ["brand_detected", { brand: "visa" }],
      ["field_blur", { field: "card-number", state: "ValidationError" }],
      ["field_error", { field: "card-number", error_id: "CardNumber_Invalid_Length" }],
      ["field_focus", { field: "card-expiry" }],
    ]);
    expect(custom.filter(([name]) => String(name).startsWith("submit_") || name === "device_data")).toEqual(
      expect.arrayContaining([
        ["submit_invoked", { method: "new_card" }],
        ["submit_fail", { status: "failed", decline_code: "insufficient_funds" }],
        ["submit_success", {}],
        ["device_data", { outcome: "collected" }],
      ]),
    );
    expect(custom).toContainEqual(["field_error", { field: "card-expiry", error_id: "CardExpiry_Empty" }]);
    expect(pageErrors).toEqual([]);
  });

  test("an experiment once per session, with its variation", async ({
    browser,
    record,
    experimentService,
  }) => {
    const { page } = await openPage(browser);
    const recorder = await record(experimentService);
    const viewed = () => eventsNamed(recorder.all(), "ExperimentViewed");
    const visit = async (visits: number) => {
      await page.goto(throughRecorder(await paymentPage(experimentService), recorder).href);
      await expect.poll(() => eventsNamed(recorder.all(), "pageView").length).toBe(visits);
    };
    await visit(1);
    await expect.poll(viewed).toMatchObject([
      {
        type: "experiment-viewed",
        experimentId: "redesign-2026",
        variationId: 1,
        variationKey: "renewed",
      },
    ]);
    await visit(2);
    await recorder.waitForEvent("form_ready");
    expect(viewed().length).toBe(1);
    await page
      .context()
      .addCookies([
        { name: "cardform-last-action", value: String(Date.now() - SESSION_TIMEOUT_MS), url: recorder.url },
      ]);
    await visit(3);
    await expect.poll(() => viewed().length).toBe(2);
  });

  test("all of a payment, in the visit's order, and the service accepts each", async ({
    browser,
    record,
    experimentService: service,
  }) => {
    const { bodies, waitForEvent, open, page, pageErrors } = await recordedBrowser({
      service,
      browser,
      record,
    });
    await open();
    await typeCard(page, page, CARDS.approved);
    await page.click("#pay");
    await page.waitForSelector("#outcome[data-status=succeeded]");
    await waitForEvent("submit_success");
    // The page posts the end of the visit while it closes.
    await page.goto("about:blank");
    await waitForEvent("page_left");
    const records = bodies.flatMap((body) => (JSON.parse(body) as EventBatch).records);
    const events = records.map(({ value }) => value);
    expect(new Set(events.map(({ id }) => id)).size).toBe(events.length);
    // Kafka keeps the order of records with the same key.
    expect(new Set(records.flatMap(({ key, value }) => [key, value.visit])).size).toBe(1);
    const names = events.map(({ name }) => name);
    expect(names.slice(0, 3)).toEqual(["sessionStart", "identify", "pageView"]);
    expect(names.indexOf("submit_invoked")).toBeLessThan(names.indexOf("submit_success"));
    expect(names.at(-1)).toBe("page_left");
    const posted: Record<string, number> = {};
    for (const { type } of events) posted[type] = (posted[type] ?? 0) + 1;
    expect(Object.keys(posted).sort()).toEqual([
      "click",
      "custom",
      "experiment-viewed",
      "identify",
      "page-view",
      "session",
    ]);
    await expect.poll(() => acceptedEvents(service)).toEqual(posted);
    // What the service reads in them is also what it stores or sends to Kafka.
    await expect
      .poll(() => operatorReport(service))
      .toMatchObject({
        visits: { funnel: { viewed: 1, paid: 1 } },
        experiments: [
          {
            experiment_id: "redesign-2026",
            variations: [{ variation_id: 1, funnel: { viewed: 1, paid: 1 } }],
          },
        ],
      });
    expect(pageErrors).toEqual([]);
  });

  test("the end of the visit, with the field that was used last", async ({ service, browser, record }) => {
    const { waitForEvent, open, page } = await recordedBrowser({ service, browser, record });
    await open();
    await waitForEvent("pageView");
    await field(page, "card-number").click();
    await page.keyboard.type("4242");
    await page.goto("about:blank");
    expect(await waitForEvent("page_left")).toMatchObject({
      type: "custom",
      data: { field: "card-number", ready: false, phase: "open" },
      metadata: { engagementMs: expect.any(Number) },
    });
  });
});

describe("in a merchant's page", () => {
  test("events have the page's origin, not its whole address", async ({
    service,
    browser,
    merchant,
    record,
  }) => {
    const recorder = await record(service);
    const embedded = openEmbedded({ ...service, url: recorder.url }, browser, merchant, ALL_FIELDS);
    const { page, pageErrors, form, post, created } = await embedded;
    await typeCard(form, page, CARDS.approved);
    await field(form, "card-holder-name").fill("Quillon Abernathy");
    await field(form, "card-holder-email").fill("quillon@example.com");
    await post({ type: "submit-ready", client_secret: created.client_secret });
    await recorder.waitForEvent("submit_success");
    const view = eventsNamed(recorder.all(), "pageView")[0];
    expect(view).toMatchObject({
      referrerUrl: new URL(merchant.url).origin,
      additionalInfo: { place: "embedded", fields: 5 },
      metadata: { fullUrl: `${recorder.url}/` },
    });
    expect(pageErrors).toEqual([]);
  });
});

describe("what is never sent", () => {
  test("is typed text, the shopper's identity, or a charge's secret", async ({
    service,
    browser,
    record,
  }) => {
    const { all, bodies, waitForEvent, open, page, pageErrors } = await recordedBrowser({
      service,
      browser,
      record,
    });
    const url = await open(`${CAMPAIGN}&payload_extra=quokka`, {
      ...ALL_FIELDS,
      cardholder_email: "before@example.com",
    });
    await typeCard(page, page, CARDS.insufficientFunds, "1134", "907");
    await field(page, "card-holder-name").fill("Quillon Abernathy");
    await field(page, "card-holder-email").fill("quillon.abernathy@example.com");
    await page.click("#pay");
    await page.waitForSelector("#outcome[data-status=failed]");
    await typeCard(page, page, CARDS.approved, "1034", "809");
    await page.click("#pay");
    await page.waitForSelector("#outcome[data-status=succeeded]");
    await waitForEvent("submit_success");
    await page.goto("about:blank");
    await waitForEvent("page_left");
    expect(all().length).toBeGreaterThan(20);
    const secret = new URLSearchParams(url.hash.slice(1)).get("link") ?? "";
    const payload = url.searchParams.get("payload") ?? "";
    expect(secret.length).toBeGreaterThan(100);
    expect(payload.length).toBeGreaterThan(50);
    const never = [
      ...[CARDS.insufficientFunds, CARDS.approved].flatMap((number) => [
        number,
        number.replaceAll(/(.{4})(?=.)/g, "$1 "),
        number.slice(0, 6),
        number.slice(-6),
      ]),
      ...["11 / 34", "10 / 34", "11/34", "10/34"],
      ...["Quillon", "Abernathy", "quillon", "abernathy", "@", "%40", "before"],
      ...[
        secret,
        secret.slice(0, 30),
        payload,
        encodeURIComponent(payload),
        "client_secret",
        "payload",
        "quokka",
      ],
      ...["order-1", "gems-100", "12.50"],
    ];
    const posted = bodies.join("\n");
    for (const text of never) expect(posted).not.toContain(text);
    // A security code is so short that an id or a time can contain it by chance, so these are left out.
    for (const [path, text] of all().flatMap(fieldsOf)) {
      expect([path, text.includes("907") || text.includes("809")]).toEqual([path, false]);
    }
    expect(pageErrors).toEqual([]);
  });
});
