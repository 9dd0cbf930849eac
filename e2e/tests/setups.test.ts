// A shopper saves a card without a payment: on the payment page and in a merchant's page.

import { expect } from "vitest";

import type { CreateCharge } from "../../form/generated/wire.ts";
import { holdRequests, openPage } from "../src/browser.ts";
import { openWithSdk } from "../src/form-page.ts";
import type { Service } from "../src/service.ts";
import { CARDS, typeCard } from "../src/shopper.ts";
import { test } from "../src/test.ts";

const CONSENT = "Save this card and let the store charge it later without me";

const setup = (shopper_id: string): Partial<CreateCharge> => ({
  mode: "setup",
  amount_value: "0",
  item_name: "Free trial",
  shopper_id,
  save_card_usage: "off_session",
});

/** The charge, and its entries in the ledger. */
async function ended(service: Service, id: string) {
  const entries = (await service.ledger()).filter(({ charge_id }) => charge_id === id);
  return { charge: await service.merchant.charge(id), entries };
}

test("a payment page saves a card and shows no amount", async ({ service, browser }) => {
  const { page } = await openPage(browser);
  const created = await service.merchant.createCharge(setup("sh_trial"));
  const url = new URL(created.url);
  // Experiments and flags about saving decide nothing here.
  url.searchParams.set("options", JSON.stringify({ features: { "enable-save-payment-methods": false } }));
  await page.goto(url.href);
  await page.waitForSelector("text=Free trial");
  expect(await page.textContent("#pay")).toBe("Save card");
  expect(await page.textContent("#card-form-title")).toBe("Save card");
  await expect.poll(() => page.title()).toMatch(/^Save card/);
  expect(await page.isVisible(`text=${CONSENT}`)).toBe(true);
  expect(await page.locator("#save-card").count()).toBe(0);
  expect(await page.innerText("main")).not.toMatch(/\$|You pay/);
  await typeCard(page, page, CARDS.approved);
  await page.click("#pay");
  await page.waitForSelector("#outcome[data-status=succeeded]");
  expect(await page.textContent("#outcome h2")).toBe("Card saved");
  expect(await page.innerText("main")).not.toMatch(/\$|You paid|Paid with/);
  expect(await page.innerText("#receipt")).toContain("4242");

  const { charge, entries } = await ended(service, created.id);
  expect(charge.paid_with?.payment_method_id).toMatch(/^pm_/);
  expect(entries.map(({ amount_value }) => amount_value)).toEqual(["0"]);
});

test("a form in a merchant's page saves a card without a checkbox", async ({
  service,
  browser,
  merchant,
}) => {
  const created = await service.merchant.createCharge(setup("sh_frame"));
  const { page, form, submit } = await openWithSdk(await openPage(browser), merchant.url, {
    url: service.url,
    payload: created.payload,
    clientSecret: created.client_secret,
  });
  await form.locator(`text=${CONSENT}`).waitFor();
  expect(await form.locator("#save-card").count()).toBe(0);
  await typeCard(form, page, CARDS.approved);
  const release = await holdRequests(page, "**/v1/pub/direct/charges");
  const submitted = submit();
  await form.locator("[aria-busy=true]").first().waitFor();
  // Nothing is paid.
  expect(await form.locator("#outcome-news").textContent()).toBe("");
  release();
  expect(await submitted).toMatchObject({ status: "succeeded" });
  const { charge } = await ended(service, created.id);
  const card = await fetch(`${service.url}/v1/payment-methods/${charge.paid_with?.payment_method_id}`, {
    headers: { authorization: `Bearer ${service.secretKey}` },
  });
  expect((await card.json()).agreement).toMatchObject({
    usage: "off_session",
    text_id: "save_card_off_session",
    locale: "en-US",
  });
  expect([charge.mode, charge.paid_with?.last_four]).toEqual(["setup", "4242"]);
});
