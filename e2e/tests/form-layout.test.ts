// What a person sees of the form's parts: large text, a finger's targets, an empty checkbox.

import type { Page } from "playwright-core";
import { expect } from "vitest";

import { openPage } from "../src/browser.ts";
import { showState } from "../src/gallery.ts";
import { test } from "../src/test.ts";

const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };

async function withLargeText(page: Page): Promise<void> {
  await page.evaluate(() => {
    document.documentElement.style.fontSize = "200%";
  });
}

test("a whole card number can be read with text of twice the size", async ({ service, browser }) => {
  const { page } = await openPage(browser, PHONE);
  await showState(service, page, "all-fields");
  await withLargeText(page);
  await page.fill("#card-number", "4242 4242 4242 4242");
  const hidden = await page.evaluate(() => {
    const input = document.querySelector<HTMLInputElement>("#card-number");
    return input ? input.scrollWidth - input.clientWidth : null;
  });
  expect(hidden).toBe(0);
  await page.context().close();
});

test("the selected card's radio is a ring, also in large text", async ({ service, browser }) => {
  const { page } = await openPage(browser, PHONE);
  await showState(service, page, "saved-one");
  await withLargeText(page);
  const hole = await page
    .locator(".saved-card-radio:checked")
    .evaluate((radio) => radio.clientWidth / (radio as HTMLElement).offsetWidth);
  expect(hole).toBeGreaterThan(0.35);
  await page.context().close();
});

test("an empty checkbox is an outline, unless the theme fills it", async ({ service, browser }) => {
  const { page } = await openPage(browser, PHONE);
  await showState(service, page, "save-card");
  await page.uncheck("#save-card");
  const ofInput = await page
    .locator(".field-box")
    .first()
    .evaluate((box) => getComputedStyle(box).backgroundColor);
  const box = await page.locator("#save-card").evaluate((box) => {
    const { padding, backgroundImage } = getComputedStyle(box);
    return { padding, backgroundImage };
  });
  expect(box).toEqual({
    padding: "1.5px",
    backgroundImage: `linear-gradient(${ofInput} 0px, ${ofInput} 0px), none`,
  });
  await page.context().close();
});

test("what a finger presses has 44 pixels", async ({ service, browser }) => {
  const { page } = await openPage(browser, PHONE);
  await showState(service, page, "save-card");
  expect((await page.locator(".save-card").boundingBox())?.height).toBeGreaterThanOrEqual(44);
  await page.fill("#card-number", "4242");
  await page.focus("#card-number");
  const clear = await page.locator(".clear").boundingBox();
  const hit = await page.evaluate(
    ([x = 0, y = 0]) => document.elementFromPoint(x, y)?.className,
    [(clear?.x ?? 0) - 9, (clear?.y ?? 0) + (clear?.height ?? 0) / 2],
  );
  expect(hit).toBe("clear");
  await showState(service, page, "saved-one");
  expect((await page.locator(".method-toggle").boundingBox())?.height).toBeGreaterThanOrEqual(44);
  await page.context().close();
});

test("a list or errors do not make the form higher", async ({ service, browser }) => {
  for (const viewport of [PHONE, { viewport: { width: 1280, height: 900 } }]) {
    const { page } = await openPage(browser, viewport);
    const heightOf = async (state: string) => {
      await showState(service, page, state);
      return (await page.locator("form").boundingBox())?.height ?? 0;
    };
    expect(await heightOf("saved-loading")).toBeCloseTo(await heightOf("saved-one"), 0);
    expect(await heightOf("nothing-entered")).toBeCloseTo(await heightOf("all-fields"), 0);
    await page.context().close();
  }
});
