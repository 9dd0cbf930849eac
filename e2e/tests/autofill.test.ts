// A field that the browser's autofill fills has the theme's colors, not the browser's.

import type { Page } from "playwright-core";
import { describe, expect } from "vitest";

import { openPage } from "../src/browser.ts";
import { ALL_FIELDS, openStandalone } from "../src/form-page.ts";
import { CARDS, field } from "../src/shopper.ts";
import { test as base, browserWith } from "../src/test.ts";

/** Only the whole Chromium has autofill. */
const test = base.extend("browser", { scope: "file" }, browserWith());

/** Makes the browser fill in a card, as when the shopper chooses one that the browser has saved. */
async function autofill(page: Page): Promise<void> {
  const session = await page.context().newCDPSession(page);
  const { root } = await session.send("DOM.getDocument", { depth: -1 });
  const { nodeId } = await session.send("DOM.querySelector", {
    nodeId: root.nodeId,
    selector: "#card-number",
  });
  const { node } = await session.send("DOM.describeNode", { nodeId });
  const card = {
    number: CARDS.approved,
    name: "Ana Bell",
    expiryMonth: "12",
    expiryYear: "2034",
    cvc: "123",
  };
  // The browser can fill in a form only a moment after the page has loaded, so this is retried until it succeeds.
  await expect
    .poll(() =>
      session.send("Autofill.trigger", { fieldId: node.backendNodeId, card }).then(
        () => true,
        () => false,
      ),
    )
    .toBe(true);
  await expect.poll(() => page.locator("#card-number:autofill").count()).toBe(1);
}

/** The input's background color: the color of a pixel near its end, where there is no text. */
async function backgroundOf(page: Page, id: string): Promise<string> {
  const input = field(page, id);
  const png = await input.screenshot();
  return page.evaluate(
    async (bytes) => {
      const bitmap = await createImageBitmap(new Blob([new Uint8Array(bytes)], { type: "image/png" }));
      const canvas = new OffscreenCanvas(bitmap.width, bitmap.height);
      const context = canvas.getContext("2d");
      context?.drawImage(bitmap, 0, 0);
      const x = bitmap.width - 3;
      return [...(context?.getImageData(x, bitmap.height >> 1, 1, 1).data ?? [])].join();
    },
    [...png],
  );
}

describe.each(["light", "dark"] as const)("in %s colors", (mode) => {
  test("an autofilled field has the colors of a typed one", async ({ service, browser }) => {
    const options = { ...ALL_FIELDS, color_mode: mode };
    const typed = await openStandalone(service, browser, options);
    await field(typed.page, "card-security-code").fill("123");
    await field(typed.page, "card-holder-name").fill("Ana Bell");
    const filled = await openStandalone(service, browser, options);
    await autofill(filled.page);
    for (const id of ["card-security-code", "card-holder-name"]) {
      expect(await backgroundOf(filled.page, id), id).toBe(await backgroundOf(typed.page, id));
      const colors = (page: Page) =>
        field(page, id).evaluate((input) => {
          const { webkitTextFillColor, caretColor } = getComputedStyle(input);
          return [webkitTextFillColor, caretColor];
        });
      expect((await colors(filled.page))[0], id).toBe((await colors(typed.page))[0]);
    }
    await Promise.all([typed.page.context().close(), filled.page.context().close()]);
  });
});

test("a card that the browser fills in is complete and can pay", async ({ service, browser }) => {
  const { page, pageErrors } = await openPage(browser);
  await page.goto((await service.merchant.createCharge()).url);
  await page.waitForFunction(() => window.cardformVersion !== undefined);
  await autofill(page);
  expect(await field(page, "card-number").getAttribute("data-state")).toBe("CompletedAndValid");
  expect(await field(page, "card-expiry").inputValue()).toBe("12 / 34");
  expect(pageErrors).toEqual([]);
  await page.context().close();
});
