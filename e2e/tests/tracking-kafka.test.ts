// What a shopper's visit tells, as it arrives at a Kafka broker.

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";

import { type Broker, startBroker } from "../src/broker.ts";
import { openPage, startBrowser } from "../src/browser.ts";
import type { FormEvent } from "../src/events.ts";
import { paymentPage } from "../src/form-page.ts";
import { type Service, startService } from "../src/service.ts";
import { CARDS, typeCard } from "../src/shopper.ts";

/** Everybody is in one experiment, whose two variations say the same. */
const DOCUMENT = {
  features: {
    "pop-646-card-form-ui-redesign": {
      defaultValue: true,
      rules: [{ key: "redesign", variations: [true, true], meta: [{ key: "a" }, { key: "b" }] }],
    },
  },
};

let folder: string;
let broker: Broker;
let service: Service;
let browser: Browser;

beforeAll(async () => {
  [broker, browser] = await Promise.all([startBroker(), startBrowser()]);
  folder = mkdtempSync(join(tmpdir(), "cardform-features-"));
  const file = join(folder, "features.json");
  writeFileSync(file, JSON.stringify(DOCUMENT));
  const kafka = ["--event-sink", "kafka", "--kafka-brokers", broker.address];
  service = await startService(...kafka, "--features-file", file);
});

afterAll(async () => {
  await browser?.close();
  await service?.stop();
  await broker?.stop();
  rmSync(folder, { recursive: true, force: true });
});

test("every kind of event of a payment arrives, in the visit's order, until the shopper leaves", async () => {
  const { page, troubles } = await openPage(browser);
  await page.goto(await paymentPage(service));
  await typeCard(page, page, CARDS.approved);
  await page.click("#pay");
  await page.waitForSelector("#outcome[data-status=succeeded]");
  const arrived = async () => {
    const records = await broker.records("cardform-events");
    return records.map(([key, value]) => [JSON.parse(key), JSON.parse(value)] as [string, FormEvent]);
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
  expect(troubles).toEqual([]);
});
