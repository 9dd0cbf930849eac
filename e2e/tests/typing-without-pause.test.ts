// A shopper types number, expiry and security code without a pause, and each arrives in its own field.

import type { Page } from "playwright-core";
import { describe, expect } from "vitest";

import { SIMULATOR_NUMBERS } from "../../form/test/simulator-numbers.ts";
import { openStandalone } from "../src/form-page.ts";
import { CARDS, field } from "../src/shopper.ts";
import { test as base, serviceWith } from "../src/test.ts";

/** The service is not shared, because the last test reads the whole ledger. */
const test = base.extend("service", { scope: "file" }, serviceWith());

const IDS = ["card-number", "card-expiry", "card-security-code"] as const;
/** Enough time to type about twenty cards of about twenty keys each on a busy machine. */
const TYPING_MS_MAX = 60_000;

/**
 * The first test card of the simulator for each first digit and length, and two usual test numbers of Maestro. The form's
 * own tests type all of them.
 */
const NUMBERS = [
  ...new Map(
    SIMULATOR_NUMBERS.toReversed().map((number) => [`${number[0]} ${number.length}`, number]),
  ).values(),
  "5019717010103742",
  "6304000000000000",
];

const isAmex = (number: string) => /^3[47]/.test(number);

/** Numbers of sixteen digits, of brands whose numbers can have up to nineteen. */
const SIXTEEN_OF_LONGER_BRANDS = ["6200000000000005", "5019717010103742", "6304000000000000"];

/** Empties the form and focuses the card number. */
async function clearForm(page: Page) {
  for (const id of IDS) {
    await field(page, id).fill("");
  }
  await field(page, "card-number").focus();
}

const card = (page: Page) => Promise.all(IDS.map((id) => field(page, id).inputValue()));
const focused = (page: Page) => page.evaluate(() => document.activeElement?.id);

describe.each([
  ["under every experiment", {}],
  ["without the Luhn experiment", { "card-form-card-number-luhn-alg-validation": false }],
] as const)("typed without a pause %s", (name, features) => {
  test(
    "one number of each kind, with Tab if needed, stays in its field",
    async ({ service, browser }) => {
      const { page, pageErrors } = await openStandalone(service, browser, { features });
      const brandsWithLongerNumbers = /^(62|81|50|5[6-8]|6[0-47-9])/;
      for (const number of NUMBERS) {
        await clearForm(page);
        const canBeLonger =
          number.length < 19 && brandsWithLongerNumbers.test(number) && !/^(6011|6062|637|6362)/.test(number);
        const code = isAmex(number) ? "7373" : "737";
        await page.keyboard.type(number);
        expect(await focused(page), number).toBe(canBeLonger ? "card-number" : "card-expiry");
        if (canBeLonger) {
          await page.keyboard.press("Tab");
        }
        await page.keyboard.type("1234");
        await page.keyboard.type(code);
        const [typed, ...rest] = await card(page);
        expect([typed?.replaceAll(" ", ""), ...rest]).toEqual([number, "12 / 34", code]);
      }
      expect(pageErrors).toEqual([]);
    },
    TYPING_MS_MAX,
  );

  // Without the Luhn check the form cannot know whether the next digits belong to a longer number.
  test.for(name === "under every experiment" ? SIXTEEN_OF_LONGER_BRANDS : [])(
    "%s of sixteen digits needs no Tab, and can be corrected",
    async (number, { service, browser }) => {
      const { page, pageErrors } = await openStandalone(service, browser, { features });
      await clearForm(page);
      await page.keyboard.type(`${number}1234737`);
      const [typed, ...rest] = await card(page);
      expect([typed?.replaceAll(" ", ""), ...rest]).toEqual([number, "12 / 34", "737"]);
      expect(await focused(page)).toBe("card-security-code");
      expect(await page.locator("form.card-form").getAttribute("data-ready")).toBe("true");
      await page.keyboard.press("Shift+Tab");
      await page.keyboard.press("End");
      await page.keyboard.press("Backspace");
      await page.keyboard.type("5");
      expect(await field(page, "card-expiry").inputValue()).toBe("12 / 35");
      expect(pageErrors).toEqual([]);
    },
  );
});

describe("a security code without the length experiment", () => {
  test.for([
    [CARDS.approved, "737"],
    [CARDS.americanExpress, "7373"],
  ] as const)("of %s keeps the focus until it is complete", async ([number, code], { service, browser }) => {
    const features = { "card-form-card-security-length-limit-validation": false };
    const { page } = await openStandalone(service, browser, { features, show_cardholder_name: true });
    await clearForm(page);
    await page.keyboard.type(`${number}1234`);
    for (const digit of code) {
      expect(await focused(page)).toBe("card-security-code");
      expect(await field(page, "card-security-code").getAttribute("data-state")).toBe("Ready");
      await page.keyboard.type(digit);
    }
    expect(await focused(page)).toBe("card-holder-name");
  });

  test("of one digit cannot pay from inside the field", async ({ service, browser }) => {
    const features = { "card-form-card-security-length-limit-validation": false };
    const { page } = await openStandalone(service, browser, { features });
    await clearForm(page);
    await page.keyboard.type("42424242424242421234");
    await page.keyboard.type("7");
    await page.keyboard.press("Enter");
    expect(await field(page, "card-security-code-error").getAttribute("data-error-id")).toBe(
      "CardSecurityCode_IncompleteSecurityCode",
    );
    expect(await focused(page)).toBe("card-security-code");
    expect((await service.ledger()).length).toBe(0);
  });
});
