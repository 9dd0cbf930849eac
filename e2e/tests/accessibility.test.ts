// The form has no axe violation in any state, embedded or standalone, and announces each change once.

import type { Browser, Frame, Page } from "playwright-core";
import { describe, expect } from "vitest";

import { axeViolations } from "../src/accessibility.ts";
import { holdRequests } from "../src/browser.ts";
import { ALL_FIELDS, type MerchantPage, openEmbedded, openStandalone } from "../src/form-page.ts";
import type { Service } from "../src/service.ts";
import { CARDS, type FormPlace, field, typeCard } from "../src/shopper.ts";
import { test } from "../src/test.ts";

const OPTIONS = { ...ALL_FIELDS, show_postal_code: true, contrast: "AA" };

/** The form, opened standalone or embedded. */
interface OpenedForm {
  readonly page: Page;
  readonly place: FormPlace;
  readonly frame: Frame;
  /** Tries to pay. */
  readonly pay: () => Promise<void>;
}

async function standalone(service: Service, browser: Browser): Promise<OpenedForm> {
  const { page } = await openStandalone(service, browser, OPTIONS);
  return { page, place: page, frame: page.mainFrame(), pay: () => page.click("#pay") };
}

async function embedded(service: Service, browser: Browser, merchant: MerchantPage): Promise<OpenedForm> {
  const { page, form, post, created } = await openEmbedded(service, browser, merchant, OPTIONS);
  const frame = page.frames().find((one) => one.url().startsWith(service.url));
  if (frame === undefined) {
    throw new Error("the form has no frame");
  }
  const pay = () => post({ type: "submit-ready", client_secret: created.client_secret });
  return { page, place: form, frame, pay };
}

async function fill({ page, place }: OpenedForm, number: string) {
  await typeCard(place, page, number);
  for (const [id, text] of [
    ["card-holder-name", "Ana Bell"],
    ["card-postal-code", "94107"],
    ["card-holder-email", "ana@example.com"],
  ] as const) {
    await field(place, id).click();
    await page.keyboard.type(text);
  }
}

/** A field, what is typed into it, and the error that it then shows. */
const ERRORS: [string, string, string][] = [
  ["card-number", "4242", "CardNumber_Invalid_Length"],
  ["card-number", CARDS.mistyped, "CardNumber_Invalid"],
  ["card-number", "x", "CardNumber_ContainsNonNumber"],
  ["card-expiry", "12", "CardExpiry_WrongMmDdFormat"],
  ["card-expiry", "1334", "CardExpiry_MonthOutOfRange"],
  ["card-expiry", "0119", "CardExpiry_Expired"],
  ["card-expiry", "1299", "CardExpiry_ExpirationDateExceedsMaxValue"],
  ["card-expiry", "x", "CardExpiry_ContainsNonNumber"],
  ["card-security-code", "1", "CardSecurityCode_IncompleteSecurityCode"],
  ["card-security-code", "x", "CardSecurityCode_ContainsNonNumber"],
  ["card-holder-name", "A", "CardHolderName_Invalid"],
  ["card-holder-name", "1", "CardHolderName_NonSymbolAndNumber"],
  ["card-postal-code", "941", "CardPostalCode_Invalid"],
  ["card-postal-code", "!", "CardPostalCode_Invalid"],
  ["card-holder-email", "ana@", "CardHolderEmail_Invalid"],
];

/** axe needs a second or two for each state. */
const AXE_TIMEOUT_MS = 240_000;

describe.each([
  ["standalone", standalone],
  ["embedded", embedded],
] as const)("%s", (_, open) => {
  test(
    "no state breaks the accessibility guidelines",
    async ({ service, browser, merchant }) => {
      const opened = await open(service, browser, merchant);
      const { page, place, frame, pay } = opened;
      expect(await axeViolations(frame)).toEqual([]);
      await field(place, "card-number").focus();
      await page.keyboard.type("4");
      expect(await axeViolations(frame)).toEqual([]);

      for (const [id, typed, expected] of ERRORS) {
        await field(place, id).focus();
        await page.keyboard.press("Control+a");
        await page.keyboard.press("Delete");
        await page.keyboard.type(typed);
        await field(place, id).evaluate((input) => {
          // The error of a refused key is shown only while the empty field has the focus.
          if ((input as HTMLInputElement).value !== "") {
            input.blur();
          }
        });
        expect(await field(place, `${id}-error`).getAttribute("data-error-id")).toBe(expected);
        expect(await field(place, id).getAttribute("aria-invalid")).toBe("true");
        expect(await axeViolations(frame)).toEqual([]);
      }

      for (const id of [
        "card-number",
        "card-expiry",
        "card-security-code",
        "card-holder-name",
        "card-postal-code",
        "card-holder-email",
      ]) {
        await field(place, id).fill("");
      }
      await field(place, "card-number").press("Enter");
      await expect.poll(() => field(place, "card-holder-email").getAttribute("data-state")).toBe("Empty");
      expect(await axeViolations(frame)).toEqual([]);

      await fill(opened, CARDS.declined);
      expect(await field(place, "card-holder-email").getAttribute("data-state")).toBe("CompletedAndValid");
      expect(await axeViolations(frame)).toEqual([]);
      const releaseCharge = await holdRequests(page, "**/direct/charges");
      await pay();
      await expect.poll(() => field(place, "card-number").isDisabled()).toBe(true);
      expect(await axeViolations(frame)).toEqual([]);
      releaseCharge();
      await expect.poll(() => field(place, "card-number").isDisabled()).toBe(false);
      expect(await axeViolations(frame)).toEqual([]);
    },
    AXE_TIMEOUT_MS,
  );
});

