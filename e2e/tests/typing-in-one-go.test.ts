// A shopper types number, expiry and security code without looking, and each ends in its own field.

import type { Page } from "playwright-core";
import { describe, expect } from "vitest";

import { SIMULATOR_NUMBERS } from "../../form/src/simulator-numbers.ts";
import { openStandalone } from "../src/form-page.ts";
import { CARDS, field } from "../src/shopper.ts";
import { test as base, serviceWith } from "../src/test.ts";

/** The last test reads the whole ledger. */
const test = base.extend("service", { scope: "file" }, serviceWith());

const IDS = ["card-number", "card-expiry", "card-security-code"] as const;
/** Some fifty cards of some twenty keys each, on a busy machine. */
const BURSTS_MS_MAX = 180_000;

/** Every test card of the simulator, and maestro's usual test numbers. */
const NUMBERS = SIMULATOR_NUMBERS.concat("5019717010103742", "6304000000000000");

const isAmex = (number: string) => /^3[47]/.test(number);

/** Numbers of brands that may have nineteen digits. */
const SIXTEEN_OF_LONGER_BRANDS = ["6200000000000005", "5019717010103742", "6304000000000000"];

/** An empty form with the focus in the card number. */
async function startAnew(page: Page) {
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
] as const)("in one burst %s", (name, features) => {
  test(
    "every test number, with Tab where it is short, stays in its field",
    async ({ service, browser }) => {
      const { page, pageErrors } = await openStandalone(service, browser, { features });
      const others = /^(62|81|50|5[6-8]|6[0-47-9])/;
      for (const number of NUMBERS) {
        await startAnew(page);
        const isOther = number.length < 19 && others.test(number) && !/^(6011|6062|637|6362)/.test(number);
        const code = isAmex(number) ? "7373" : "737";
        await page.keyboard.type(number);
        expect(await focused(page), number).toBe(isOther ? "card-number" : "card-expiry");
        if (isOther) {
          await page.keyboard.press("Tab");
        }
        await page.keyboard.type("1234");
        await page.keyboard.type(code);
        const [typed, ...rest] = await card(page);
        expect([typed?.replaceAll(" ", ""), ...rest]).toEqual([number, "12 / 34", code]);
      }
      expect(pageErrors).toEqual([]);
    },
    BURSTS_MS_MAX,
  );

  // Without the Luhn check such a burst cannot be told from a longer number.
  test.for(name === "under every experiment" ? SIXTEEN_OF_LONGER_BRANDS : [])(
    "%s of sixteen digits needs no Tab, and can be corrected",
    async (number, { service, browser }) => {
      const { page, pageErrors } = await openStandalone(service, browser, { features });
      await startAnew(page);
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

describe("a security code where any digits are accepted", () => {
  test.for([
    [CARDS.approved, "737"],
    [CARDS.americanExpress, "7373"],
  ] as const)("of %s keeps the focus until it is complete", async ([number, code], { service, browser }) => {
    const features = { "card-form-card-security-length-limit-validation": false };
    const { page } = await openStandalone(service, browser, { features, show_cardholder_name: true });
    await startAnew(page);
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
    await startAnew(page);
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
