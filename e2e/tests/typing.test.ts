// Typing with a keyboard: the browser gets the key events of a person, and the caret moves to where a person expects it.

import type { Browser, Page } from "playwright-core";
import { describe, expect } from "vitest";

import { PHONE } from "../src/browser.ts";
import { select, textWithCaret } from "../src/caret.ts";
import { ALL_FIELDS, openStandalone } from "../src/form-page.ts";
import type { Service } from "../src/service.ts";
import { CARDS, field } from "../src/shopper.ts";
import { test } from "../src/test.ts";

async function open(service: Service, browser: Browser, id = "card-number", options = ALL_FIELDS) {
  const { page, pageErrors } = await openStandalone(service, browser, options);
  const input = field(page, id);
  await input.focus();
  return { page, pageErrors, input };
}

const focused = (page: Page) => page.evaluate(() => document.activeElement?.id);
const state = (page: Page, id: string) => field(page, id).getAttribute("data-state");
const errorId = (page: Page, id: string) => field(page, `${id}-error`).getAttribute("data-error-id");

/** Types `text`. Braces hold the name of a key, and how often it is pressed: `42{ArrowLeft*2}{Backspace}`. */
async function type(page: Page, text: string) {
  for (const [, key, times, characters] of text.matchAll(/\{([^}*]+)(?:\*(\d+))?\}|([^{]+)/g)) {
    if (key === undefined) {
      await page.keyboard.type(characters ?? "");
      continue;
    }
    for (let time = 0; time < Number(times ?? 1); time++) {
      await page.keyboard.press(key);
    }
  }
}

describe("the card number", () => {
  test("has groups of four, shows its brand, and moves the focus on", async ({ service, browser }) => {
    const { page, pageErrors, input } = await open(service, browser);
    await type(page, "3782");
    expect(await input.getAttribute("data-brand")).toBe("american-express");
    await type(page, "82246310005");
    expect(await input.inputValue()).toBe("3782 8224 6310 005");
    expect(await focused(page)).toBe("card-expiry");
    await type(page, "834");
    expect(await field(page, "card-expiry").inputValue()).toBe("08 / 34");
    expect(await focused(page)).toBe("card-security-code");
    await type(page, "1234");
    expect(await focused(page)).toBe("card-holder-name");
    expect(pageErrors).toEqual([]);
  });

  test.for([
    ["a digit in the middle", "424242424{ArrowLeft*3}5", "4242 4245| 24"],
    ["a digit before a separator", "42424242{ArrowLeft*5}5", "4242 5|424 2"],
    ["Backspace after a separator, which it moves over", "42424242{ArrowLeft*4}{Backspace}", "4242| 4242"],
    ["Backspace again", "42424242{ArrowLeft*4}{Backspace*2}", "424|4 242"],
    ["Delete before a separator", "42424242{ArrowLeft*5}{Delete}", "4242 |4242"],
    ["Delete again", "42424242{ArrowLeft*5}{Delete*2}", "4242 |242"],
    ["Backspace at the end", "42425{Backspace}", "4242|"],
    ["a digit over a selection", "424242424242{Shift+ArrowLeft*6}5", "4242 4245|"],
    ["a word deleted", "424242424242{Control+Backspace}", "4242 4242|"],
    ["everything deleted", "42424242{Control+a}{Backspace}", "|"],
    [
      "a digit too many in the middle",
      "5555555555554444{Shift+Tab}{End}{ArrowLeft*4}7",
      "5555 5555 5555 |4444",
    ],
    ["spaces typed between the groups", "4242 4242 42", "4242 4242 42|"],
  ] as const)(
    "after %s has the right digits and caret",
    async ([_, keys, expected], { service, browser }) => {
      const { page, input } = await open(service, browser);
      await type(page, keys);
      expect(await textWithCaret(input)).toBe(expected);
    },
  );

  test("of a brand with nineteen digits can be completed later", async ({ service, browser }) => {
    const { page, input } = await open(service, browser);
    await type(page, "4000000000000002");
    expect(await focused(page)).toBe("card-expiry");
    await type(page, "{Shift+Tab}{End}0");
    expect(await state(page, "card-number")).toBe("Ready");
    await type(page, "06");
    expect(await input.inputValue()).toBe("4000 0000 0000 0002 006");
    expect(await focused(page)).toBe("card-number");
  });

  test("refuses letters with an error; shortcuts, arrows and Tab work", async ({ service, browser }) => {
    const { page, input } = await open(service, browser);
    await type(page, "42x42");
    expect(await input.inputValue()).toBe("4242");
    await type(page, "{Control+a}{Backspace}v");
    expect(await errorId(page, "card-number")).toBe("CardNumber_ContainsNonNumber");
    expect(await state(page, "card-number")).toBe("ValidationError");
    await type(page, "4{Control+a}{Control+c}{ArrowRight}{Control+v}");
    expect(await input.inputValue()).toBe("44");
    expect(await errorId(page, "card-number")).toBe("");
    await type(page, "{Tab}");
    expect(await focused(page)).toBe("card-expiry");
  });
});