describe("the live region", () => {
  test("exists from the start and announces the brand and each error once", async ({ service, browser }) => {
    const { page } = await openStandalone(service, browser, OPTIONS);
    const html = await (await fetch(page.url())).text();
    expect(html).toContain('role="status" aria-live="polite"');
    await page.evaluate(() => {
      const announced: string[] = [];
      Object.assign(window, { announced });
      const region = document.querySelector("form [role=status]");
      const record = () => region?.textContent && announced.push(region.textContent);
      new MutationObserver(record).observe(region as Element, {
        childList: true,
        characterData: true,
        subtree: true,
      });
    });
    const announced = () => page.evaluate(() => (window as unknown as { announced: string[] }).announced);
    await field(page, "card-number").focus();
    await page.keyboard.type("4242");
    await expect.poll(announced).toEqual(["Visa card"]);
    await page.keyboard.type("4242");
    await page.keyboard.press("Tab");
    await expect.poll(announced).toEqual(["Visa card", "Card number is incomplete."]);
    await page.keyboard.press("Shift+Tab");
    await page.keyboard.press("End");
    await page.keyboard.type("4");
    await page.keyboard.press("Tab");
    // The shopper makes the same error again, so it is announced again.
    await expect
      .poll(announced)
      .toEqual(["Visa card", "Card number is incomplete.", "Card number is incomplete."]);
    await expect
      .poll(() => field(page, "card-number").getAttribute("aria-describedby"))
      .toBe("card-number-error");
  });
});

describe("the page's layout", () => {
  const overflow = (page: Page) =>
    page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);

  test.for([320, 375, 1280])("at %i pixels nothing is cut off", async (width, { service, browser }) => {
    const { page } = await openStandalone(service, browser, OPTIONS, { viewport: { width, height: 700 } });
    await field(page, "card-number").press("Enter");
    expect(await overflow(page)).toBe(0);
  });

  test("text of twice the size fits, also at 320 pixels", async ({ service, browser }) => {
    const { page } = await openStandalone(service, browser, OPTIONS, {
      viewport: { width: 320, height: 700 },
    });
    await page.evaluate(() => document.documentElement.style.setProperty("font-size", "200%"));
    await field(page, "card-number").press("Enter");
    await page.keyboard.type(CARDS.approved);
    expect(await overflow(page)).toBe(0);
    const clipped = await page.evaluate(() =>
      Array.from(document.querySelectorAll("input")).filter(
        (input) => input.scrollHeight > input.clientHeight,
      ),
    );
    expect(clipped).toEqual([]);
  });

  test("under 260 pixels expiry and security code stand one below the other", async ({
    service,
    browser,
    merchant,
  }) => {
    const rows = async (width: number) => {
      const { page } = await openEmbedded(service, browser, merchant, OPTIONS, {
        viewport: { width: width + 16, height: 700 },
      });
      const form = page.frameLocator("iframe");
      const boxes = await Promise.all(
        ["card-expiry", "card-security-code"].map((id) => field(form, id).boundingBox()),
      );
      return new Set(boxes.map((box) => box?.y)).size;
    };
    expect(await rows(260)).toBe(1);
    expect(await rows(259)).toBe(2);
  });

  test("the holder's name is below the card in the redesign, else above", async ({ service, browser }) => {
    const [card, rest] = [
      ["card-number", "card-expiry", "card-security-code"],
      ["card-postal-code", "card-holder-email"],
    ];
    for (const [redesign, order] of [
      [true, [...card, "card-holder-name", ...rest]],
      [false, ["card-holder-name", ...card, ...rest]],
    ] as const) {
      const features = { "pop-646-card-form-ui-redesign": redesign };
      const { page } = await openStandalone(service, browser, { ...OPTIONS, features });
      const inputs = page.locator("input");
      expect(await inputs.evaluateAll((all) => all.map(({ id }) => id))).toEqual(order);
      const number = field(page, "card-number");
      expect(await number.getAttribute("placeholder")).toBe(redesign ? "0000 0000 0000 0000" : null);
      await number.fill("4242");
      expect(await page.locator(".clear").count()).toBe(redesign ? 1 : 0);
    }
  });

  test("in forced colors an error and the focus can still be seen", async ({ service, browser }) => {
    const { page } = await openStandalone(service, browser, OPTIONS, { forcedColors: "active" });
    await field(page, "card-number").press("Enter");
    const styles = await page.evaluate(() => {
      const box = document.querySelector(".field-box");
      const style = getComputedStyle(box as Element);
      return { outline: style.outlineStyle, width: style.outlineWidth, border: style.borderTopStyle };
    });
    expect(styles).toEqual({ outline: "solid", width: "2px", border: "solid" });
    expect(await page.locator("#card-number-error .icon").isVisible()).toBe(true);
    expect(await axeViolations(page.mainFrame())).toEqual([]);
  });
});
