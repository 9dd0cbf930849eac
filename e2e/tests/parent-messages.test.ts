// A parent page that speaks the protocol itself, without the SDK, and one that talks nonsense.

import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { openPage, startBrowser } from "../src/browser.ts";
import { type Service, startService } from "../src/service.ts";
import { CARDS, formIn, typeCard } from "../src/shopper.ts";

let service: Service;
let browser: Browser;
/** A merchant's page on an origin of its own, empty but for what a test puts in. */
const merchantPage = createServer((_, response) => {
  response.setHeader("content-type", "text/html").end("<!doctype html><title>Merchant</title><body></body>");
});

beforeAll(async () => {
  await new Promise<void>((resolve) => merchantPage.listen(0, "127.0.0.1", resolve));
  [service, browser] = await Promise.all([startService(), startBrowser()]);
});

afterAll(async () => {
  await browser?.close();
  await service?.stop();
  merchantPage.close();
});

interface Message {
  readonly type: string;
  readonly [key: string]: unknown;
}

async function embed(options: object = {}) {
  const created = await service.merchant.createCharge();
  const { page, troubles } = await openPage(browser);
  await page.goto(`http://127.0.0.1:${(merchantPage.address() as AddressInfo).port}/`);
  const query = new URLSearchParams({ payload: created.payload, options: JSON.stringify(options) });
  await page.evaluate((src) => {
    const received: unknown[] = [];
    Object.assign(window, { received });
    window.addEventListener("message", (event) => received.push(event.data));
    const frame = document.createElement("iframe");
    frame.name = "form-1";
    frame.src = src;
    document.body.append(frame);
  }, `${service.url}/?${query}`);
  return { page, troubles, created, received: () => receivedBy(page) };
}

function receivedBy(page: Page): Promise<Message[]> {
  return page.evaluate(() => (window as unknown as { received: Message[] }).received);
}

function post(page: Page, ...messages: unknown[]) {
  return page.evaluate((all) => {
    const frame = document.querySelector("iframe");
    for (const message of all) {
      frame?.contentWindow?.postMessage(message, "*");
    }
  }, messages);
}

const ENVELOPE = { source: "cardform", version: 1 };

async function ofType(received: () => Promise<Message[]>, type: string) {
  await expect
    .poll(async () => (await received()).filter((message) => message.type === type))
    .not.toEqual([]);
  return (await received()).filter((message) => message.type === type);
}

describe("a parent without the SDK", () => {
  test("hears that the form is there, its height and its readiness, and has it pay", async () => {
    const { page, troubles, created, received } = await embed();
    await ofType(received, "user-loaded");
    expect(await ofType(received, "form-ready-state")).toEqual([
      { ...ENVELOPE, frame: "form-1", type: "form-ready-state", ready: false },
    ]);
    expect((await ofType(received, "resize")).at(-1)?.height).toBeGreaterThan(100);

    await typeCard(formIn(page), page, CARDS.approved);
    await expect.poll(async () => (await ofType(received, "form-ready-state")).at(-1)?.ready).toBe(true);
    await post(page, { ...ENVELOPE, type: "submit-ready", client_secret: created.client_secret });
    expect(await ofType(received, "processing-result")).toEqual([
      { ...ENVELOPE, frame: "form-1", type: "processing-result", success: true, message: "" },
    ]);
    expect((await service.merchant.charge(created.id)).status).toBe("succeeded");
    expect(JSON.stringify(await received())).not.toContain(CARDS.approved.slice(0, 8));
    expect(troubles).toEqual([]);
  });

  test("is asked for the client secret when it sends none", async () => {
    const { page, created, received } = await embed();
    await ofType(received, "user-loaded");
    await typeCard(formIn(page), page, CARDS.approved);
    await post(page, { ...ENVELOPE, type: "submit-ready" });
    await ofType(received, "request-client-secret");
    await post(page, { ...ENVELOPE, type: "client-secret-response", client_secret: created.client_secret });
    expect((await ofType(received, "processing-result")).at(-1)?.success).toBe(true);
  });

  test("of the hosted variant speaks and hears the other list", async () => {
    const { page, created, received } = await embed({ variant: "hosted" });
    await ofType(received, "card-form:user-loaded");
    await typeCard(formIn(page), page, CARDS.insufficientFunds);
    await expect.poll(async () => (await ofType(received, "card-form:ready")).at(-1)?.ready).toBe(true);
    await post(page, {
      ...ENVELOPE,
      type: "card-form:submit-form-ready",
      client_secret: created.client_secret,
    });
    const [error] = await ofType(received, "card-form:processing-error");
    expect(error).toMatchObject({ decline_code: "insufficient_funds" });
  });

  test("that talks nonsense is not listened to, and the form stays usable", async () => {
    const { page, troubles, created, received } = await embed();
    await ofType(received, "user-loaded");
    await typeCard(formIn(page), page, CARDS.approved);
    await post(
      page,
      null,
      7,
      "submit-ready",
      [],
      { type: "submit-ready", client_secret: created.client_secret },
      { ...ENVELOPE, version: 2, type: "submit-ready", client_secret: created.client_secret },
      { ...ENVELOPE, frame: "another", type: "submit-ready", client_secret: created.client_secret },
      { ...ENVELOPE, type: "submit-ready", client_secret: { toString: 1 } },
      { ...ENVELOPE, type: ["submit-ready"] },
      { ...ENVELOPE, type: "constructor" },
      { ...ENVELOPE, type: "language-change", locale: "x".repeat(100_000) },
    );
    await post(page, {
      ...ENVELOPE,
      frame: "form-1",
      type: "submit-ready",
      client_secret: created.client_secret,
    });
    expect((await ofType(received, "processing-result")).map((message) => message.success)).toEqual([true]);
    expect((await service.ledger()).filter((entry) => entry.charge_id === created.id)).toHaveLength(1);
    expect(troubles).toEqual([]);
  });

  test("with a client secret of another charge pays nothing", async () => {
    const { page, created, received } = await embed();
    const other = await service.merchant.createCharge({ amount_value: "99.00" });
    await ofType(received, "user-loaded");
    await typeCard(formIn(page), page, CARDS.approved);
    for (const client_secret of [other.client_secret, "nonsense", `${created.client_secret}x`]) {
      const before = (await received()).filter((message) => message.type === "processing-result").length;
      await post(page, { ...ENVELOPE, type: "submit-ready", client_secret });
      await expect.poll(async () => (await ofType(received, "processing-result")).length).toBe(before + 1);
    }
    expect((await ofType(received, "processing-result")).map((message) => message.success)).toEqual([
      false,
      false,
      false,
    ]);
    expect((await service.merchant.charge(created.id)).status).toBe("created");
    expect((await service.merchant.charge(other.id)).status).toBe("created");
  });
});
