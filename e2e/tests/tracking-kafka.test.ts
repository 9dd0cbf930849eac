// The events of a shopper's visit in the records that a Kafka broker receives.

import { expect } from "vitest";

import { startBroker } from "../src/broker.ts";
import { openPage } from "../src/browser.ts";
import type { TrackingEvent } from "../src/events.ts";
import { featuresFileWith } from "../src/features-file.ts";
import { paymentPage } from "../src/form-page.ts";
import { CARDS, typeCard } from "../src/shopper.ts";
import { test as base, serviceWith, startAndStop } from "../src/test.ts";

/** Every shopper is in one experiment, whose two variations are equal. */
const FEATURES = {
  "pop-646-card-form-ui-redesign": {
    defaultValue: true,
    rules: [{ key: "redesign", variations: [true, true], meta: [{ key: "a" }, { key: "b" }] }],
  },
};

const test = base
  .extend("features", { scope: "file" }, featuresFileWith(FEATURES))
  .extend("broker", { scope: "file" }, startAndStop(startBroker))
  .extend("service", { scope: "file" }, ({ features, broker }, cleanup) =>
    serviceWith(
      ...["--event-sink", "kafka", "--kafka-brokers", broker.address],
      ...["--features-file", features],
    )({}, cleanup),
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
  const received = async () => {
    const records = await broker.records("cardform-events");
    return records.map(([key, value]) => [JSON.parse(key), JSON.parse(value)] as [string, TrackingEvent]);
  };
  const names = async () => (await received()).map(([, { name }]) => name);
  await expect.poll(names).toContain("submit_success");
  // The page posts the end of the visit while it closes.
  await page.goto("about:blank");
  await expect.poll(names).toContain("page_left");
  const events = await received();
  expect(new Set(events.map(([key, { visit }]) => key === visit))).toEqual(new Set([true]));
  expect(new Set(events.map(([key]) => key)).size).toBe(1);
  expect(new Set(events.map(([, { type }]) => type))).toEqual(
    new Set(["session", "identify", "page-view", "experiment-viewed", "click", "custom"]),
  );
  const viewed = events.filter(([, { name }]) => name === "ExperimentViewed");
  expect(viewed.map(([, event]) => event)).toMatchObject([{ experimentId: "redesign" }]);
  const order = await names();
  expect(order.slice(0, 3)).toEqual(["sessionStart", "identify", "pageView"]);
  expect(order.at(-1)).toBe("page_left");
  expect(order.indexOf("submit_invoked")).toBeLessThan(order.indexOf("submit_success"));
  expect(new Set(events.map(([, { id }]) => id)).size).toBe(events.length);
  expect(JSON.stringify(events)).not.toContain(CARDS.approved);
  expect(pageErrors).toEqual([]);
});
