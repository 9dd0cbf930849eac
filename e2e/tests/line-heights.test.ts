// The lines of scripts with marks above and below a letter, and where Japanese text breaks.

import { expect } from "vitest";

import { openPage } from "../src/browser.ts";
import { showState } from "../src/gallery.ts";
import { test } from "../src/test.ts";

/** For each text of the page whose line is too low: its class and the height of the line divided by the text's size. */
function lowLines(least: number): string[] {
  return [
    ...document.querySelectorAll(".card-form-title, .field-label, .field-error, .save-card span"),
  ].flatMap((part) => {
    const { lineHeight, fontSize } = getComputedStyle(part);
    const ratio = Number.parseFloat(lineHeight) / Number.parseFloat(fontSize);
    return ratio < least - 0.01 ? [`${part.className} ${ratio}`] : [];
  });
}

test.for(["my-MM", "km-KH", "lo-LA"])(
  "lines of %s do not touch, and errors have 14 px",
  async (locale, { service, browser }) => {
    const { page } = await openPage(browser);
    await showState(service, page, "nothing-entered", { locale });
    await page.locator("#card-number-error span").first().waitFor();
    expect(await page.evaluate(lowLines, 1.6)).toEqual([]);
    const error = page.locator("#card-number-error");
    expect(
      await error.evaluate((part) => Number.parseFloat(getComputedStyle(part).fontSize)),
    ).toBeGreaterThanOrEqual(14);
    // One line of an error has its room from the start.
    expect(
      await page.locator("#card-expiry-error").evaluate((part) => {
        const { minHeight, lineHeight } = getComputedStyle(part);
        return Number.parseFloat(minHeight) - Number.parseFloat(lineHeight);
      }),
    ).toBeGreaterThanOrEqual(-0.5);
    await page.context().close();
  },
);

test("Japanese titles and errors break between phrases", async ({ service, browser }) => {
  const { page } = await openPage(browser);
  await showState(service, page, "nothing-entered", { locale: "ja-JP" });
  await page.locator("#card-number-error span").first().waitFor();
  for (const part of [".card-form-title", "#card-number-error"]) {
    expect(
      await page
        .locator(part)
        .first()
        .evaluate((element) => getComputedStyle(element).wordBreak),
    ).toBe("auto-phrase");
  }
  await page.context().close();
});
