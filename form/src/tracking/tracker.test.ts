// What becomes an event and what is dropped (docs/tracking.md#what-is-dropped).

import { describe, expect, it } from "vitest";

import type { EventRecord } from "../../generated/wire.ts";
import { NO_CAMPAIGN } from "./campaign.ts";
import { createVisitor } from "./identity.ts";
import { inMemory } from "./kept-values.ts";
import { createTracker, type TrackerEnvironment } from "./tracker.ts";

const NOW = 1_800_000_000_000;
const TIMEOUT_MS = 1_800_000;
const SPRING = { ...NO_CAMPAIGN, utmCampaign: "spring", utmSource: "news" };
const PAGE = {
  title: "Pay with card",
  path: "/",
  referrerUrl: "https://shop.example",
  locale: "en-US",
  additionalInfo: { place: "embedded", fields: 3, redesign: true },
};

/** A tracker of a new visitor. */
function drive(change: Partial<TrackerEnvironment> = {}, cookieId = "c-1") {
  const records: EventRecord[] = [];
  const lines: string[] = [];
  let ids = 0;
  const newId = () => {
    ids += 1;
    return `00000000-0000-4000-8000-${String(ids).padStart(12, "0")}`;
  };
  const tracker = createTracker({
    namespace: "pay",
    visitor: createVisitor(cookieId, TIMEOUT_MS, { cookies: inMemory(), storage: inMemory(), newId }),
    unknown: false,
    start: NOW - 400,
    about: () => ({
      fullUrl: "https://pay.example/",
      ip: "203.0.113.7",
      libraryVersion: "2.3.0",
      domainName: "pay.example",
      userAgent: "Mozilla/5.0",
      os: "iOS",
      mobile: true,
      browser: "Safari",
    }),
    engagementMs: (now) => now - NOW,
    newId,
    add: (record) => records.push(record),
    log: (line) => lines.push(line),
    ...change,
  });
  return { tracker, lines, events: () => records.splice(0).map(({ value }) => value), records };
}

const names = (events: readonly { readonly name: string }[]) => events.map(({ name }) => name);

describe("opening the page", () => {
  it("sends session, identity and page view, each with the common fields", () => {
    const { tracker, records } = drive();
    tracker.open(NOW, SPRING, PAGE);
    const metadata = {
      namespace: "pay",
      codaCookieId: "c-1",
      fullUrl: "https://pay.example/",
      ip: "203.0.113.7",
      libraryVersion: "2.3.0",
      domainName: "pay.example",
      userAgent: "Mozilla/5.0",
      os: "iOS",
      mobile: true,
      browser: "Safari",
      cid: "",
      campaignId: "",
      utmCampaign: "spring",
      utmSource: "news",
      utmMedium: "",
      utmContent: "",
      utmTerm: "",
      sessionId: expect.stringMatching(/^0{8}-/),
      sessionNum: 1,
      engagementMs: 0,
    };
    const visit = records[0]?.key;
    const shared = { at: NOW, visit, id: expect.stringMatching(/^0{8}-/), metadata };
    expect(records.map(({ key, value }) => [key, value])).toEqual([
      [visit, { ...shared, type: "session", name: "sessionStart" }],
      [
        visit,
        {
          ...shared,
          type: "identify",
          name: "identify",
          deviceId: expect.stringMatching(/^0{8}-/),
          anonymousId: expect.stringMatching(/^0{8}-/),
          cookieId: "c-1",
        },
      ],
      [visit, { ...shared, type: "page-view", name: "pageView", ...PAGE }],
    ]);
    expect(new Set(records.map(({ value }) => value.id)).size).toBe(3);
    expect(Object.keys(records[0]?.value.metadata ?? {}).sort()).toEqual(Object.keys(metadata).sort());
  });
});

