// The payment page in every locale on a narrow phone: it has the locale's texts and direction, every text fits, and axe
// finds no violation.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { describe, expect } from "vitest";

import { LOCALES } from "../../form/generated/locales.ts";
import { axeViolations } from "../src/accessibility.ts";
import { ALL_FIELDS, openStandalone } from "../src/form-page.ts";
import { overflowProblems } from "../src/overflow-problems.ts";
import { CARDS, field } from "../src/shopper.ts";
import { test } from "../src/test.ts";

const NARROW = { viewport: { width: 320, height: 640 } };
const FOLDER = join(import.meta.dirname, "../../locales");

/** For each field a wrong value, and the error that it causes. */
const WRONG = {
  "card-number": [CARDS.mistyped, "CardNumber_Invalid"],
  "card-expiry": ["1320", "CardExpiry_MonthOutOfRange"],
  "card-security-code": ["12", "CardSecurityCode_IncompleteSecurityCode"],
  "card-holder-name": ["A", "CardHolderName_Invalid"],
  "card-postal-code": ["941", "CardPostalCode_Invalid"],
  "card-holder-email": ["ana@", "CardHolderEmail_Invalid"],
} as const;

const EMPTY = {
  "card-number": "CardNumber_Empty",
  "card-expiry": "CardExpiry_Empty",
  "card-security-code": "CardSecurityCode_EmptySecurityCode",
  "card-holder-name": "CardHolderName_Cant_Empty",
  "card-postal-code": "CardPostalCode_Cant_Empty",
  "card-holder-email": "CardHolderEmail_Cant_Empty",
} as const;

const RIGHT = {
  "card-number": CARDS.declined,
  "card-expiry": "1234",
  "card-security-code": "123",
  "card-holder-name": "Ana Silva",
  "card-postal-code": "94107",
  "card-holder-email": "ana@example.com",
} as const;

describe.concurrent("at 320 pixels", () => {
  test.for(LOCALES)(
    "$code has its texts, and all of them fit",
    async ({ code, iso, dir, file }, { service, browser }) => {
      const texts = JSON.parse(readFileSync(join(FOLDER, file), "utf8")) as Record<string, string>;
      const { page, pageErrors } = await openStandalone(
        service,
        browser,
        { ...ALL_FIELDS, show_postal_code: true, locale: code },
        NARROW,
      );
      const errorsShown = async (errors: Readonly<Record<string, string>>) => {
        for (const [id, error] of Object.entries(errors)) {
          expect(await field(page, `${id}-error`).textContent()).toBe(texts[error]);
        }
      };
      const root = page.locator("html");
      expect(await root.getAttribute("lang")).toBe(iso);
      expect(await root.getAttribute("dir")).toBe(dir);
      expect(await page.textContent("#card-form-title")).toBe(texts.pay_with_card);
      const button = await page.textContent("#pay");
      await page.waitForFunction((text) => document.title.includes(text ?? "?"), button);
      expect(await page.textContent("label[for=card-number]")).toBe(texts.card_number);
      const digits = { minimumFractionDigits: 2, numberingSystem: "latn" };
      const amount = new Intl.NumberFormat(iso, digits).format(12.5);
      expect(await page.textContent(".summary-amount")).toContain(amount);
      expect(await overflowProblems(page)).toEqual([]);

      await page.click("#pay");
      await errorsShown(EMPTY);
      expect(await overflowProblems(page)).toEqual([]);
      expect(await axeViolations(page)).toEqual([]);

      for (const [id, [text]] of Object.entries(WRONG)) {
        await field(page, id).fill(text);
      }
      await page.click("#pay");
      await errorsShown(Object.fromEntries(Object.entries(WRONG).map(([id, [, error]]) => [id, error])));
      expect(await overflowProblems(page)).toEqual([]);

      for (const [id, text] of Object.entries(RIGHT)) {
        await field(page, id).fill(text);
      }
      await page.click("#pay");
      await page.waitForSelector("#outcome[data-status=failed]");
      expect(await page.textContent("#outcome")).toBe(texts.use_another_card);
      expect(await overflowProblems(page)).toEqual([]);
      expect(await digitsRunLeftToRight(page)).toBe(true);
      expect(pageErrors).toEqual([]);
      await page.context().close();
    },
  );
});

test.for(["ar-SA", "ar-AE"])(
  "in %s the label has the month left of the year, as the input does",
  async (locale, { service, browser }) => {
    const { page } = await openStandalone(service, browser, { locale }, NARROW);
    const [month, year] = await page.locator("label[for=card-expiry]").evaluate((label) => {
      const texts = document.createTreeWalker(label, NodeFilter.SHOW_TEXT);
      let text = texts.nextNode() as Text;
      while (!text.data.includes("شهر")) text = texts.nextNode() as Text;
      const left = (word: string) => {
        const range = document.createRange();
        range.setStart(text, text.data.indexOf(word));
        range.setEnd(text, text.data.indexOf(word) + word.length);
        return range.getBoundingClientRect().left;
      };
      return [left("شهر"), left("سنة")];
    });
    expect(month).toBeLessThan(year as number);
    await page.context().close();
  },
);

/** True when the digits run left to right, in every language, and stand at the side where the language's lines begin. */
function digitsRunLeftToRight(page: Page): Promise<boolean> {
  return page.locator("#card-number").evaluate((input: HTMLInputElement) => {
    const { direction, textAlign } = getComputedStyle(input);
    const side = document.documentElement.dir === "rtl" ? ["right"] : ["left", "start"];
    return direction === "ltr" && side.includes(textAlign);
  });
}
