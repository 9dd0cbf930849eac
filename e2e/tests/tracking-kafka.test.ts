// The events of a shopper's visit, as they arrive at a Kafka broker.

import { expect } from "vitest";

import { startBroker } from "../src/broker.ts";
import { openPage } from "../src/browser.ts";
import type { TrackingEvent } from "../src/events.ts";
import { featuresFileWith } from "../src/features-file.ts";
import { paymentPage } from "../src/form-page.ts";
import { CARDS, typeCard } from "../src/shopper.ts";
import { test as base, serviceWith, startAndStop } from "../src/test.ts";

/** Everybody is in one experiment, whose two variations say the same. */
const FEATURES = {
  "pop-646-card-form-ui-redesign": {
    defaultValue: true,
    rules: [{ key: "redesign", variations: [true, true], meta: [{ key: "a" }, { key: "b" }] }],
  },
};

const test = base
  .extend("features", { scope: "file" }, featuresFileWith(FEATURES))
  .extend("broker", { scope: "file" }, startAndStop(startBroker))
  .extend("service", { scope: "file" }, ({ features, broker }, until) =>
    serviceWith(
      ...["--event-sink", "kafka", "--kafka-brokers", broker.address],
      ...["--features-file", features],
    )({}, until),
  );

test("every kind of event of a payment arrives in the visit's order", async ({
  service,
  browser,
  broker,
}) => {
  const { page, pageErrors } = await openPage(browser);
  await page.goto(await paymentPage(service));
  await typeCard(page, page, CARDS.approved);
  await page.click("#pay");
  await page.waitForSelector("#outcome[data-status=succeeded]");
  const arrived = async () => {
    const records = await broker.records("cardform-events");
    return records.map(([key, value]) => [JSON.parse(key), JSON.parse(value)] as [string, TrackingEvent]);
  };
  const names = async () => (await arrived()).map(([, { name }]) => name);
  await expect.poll(names).toContain("submit_success");
  // The end of a visit is posted while the page closes.
  await page.goto("about:blank");
  await expect.poll(names).toContain("page_left");
  const events = await arrived();
  expect(new Set(events.map(([key, { visit }]) => key === visit))).toEqual(new Set([true]));
  expect(new Set(events.map(([key]) => key)).size).toBe(1);
  expect(new Set(events.map(([, { type }]) => type))).toEqual(
    new Set(["session", "identify", "page-view", "experiment-viewed", "click", "custom"]),
  );
  const viewed = events.filter(([, { name }]) => name === "ExperimentViewed");
  expect(viewed.map(([, event]) => event)).toMatchObject([{ experimentId: "redesign" }]);
  const told = await names();
  expect(told.slice(0, 3)).toEqual(["sessionStart", "identify", "pageView"]);
  expect(told.at(-1)).toBe("page_left");
  expect(told.indexOf("submit_invoked")).toBeLessThan(told.indexOf("submit_success"));
  expect(new Set(events.map(([, { id }]) => id)).size).toBe(events.length);
  expect(JSON.stringify(events)).not.toContain(CARDS.approved);
  expect(pageErrors).toEqual([]);
});