describe("an event", () => {
  it("has the element, the variation or the product's own attributes", () => {
    const { tracker, events } = drive();
    tracker.open(NOW, null, PAGE);
    events();
    tracker.click(NOW + 1, "pay");
    tracker.view(NOW + 2, [
      { experiment_id: "redesign", feature: "form", variation_id: 1, variation_key: "on" },
    ]);
    tracker.custom(NOW + 3, "field_error", { field: "card-number", error_id: "CardNumber_Invalid" });
    expect(events()).toMatchObject([
      { type: "click", name: "click", at: NOW + 1, element: "pay", metadata: { engagementMs: 1 } },
      {
        type: "experiment-viewed",
        name: "ExperimentViewed",
        at: NOW + 2,
        experimentId: "redesign",
        variationId: 1,
        variationKey: "on",
      },
      {
        type: "custom",
        name: "field_error",
        at: NOW + 3,
        data: { elapsed_ms: 403, field: "card-number", error_id: "CardNumber_Invalid" },
      },
    ]);
  });

  it("of an experiment is reported once per session", () => {
    const { tracker, events } = drive();
    const assignments = [
      { experiment_id: "a", feature: "one", variation_id: 0, variation_key: "0" },
      { experiment_id: "b", feature: "two", variation_id: 1, variation_key: "1" },
    ];
    tracker.open(NOW, null, PAGE);
    events();
    tracker.view(NOW, assignments);
    tracker.view(NOW + 1, assignments);
    expect(names(events())).toEqual(["ExperimentViewed", "ExperimentViewed"]);
    tracker.view(NOW + 1 + TIMEOUT_MS, assignments);
    expect(names(events())).toEqual(["sessionClose", "sessionStart", "ExperimentViewed", "ExperimentViewed"]);
  });

  it("after the time-out belongs to another session, without the campaign", () => {
    const { tracker, events } = drive();
    tracker.open(NOW, SPRING, PAGE);
    const [first] = events();
    tracker.click(NOW + TIMEOUT_MS, "pay");
    const [closed, started, click] = events();
    expect(names([closed, started, click].filter((event) => event !== undefined))).toEqual([
      "sessionClose",
      "sessionStart",
      "click",
    ]);
    expect(closed?.metadata).toMatchObject({ sessionId: first?.metadata.sessionId, utmCampaign: "spring" });
    expect(started?.metadata).toMatchObject({ sessionNum: 2, utmCampaign: "" });
    expect(click?.metadata.sessionId).toBe(started?.metadata.sessionId);
  });

  it("of leaving belongs to the last session, after any time", () => {
    const { tracker, events } = drive();
    tracker.open(NOW, SPRING, PAGE);
    const [first] = events();
    tracker.leave(NOW + 2 * TIMEOUT_MS, "page_left", { field: "card-number" });
    expect(events()).toMatchObject([
      {
        name: "page_left",
        data: { elapsed_ms: 400 + 2 * TIMEOUT_MS, field: "card-number" },
        metadata: { sessionId: first?.metadata.sessionId, sessionNum: 1, utmCampaign: "spring" },
      },
    ]);
    tracker.click(NOW + 2 * TIMEOUT_MS, "pay");
    expect(names(events())).toEqual(["sessionClose", "sessionStart", "click"]);
  });

  it.each(["", " ", "\t\n"])("of the product's own with the blank name %j is dropped and logged", (name) => {
    const { tracker, events, lines } = drive();
    tracker.custom(NOW, name, {});
    expect(events()).toEqual([]);
    expect(lines).toEqual(["A custom event has no name and is dropped."]);
  });

  it.each(["", "  "])("of identity or session with the cookie id %j is dropped and logged", (cookieId) => {
    const { tracker, events, lines } = drive({}, cookieId);
    tracker.open(NOW, null, PAGE);
    expect(names(events())).toEqual(["pageView"]);
    expect(lines).toEqual([
      "A session event has no cookie id and is dropped.",
      "An identify event has no cookie id and is dropped.",
    ]);
  });

  it.each(["", "Pay", "shop"])("in the invalid namespace %j is logged and dropped", (namespace) => {
    const { tracker, events, lines } = drive({ namespace });
    tracker.click(NOW, "pay");
    expect(events()).toEqual([]);
    expect(new Set(lines)).toEqual(new Set(["An event has an invalid namespace and is dropped."]));
  });

  it("has only fixed words and numbers in its data", () => {
    const { tracker, events } = drive();
    tracker.open(NOW, null, { ...PAGE, additionalInfo: { place: "sam@example.com", fields: 3 } });
    const opened = events().at(-1);
    expect(opened).toMatchObject({ additionalInfo: { fields: 3 } });
    tracker.custom(NOW, "field_error", {
      error_id: "CardNumber_Invalid",
      email: "sam@example.com",
      number: "4242424242424242",
      spaced: "Ana Sol",
      long: "a".repeat(65),
      count: Number.NaN,
      ready: false,
    });
    const told = events().find(({ type }) => type === "custom");
    expect(told).toMatchObject({ data: { elapsed_ms: 400, error_id: "CardNumber_Invalid", ready: false } });
    expect(Object.keys(told?.type === "custom" ? told.data : {})).toEqual([
      "elapsed_ms",
      "error_id",
      "ready",
    ]);
    tracker.custom(
      NOW,
      "many",
      Object.fromEntries(Array.from({ length: 40 }, (_, index) => [`k${index}`, 1])),
    );
    const many = events().at(-1);
    expect(Object.keys(many?.type === "custom" ? many.data : {}).length).toBe(16);
  });
});

describe("a shopper who does not want to be tracked", () => {
  it("is reported only by events of the form", () => {
    const { tracker, events, lines } = drive({ unknown: true }, "");
    tracker.open(NOW, null, PAGE);
    tracker.click(NOW, "pay");
    tracker.custom(NOW, "submit_invoked", { method: "new_card" });
    const told = events();
    expect(names(told)).toEqual(["pageView", "submit_invoked"]);
    expect(told.every(({ metadata }) => metadata.codaCookieId === "")).toBe(true);
    expect(lines).toEqual([]);
  });
});
