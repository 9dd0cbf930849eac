// Device data in Chromium: the session's id arrives at the provider, and no way of failing keeps a charge from going on.

import type { Browser, Route } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { openPage, startBrowser } from "../src/browser.ts";
import { type Service, startService } from "../src/service.ts";
import { CARDS, field, formIn, typeCard } from "../src/shopper.ts";

/** A session as the simulator lists it. */
interface Session {
  readonly session_id: string;
  readonly charge_id: string;
  readonly first_six: string | null;
  readonly paid_with: string | null;
}

let service: Service;
let browser: Browser;

beforeAll(async () => {
  // Long enough for a collection that works, short enough to wait for one that does not.
  [service, browser] = await Promise.all([startService("--device-data-timeout-ms", "3000"), startBrowser()]);
});

afterAll(async () => {
  await browser?.close();
  await service?.stop();
});

async function sessions(chargeId: string): Promise<Session[]> {
  const answer = await fetch(`${service.url}/simulator/device-data`);
  return ((await answer.json()) as Session[]).filter((session) => session.charge_id === chargeId);
}

async function payment(chargeId: string) {
  const entries = (await service.ledger()).filter((entry) => entry.charge_id === chargeId);
  expect(entries).toHaveLength(1);
  return entries[0];
}

describe("on the payment page", () => {
  async function pay(arrange: (route: Route) => unknown, path: string) {
    const created = await service.merchant.createCharge();
    const { page, troubles } = await openPage(browser);
    await page.route(`**${path}`, arrange);
    await page.goto(created.url);
    const sent = page.waitForRequest((request) => request.url().endsWith("/v1/pub/direct/charges"));
    await typeCard(page, page, CARDS.approved);
    await page.click("#pay");
    await page.waitForSelector("#outcome[data-status=succeeded]");
    const body = (await sent).postDataJSON();
    return { troubles, id: created.id, session: body.shopper_agent.device_metadata.session_id };
  }

  test("the session of the card's first six digits is paid with", async () => {
    const { troubles, id, session } = await pay((route) => route.continue(), "/device-data/initiate");
    const { idempotency_key } = (await payment(id)) ?? {};
    expect(await sessions(id)).toEqual([
      { session_id: session, charge_id: id, first_six: "424242", paid_with: idempotency_key },
    ]);
    expect(troubles).toEqual([]);
  });

  const collected = (script: string) => ({
    contentType: "text/html",
    body: `<!doctype html><title>Device data</title><script>${script}</script>`,
  });
  const message = (fields: object) => ({ MessageType: "profile.completed", SessionId: "s", ...fields });

  test.each([
    ["never answers", () => {}],
    [
      "says Status false",
      collected(`parent.postMessage('${JSON.stringify(message({ Status: false }))}', "*")`),
    ],
    ["says nothing that can be read", collected(`parent.postMessage("{", "*")`)],
    ["is down", { status: 500 }],
  ])("a page that %s costs the session and not the charge", async (_, answer) => {
    const arrange = (route: Route) => (typeof answer === "function" ? answer() : route.fulfill(answer));
    const { id, session } = await pay(arrange, "/device-data/collect");
    expect(session).toBeNull();
    expect((await payment(id))?.outcome).toBe("approved");
    expect((await sessions(id)).every(({ paid_with }) => paid_with === null)).toBe(true);
  });

  test("a page that says first how far it has come, and then an object, gives the session", async () => {
    const early = `parent.postMessage('${JSON.stringify(message({ Status: false }))}', "*");`;
    const late = `parent.postMessage(${JSON.stringify(message({ Status: true }))}, "*")`;
    const { session } = await pay((route) => route.fulfill(collected(early + late)), "/device-data/collect");
    expect(session).toBe("s");
  });

  test.each([
    ["nothing", { json: {} }],
    ["an error", { status: 503 }],
  ])("an initiation that gives %s costs the session and not the charge", async (_, answer) => {
    const { session } = await pay((route) => route.fulfill(answer), "/device-data/initiate");
    expect(session).toBeNull();
  });

  test("an initiation that gives another origin is what the policy forbids, and not the charge", async () => {
    const answer = { json: { jwt: "t", url: "http://127.0.0.1:9/collect" } };
    const { session, troubles } = await pay((route) => route.fulfill(answer), "/device-data/initiate");
    expect(session).toBeNull();
    expect(troubles.splice(0).filter((trouble) => trouble.startsWith("policy: "))).toEqual([
      expect.stringContaining("form-action forbids http://127.0.0.1:9"),
      expect.stringContaining("frame-src forbids http://127.0.0.1:9"),
    ]);
  });
});

test("in the demo shop the session is paid with, and a forged message of the parent is not heard", async () => {
  const { page, troubles } = await openPage(browser);
  const order = page.waitForResponse((response) => response.url().endsWith("/demo/orders"));
  await page.goto(service.shop);
  const { charge_id: id } = (await (await order).json()) as { charge_id: string };
  const form = formIn(page);
  await field(form, "card-number").waitFor();
  await page.evaluate(() => {
    const forged = '{"MessageType":"profile.completed","SessionId":"forged","Status":true}';
    setInterval(() => document.querySelector("iframe")?.contentWindow?.postMessage(forged, "*"), 5);
  });
  await typeCard(form, page, CARDS.mastercard);
  await page.click("#pay-in-shop");
  await page.waitForSelector("#shop-outcome[data-status=succeeded]");
  const { idempotency_key } = (await payment(id)) ?? {};
  const paid = (await sessions(id)).filter(({ paid_with }) => paid_with !== null);
  expect(paid).toMatchObject([{ first_six: "555555", paid_with: idempotency_key }]);
  expect(troubles).toEqual([]);
});