describe("the expiry", () => {
  test.for([
    ["a month that can have one digit only", "5", "05 / |"],
    ["a slash after 1", "1/", "01 / |"],
    ["a full entry", "1234", "12 / 34|"],
    ["six digits", "122034", "12 / 34|"],
    ["a slash where one stands", "12/34", "12 / 34|"],
    ["Backspace after the separator", "12{Backspace}", "1|"],
    ["Backspace after a typed separator", "1/{Backspace}", "1|"],
    ["a space after 1", "1 34", "01 / 34|"],
    ["a digit corrected in the month", "1234{Shift+Tab}{Home}{ArrowRight}{Delete}1", "11 / |34"],
  ] as const)("after %s has the right text and caret", async ([_, keys, expected], { service, browser }) => {
    const { page, input } = await open(service, browser, "card-expiry");
    await type(page, keys);
    expect(await textWithCaret(input)).toBe(expected);
  });

  test("shows at once that the card has expired, and refuses letters", async ({ service, browser }) => {
    const { page } = await open(service, browser, "card-expiry");
    await type(page, "0120");
    expect(await errorId(page, "card-expiry")).toBe("CardExpiry_Expired");
    await type(page, "{Backspace*4}x");
    expect(await errorId(page, "card-expiry")).toBe("CardExpiry_ContainsNonNumber");
  });
});

describe("name and email", () => {
  test("accept the characters they may have and refuse the rest", async ({ service, browser }) => {
    const { page } = await open(service, browser, "card-holder-name");
    await type(page, "Ana 1@ O'Hara-Nuñez");
    expect(await field(page, "card-holder-name").inputValue()).toBe("Ana  O'Hara-Nuñez");
    await field(page, "card-holder-email").focus();
    await type(page, "ana @example.com");
    expect(await field(page, "card-holder-email").inputValue()).toBe("ana@example.com");
    expect(await state(page, "card-holder-email")).toBe("CompletedAndValid");
  });

  test("a prefilled email of more than 254 characters can be shortened", async ({ service, browser }) => {
    const email = `${"a".repeat(250)}@example.com`;
    const { page, input } = await open(service, browser, "card-holder-email", {
      ...ALL_FIELDS,
      cardholder_email: email,
    });
    expect(await input.inputValue()).toBe(email);
    expect(await state(page, "card-holder-email")).toBe("CompletedAndValid");
    await select(input, 1);
    await type(page, "{Backspace}{Tab}");
    expect(await input.inputValue()).toBe(email.slice(1));
  });
});

describe("undo and redo", () => {
  test("restore what was typed or cleared, and the caret", async ({ service, browser }) => {
    const { page, input } = await open(service, browser);
    await type(page, "42424242");
    await type(page, "{Home}{ArrowRight}5");
    expect(await textWithCaret(input)).toBe("45|24 2424 2");
    await type(page, "{Control+z}");
    expect(await textWithCaret(input)).toBe("4|242 4242");
    await type(page, "{Control+z}");
    expect(await textWithCaret(input)).toBe("|");
    await type(page, "{Control+z}{Control+y}");
    expect(await textWithCaret(input)).toBe("4242 4242|");
    await type(page, "{Control+Shift+z}");
    expect(await textWithCaret(input)).toBe("45|24 2424 2");
    expect(await state(page, "card-number")).toBe("Ready");
  });

  test("bring back a number that the clear icon removed, with the focus", async ({ service, browser }) => {
    const { page, input } = await open(service, browser);
    await type(page, "42425");
    await page.getByRole("button", { name: "Clear card number" }).click();
    expect(await textWithCaret(input)).toBe("|");
    expect(await focused(page)).toBe("card-number");
    expect(await page.getByRole("button", { name: "Clear card number" }).count()).toBe(0);
    await type(page, "{Control+z}");
    expect(await input.inputValue()).toBe("4242 5");
    await type(page, "{Tab}");
    expect(await focused(page)).toBe("card-expiry");
    expect(await page.getByRole("button", { name: "Clear card number" }).isVisible()).toBe(false);
  });
});

describe("the move to the next field", () => {
  test("does not happen when the shopper corrects a complete field", async ({ service, browser }) => {
    const { page, input } = await open(service, browser);
    await type(page, CARDS.approved);
    expect(await focused(page)).toBe("card-expiry");
    for (const caret of [19, 4]) {
      await select(input, caret);
      await type(page, "{Backspace}");
      expect(await state(page, "card-number")).toBe("Ready");
      await type(page, "2");
      expect(await state(page, "card-number")).toBe("CompletedAndValid");
      expect(await focused(page)).toBe("card-number");
    }
  });

  test("happens again when the whole number is typed again", async ({ service, browser }) => {
    const { page, input } = await open(service, browser);
    await type(page, CARDS.approved);
    await input.focus();
    await type(page, "{Control+a}{Delete}5555555555554444");
    expect(await focused(page)).toBe("card-expiry");
  });

  test("is made by the key that a phone calls Next", async ({ service, browser }) => {
    const phone = { viewport: PHONE, hasTouch: true, isMobile: true };
    const { page, pageErrors } = await openStandalone(service, browser, ALL_FIELDS, phone);
    await field(page, "card-number").focus();
    for (const next of ["card-expiry", "card-security-code", "card-holder-name", "card-holder-email"]) {
      await type(page, "{Enter}");
      expect(await focused(page)).toBe(next);
    }
    // Nothing was submitted, so no field is said to be missing.
    expect(await page.locator("[aria-invalid=true]").count()).toBe(0);
    await type(page, "{Enter}");
    expect(await focused(page)).toBe("card-number");
    expect(await errorId(page, "card-expiry")).toBe("CardExpiry_Empty");
    expect(pageErrors).toEqual([]);
  });

  test("after Enter is to the first missing field, which shows an error", async ({ service, browser }) => {
    const { page } = await open(service, browser);
    await type(page, "4242424242424242{Tab}{Tab}{Enter}");
    expect(await focused(page)).toBe("card-expiry");
    expect(await state(page, "card-expiry")).toBe("Empty");
    expect(await errorId(page, "card-holder-email")).toBe("CardHolderEmail_Cant_Empty");
  });
});
