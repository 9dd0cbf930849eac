// What the merchant's developer reads on the console, and pages with a policy of their own.

import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Page } from "playwright-core";
import { expect } from "vitest";

import { openPage } from "../src/browser.ts";
import { openWithSdk } from "../src/form-page.ts";
import { CARDS, typeCard } from "../src/shopper.ts";
import { test } from "../src/test.ts";

function warningsOf(page: Page): string[] {
  const warnings: string[] = [];
  page.on("console", (message) => message.type() === "warning" && warnings.push(message.text()));
  return warnings;
}

test("names without effect are told with the right ones", async ({ service, browser, merchant }) => {
  const { payload, client_secret: clientSecret } = await service.merchant.createCharge();
  const watched = await openPage(browser);
  const warnings = warningsOf(watched.page);
  const mistaken = {
    url: service.url,
    payload,
    clientSecret,
    hideTitle: true,
    options: {
      showCardHolderName: true,
      customStyle: {},
      texts: { card_numbr: "Card", "fr-FR": { pay: "Payer" }, fr: { card_number: "Carte" } },
    },
    customStyle: { borderRadius: "4px", children: { cardForm: { inputHeight: "6vh" } } },
  };
  const { page } = await openWithSdk(watched, merchant.url, mistaken);
  const told = [
    "Cardform: options.showCardHolderName is not known. Is it showCardholderName?",
    "Cardform: options.customStyle has no effect: pass `customStyle` beside `options`.",
    "Cardform: `hideTitle` has no effect: pass it in `options`.",
    "Cardform: options.texts.card_numbr is not known. Is it card_number?",
    "Cardform: options.texts.fr: no language has this tag. Is it fr-FR?",
    "Cardform: customStyle.borderRadius is not known. Is it children.cardForm.borderRadius?",
    "Cardform: customStyle.children.cardForm.inputHeight is left out: in a frame 6vh means the frame's own size. Use px or rem.",
  ];
  await expect.poll(() => [...warnings].sort()).toEqual([...told].sort());
  warnings.length = 0;
  await page.evaluate(() =>
    (window as unknown as { form: { update(changes: object): Promise<boolean> } }).form.update({
      options: { colourMode: "dark" },
    }),
  );
  await expect.poll(() => warnings).toContain("Cardform: options.colourMode is not known. Is it colorMode?");
  await page.context().close();
});

test.for(["same-origin", "unsafe-none"])(
  "a page with an embedder policy pays, opener policy %s",
  async (opener, { service, browser }) => {
    const merchant = createServer((_, response) => {
      response.setHeader("cross-origin-embedder-policy", "require-corp");
      response.setHeader("cross-origin-opener-policy", opener);
      response.setHeader("content-type", "text/html");
      response.end("<!doctype html><title>Merchant</title><main></main>");
    });
    await new Promise<void>((resolve) => merchant.listen(0, "127.0.0.1", resolve));
    const { port } = merchant.address() as AddressInfo;
    const { payload, client_secret: clientSecret } = await service.merchant.createCharge();
    const watched = await openPage(browser);
    const opened = await openWithSdk(watched, `http://127.0.0.1:${port}/`, {
      url: service.url,
      payload,
      clientSecret,
    });
    await expect.poll(async () => (await opened.sdkEvents()).loads).toBe(1);
    await typeCard(opened.form, opened.page, CARDS.approved);
    expect(await opened.submit()).toEqual({ status: "succeeded" });
    // The browser reports the first frame, which the policy of a page without an opener policy forbids.
    watched.pageErrors.length = 0;
    await opened.page.context().close();
    merchant.close();
  },
);
