// Device data: the session's id reaches the provider, and no failure of the collection stops a charge.

import type { Browser, Route } from "playwright-core";
import { describe, expect } from "vitest";

import { openPage } from "../src/browser.ts";
import type { Service } from "../src/service.ts";
import { CARDS, field, formIn, typeCard } from "../src/shopper.ts";
import { test as base, serviceWith } from "../src/test.ts";

/** Three seconds are enough for a collection that works, and keep the tests of one that does not work short. */
const test = base.extend("service", { scope: "file" }, serviceWith("--device-data-timeout-ms", "3000"));

/** A device data session in the simulator's list. */
interface CollectedSession {
  readonly session_id: string;
  readonly charge_id: string;
  readonly first_six: string | null;
  readonly paid_with: string | null;
}

async function sessions(service: Service, chargeId: string): Promise<CollectedSession[]> {
  const answer = await fetch(`${service.url}/simulator/device-data`);
  return ((await answer.json()) as CollectedSession[]).filter((session) => session.charge_id === chargeId);
}

async function payment(service: Service, chargeId: string) {
  const entries = (await service.ledger()).filter((entry) => entry.charge_id === chargeId);
  expect(entries).toHaveLength(1);
  return entries[0];
}

describe("on the payment page", () => {
  async function pay(service: Service, browser: Browser, answer: (route: Route) => unknown, path: string) {
    const created = await service.merchant.createCharge();
    const { page, pageErrors } = await openPage(browser);
    await page.route(`**${path}`, answer);
    await page.goto(created.url);
    const sent = page.waitForRequest((request) => request.url().endsWith("/v1/pub/direct/charges"));
    await typeCard(page, page, CARDS.approved);
    await page.click("#pay");
    await page.waitForSelector("#outcome[data-status=succeeded]");
    const body = (await sent).postDataJSON();
    return { pageErrors, id: created.id, session: body.shopper_agent.device_metadata.session_id };
  }

  test("the session for the card's first six digits is sent with the charge", async ({
    service,
    browser,
  }) => {
    const { pageErrors, id, session } = await pay(
      service,
      browser,
      (route) => route.continue(),
      "/device-data/initiate",
    );
    const { idempotency_key } = (await payment(service, id)) ?? {};
    expect(await sessions(service, id)).toEqual([
      { session_id: session, charge_id: id, first_six: "424242", paid_with: idempotency_key },
    ]);
    expect(pageErrors).toEqual([]);
  });

  const collectPage = (script: string) => ({
    contentType: "text/html",
    body: `<!doctype html><title>Device data</title><script>${script}</script>`,
  });
  const message = (fields: object) => ({ MessageType: "profile.completed", SessionId: "s", ...fields });

  test.for([
    ["never answers", () => {}],
    [
      "reports Status false",
      collectPage(`parent.postMessage('${JSON.stringify(message({ Status: false }))}', "*")`),
    ],
    ["posts an unreadable message", collectPage(`parent.postMessage("{", "*")`)],
    ["is down", { status: 500 }],
  ] as const)(
    "when the collecting page %s, the charge is paid without a session",
    async ([_, answer], { service, browser }) => {
      const respond = (route: Route) => (typeof answer === "function" ? answer() : route.fulfill(answer));
      const { id, session } = await pay(service, browser, respond, "/device-data/collect");
      expect(session).toBeNull();
      expect((await payment(service, id))?.outcome).toBe("approved");
      expect((await sessions(service, id)).every(({ paid_with }) => paid_with === null)).toBe(true);
    },
  );

  test("a session in an object after progress messages is used", async ({ service, browser }) => {
    const progress = `parent.postMessage('${JSON.stringify(message({ Status: false }))}', "*");`;
    const completed = `parent.postMessage(${JSON.stringify(message({ Status: true }))}, "*")`;
    const { session } = await pay(
      service,
      browser,
      (route) => route.fulfill(collectPage(progress + completed)),
      "/device-data/collect",
    );
    expect(session).toBe("s");
  });

  test.for([
    ["nothing", { json: {} }],
    ["an error", { status: 503 }],
  ] as const)(
    "when the initiation returns %s, the charge has no session",
    async ([_, answer], { service, browser }) => {
      const { session } = await pay(
        service,
        browser,
        (route) => route.fulfill(answer),
        "/device-data/initiate",
      );
      expect(session).toBeNull();
    },
  );

  test("another origin in the initiation's answer is blocked by the policy", async ({ service, browser }) => {
    const answer = { json: { jwt: "t", url: "http://127.0.0.1:9/collect" } };
    const { session, pageErrors } = await pay(
      service,
      browser,
      (route) => route.fulfill(answer),
      "/device-data/initiate",
    );
    expect(session).toBeNull();
    expect(pageErrors.splice(0).filter((pageError) => pageError.startsWith("policy: "))).toEqual([
      expect.stringContaining("form-action forbids http://127.0.0.1:9"),
      expect.stringContaining("frame-src forbids http://127.0.0.1:9"),
    ]);
  });
});

test("the demo shop pays with the session and ignores forged messages", async ({ service, browser }) => {
  const { page, pageErrors } = await openPage(browser);
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
  const { idempotency_key } = (await payment(service, id)) ?? {};
  const paid = (await sessions(service, id)).filter(({ paid_with }) => paid_with !== null);
  expect(paid).toMatchObject([{ first_six: "555555", paid_with: idempotency_key }]);
  expect(pageErrors).toEqual([]);
});
