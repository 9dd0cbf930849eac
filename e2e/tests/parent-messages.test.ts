// A parent page that exchanges messages with the form itself, without the SDK, and one that sends invalid messages.

import type { Browser } from "playwright-core";
import { describe, expect } from "vitest";

import {
  ENVELOPE,
  type MerchantPage,
  type Message,
  openEmbedded,
  type PageOptions,
} from "../src/form-page.ts";
import type { Service } from "../src/service.ts";
import { CARDS, typeCard } from "../src/shopper.ts";
import { test } from "../src/test.ts";

const embed = (service: Service, browser: Browser, merchant: MerchantPage, options: PageOptions = {}) =>
  openEmbedded(service, browser, merchant, options);

async function ofType(received: () => Promise<Message[]>, type: string) {
  await expect
    .poll(async () => (await received()).filter((message) => message.type === type))
    .not.toEqual([]);
  return (await received()).filter((message) => message.type === type);
}

describe("a parent without the SDK", () => {
  test("receives load, height and ready messages, and submits", async ({ service, browser, merchant }) => {
    const { page, form, pageErrors, created, received, post } = await embed(service, browser, merchant);
    expect(await ofType(received, "form-ready-state")).toEqual([
      { ...ENVELOPE, frame: "form-1", type: "form-ready-state", ready: false },
    ]);
    expect((await ofType(received, "resize")).at(-1)?.height).toBeGreaterThan(100);

    await typeCard(form, page, CARDS.approved);
    await expect.poll(async () => (await ofType(received, "form-ready-state")).at(-1)?.ready).toBe(true);
    await post({ type: "submit-ready", client_secret: created.client_secret });
    expect(await ofType(received, "processing-result")).toEqual([
      { ...ENVELOPE, frame: "form-1", type: "processing-result", success: true, message: "" },
    ]);
    expect((await service.merchant.charge(created.id)).status).toBe("succeeded");
    expect(JSON.stringify(await received())).not.toContain(CARDS.approved.slice(0, 8));
    expect(pageErrors).toEqual([]);
  });

  test("that submits too early is told what is missing, and pays later", async ({
    service,
    browser,
    merchant,
  }) => {
    const { page, form, created, received, post } = await embed(service, browser, merchant);
    await typeCard(form, page, CARDS.approved, "1234", "1");
    await post({ type: "submit-ready", client_secret: created.client_secret });
    expect(await ofType(received, "processing-result")).toEqual([
      {
        ...ENVELOPE,
        frame: "form-1",
        type: "processing-result",
        success: false,
        message: "Invalid CVV.",
        not_ready: true,
      },
    ]);
    expect(await form.locator("#card-security-code-error").textContent()).toBe("Invalid CVV.");
    expect((await service.merchant.charge(created.id)).status).toBe("created");

    await typeCard(form, page, CARDS.approved);
    await post({ type: "submit-ready", client_secret: created.client_secret });
    await expect.poll(async () => (await ofType(received, "processing-result")).length).toBe(2);
    expect((await received()).findLast(({ type }) => type === "processing-result")?.success).toBe(true);
    expect((await service.merchant.charge(created.id)).status).toBe("succeeded");
  });

  test("is asked for the client secret when it sends none", async ({ service, browser, merchant }) => {
    const { page, form, created, received, post } = await embed(service, browser, merchant);
    await typeCard(form, page, CARDS.approved);
    await post({ type: "submit-ready" });
    await ofType(received, "request-client-secret");
    await post({ type: "client-secret-response", client_secret: created.client_secret });
    expect((await ofType(received, "processing-result")).at(-1)?.success).toBe(true);
  });

  test("of the hosted variant uses other message names", async ({ service, browser, merchant }) => {
    const { page, form, created, received, post } = await embed(service, browser, merchant, {
      variant: "hosted",
    });
    await typeCard(form, page, CARDS.insufficientFunds);
    await expect.poll(async () => (await ofType(received, "card-form:ready")).at(-1)?.ready).toBe(true);
    await post({
      type: "card-form:submit-form-ready",
      client_secret: created.client_secret,
    });
    const [error] = await ofType(received, "card-form:processing-error");
    expect(error).toMatchObject({ decline_code: "insufficient_funds" });
  });

  test("that sends invalid messages is ignored, and the form stays usable", async ({
    service,
    browser,
    merchant,
  }) => {
    const { page, form, pageErrors, created, received, post, postRaw } = await embed(
      service,
      browser,
      merchant,
    );
    await typeCard(form, page, CARDS.approved);
    await postRaw(
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
    await post({
      frame: "form-1",
      type: "submit-ready",
      client_secret: created.client_secret,
    });
    expect((await ofType(received, "processing-result")).map((message) => message.success)).toEqual([true]);
    expect((await service.ledger()).filter((entry) => entry.charge_id === created.id)).toHaveLength(1);
    expect(pageErrors).toEqual([]);
  });

  test("with a client secret of another charge pays nothing", async ({ service, browser, merchant }) => {
    const { page, form, created, received, post, pageErrors } = await embed(service, browser, merchant);
    const other = await service.merchant.createCharge({ amount_value: "99.00" });
    await typeCard(form, page, CARDS.approved);
    for (const client_secret of [other.client_secret, "nonsense", `${created.client_secret}x`]) {
      const before = (await received()).filter((message) => message.type === "processing-result").length;
      await post({ type: "submit-ready", client_secret });
      await expect.poll(async () => (await ofType(received, "processing-result")).length).toBe(before + 1);
    }
    expect((await ofType(received, "processing-result")).map((message) => message.success)).toEqual([
      false,
      false,
      false,
    ]);
    expect((await service.merchant.charge(created.id)).status).toBe("created");
    expect((await service.merchant.charge(other.id)).status).toBe("created");
    // The page logs that "nonsense" is no client secret, but does not log the text itself.
    const logged = pageErrors.splice(0);
    expect(logged).toEqual([expect.stringContaining("The client secret cannot be used.")]);
    expect(logged.join()).not.toContain("nonsense");
  });
});
