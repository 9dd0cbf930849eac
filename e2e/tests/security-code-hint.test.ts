// The security code's field shows where the code is on the card, also for screen readers. The label of the expiry shows its
// format.

import type { Page } from "playwright-core";
import { describe, expect } from "vitest";

import { openStandalone } from "../src/form-page.ts";
import { field } from "../src/shopper.ts";
import { test } from "../src/test.ts";

/** The description of the input that a screen reader reads after its name. */
async function description(page: Page, id: string): Promise<string> {
  const ids = (await field(page, id).getAttribute("aria-describedby")) ?? "";
  const texts = await Promise.all(
    ids.split(" ").map((one) => page.locator(`[id="${one}"]`).evaluate((element) => element.textContent)),
  );
  return texts.join(" ");
}

describe("the security code", () => {
  test.for([
    ["", "back", "3 digits on the back of the card"],
    ["4242", "back", "3 digits on the back of the card"],
    ["3782", "front", "4 digits on the front of the card"],
  ] as const)("of %j is shown on the %s", async ([number, side, words], { service, browser }) => {
    const { page, pageErrors } = await openStandalone(service, browser);
    await field(page, "card-number").pressSequentially(number);
    const picture = page.locator(".field-card-security-code .code-on-card");
    expect(await picture.isVisible()).toBe(true);
    expect(await picture.getAttribute("data-side")).toBe(side);
    expect(await description(page, "card-security-code")).toBe(words);
    await page.click("#pay");
    expect(await description(page, "card-security-code")).toBe(`${words} CVV is required.`);
    expect(pageErrors).toEqual([]);
  });

  test("is fully visible beside its picture on the narrowest phone", async ({ service, browser }) => {
    const viewport = { width: 320, height: 700 };
    const { page } = await openStandalone(service, browser, {}, { viewport, hasTouch: true, isMobile: true });
    await field(page, "card-number").pressSequentially("3782");
    const input = field(page, "card-security-code");
    await input.pressSequentially("1234");
    expect(await input.evaluate((element) => element.scrollWidth <= element.clientWidth)).toBe(true);
  });
});

describe("the expiry", () => {
  test.for([
    ["en-US", "Expiration date MM/YY"],
    ["de-DE", "Ablaufdatum MM/JJ"],
  ] as const)("in %s has the name %s", async ([locale, name], { service, browser }) => {
    const { page } = await openStandalone(service, browser, { locale });
    expect(await page.getByRole("textbox", { name, exact: true }).getAttribute("id")).toBe("card-expiry");
  });

  test("in Arabic has its month at the left in the label", async ({ service, browser }) => {
    const { page } = await openStandalone(service, browser, { locale: "ar-SA" });
    const [month, year] = await page.locator("label[for=card-expiry] > [dir=ltr]").evaluate((label) => {
      const text = label.firstChild as Text;
      return ["شهر", "سنة"].map((word) => {
        const range = document.createRange();
        const at = text.data.indexOf(word);
        range.setStart(text, at);
        range.setEnd(text, at + word.length);
        return range.getBoundingClientRect().left;
      });
    });
    expect(month).toBeLessThan(year ?? 0);
  });
});
