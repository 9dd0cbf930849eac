// Experiments: the page as the server renders it and the hydrated page follow the operator's features document, and so do
// the checks of the card.

import type { Page } from "playwright-core";
import { expect } from "vitest";

import { openPage } from "../src/browser.ts";
import { featuresFileWith } from "../src/features-file.ts";
import { openStandalone, paymentPage } from "../src/form-page.ts";
import { CARDS, field } from "../src/shopper.ts";
import { test as base, serviceWith } from "../src/test.ts";

const BRANDS = ["visa", "mastercard", "american-express", "discover", "jcb", "unionpay", "mada", "cb"];
/** The names of the brands' image files. */
const IMAGES = ["visa", "mastercard", "amex", "discover", "jcb", "unionpay", "mada", "cb"];

/** Every feature is on for all shoppers, except the Luhn check: it is on for half of them. */
const FEATURES = {
  "card-form-card-number-luhn-alg-validation": {
    defaultValue: true,
    rules: [{ key: "luhn", variations: [false, true], meta: [{ key: "off" }, { key: "on" }] }],
  },
  "card-form-card-security-length-limit-validation": { defaultValue: true },
  "card-form-card-expiry-date-limit-validation": { defaultValue: true },
  "enable-save-payment-methods": { defaultValue: true },
  "card-form-card-brand-icon-config": { defaultValue: [...BRANDS, "solo"] },
  "pop-646-card-form-ui-redesign": { defaultValue: true },
};

const test = base
  .extend("features", { scope: "file" }, featuresFileWith(FEATURES))
  .extend("service", { scope: "file" }, ({ features }, cleanup) =>
    serviceWith("--features-file", features)({}, cleanup),
  );

/** The file names of the logos in `place` that are not dimmed. */
function logos(page: Page, place: "head" | "box") {
  return page
    .locator(`.field-card-number .field-${place} .brand-logo[data-dimmed=false]`)
    .evaluateAll((images) =>
      images.map((image) => (image as HTMLImageElement).src.replace(/^.*\/(\w+)-[^/]*$/, "$1")),
    );
}

test.for([1280, 390, 320])(
  "at %i px every configured brand is fully visible",
  async (width, { service, browser }) => {
    const viewport = { width, height: 800 };
    const { page, pageErrors } = await openStandalone(service, browser, {}, { viewport });
    const shown = page.locator(".field-card-number .field-head .brand-logos");
    expect(await shown.getAttribute("aria-label")).toBe(
      "Visa, Mastercard, American Express, Discover, JCB, UnionPay, mada, CB",
    );
    expect(await logos(page, "head")).toEqual(IMAGES);
    const inside = await shown.evaluate((row) => {
      const form = row.closest("form")?.getBoundingClientRect();
      return [...row.children].every((image) => {
        const { left, right, width } = image.getBoundingClientRect();
        return width >= 24 && form !== undefined && left >= form.left && right <= form.right;
      });
    });
    expect(inside).toBe(true);
    expect(await logos(page, "box")).toEqual([]);
    const number = field(page, "card-number");
    expect((await number.boundingBox())?.width).toBeGreaterThan(165);
    await number.pressSequentially("3530");
    expect(await logos(page, "head")).toEqual(["jcb"]);
    expect(await logos(page, "box")).toEqual(["jcb"]);
    expect(pageErrors).toEqual([]);
  },
);

test("the hydrated page follows the experiment of the rendered page", async ({ service, browser }) => {
  const seen = new Set<string>();
  for (let shopper = 1; seen.size < 2; shopper += 1) {
    const { page, pageErrors } = await openPage(browser);
    await page.goto(await paymentPage(service, { cookie_id: `shopper-${shopper}` }));
    const data = await page.locator("#page").textContent();
    const { features, experiments, cookie_id } = JSON.parse(data ?? "");
    expect(cookie_id).toBe(`shopper-${shopper}`);
    const checks: boolean = features["card-form-card-number-luhn-alg-validation"];
    const key = checks ? "on" : "off";
    expect(experiments).toEqual([
      {
        experiment_id: "luhn",
        feature: "card-form-card-number-luhn-alg-validation",
        variation_id: Number(checks),
        variation_key: key,
      },
    ]);
    if (!seen.has(key)) {
      seen.add(key);
      await field(page, "card-number").pressSequentially(CARDS.mistyped);
      await field(page, "card-expiry").pressSequentially("12 / 30");
      await field(page, "card-security-code").pressSequentially("123");
      await page.click("#pay");
      if (checks) {
        await page.waitForSelector("#card-number-error[data-error-id=CardNumber_Invalid]");
      } else {
        // The card also passes the server's check. The simulator then declines it, because it does not know the number.
        await page.waitForSelector("#outcome[data-status=failed]");
      }
    }
    expect(pageErrors.filter((pageError) => !pageError.includes("402"))).toEqual([]);
    await page.context().close();
  }
});
