// Typing, choosing a network and paying in Firefox and in WebKit. The browser's driver presses the keys, or `@cardform/testing`
// with Selenium.

import { challenge, fillCard, pay, seleniumDriver, TEST_CARDS } from "@cardform/testing";
import { expect } from "vitest";

import { ALL_FIELDS, paymentPage } from "../src/form-page.ts";
import { inOtherBrowsers, test } from "../src/other-browsers.ts";
import type { Service } from "../src/service.ts";
import { CARDS } from "../src/shopper.ts";
import { Key } from "../src/webdriver.ts";

inOtherBrowsers((window) => {
  const open = async (service: Service, options = {}) => openAt(await paymentPage(service, options));

  async function openAt(url: string) {
    await window().open(url);
    await window().until("return window.cardformVersion !== undefined");
    await window().click("#card-number");
  }

  /** The input's text with `|` at its caret. */
  const textWithCaret = (id: string) =>
    window().run<string>(
      "const i = document.getElementById(arguments[0]);" +
        "return i.value.slice(0, i.selectionStart) + '|' + i.value.slice(i.selectionEnd)",
      id,
    );
  const state = (id: string) =>
    window().run<string>("return document.getElementById(arguments[0]).dataset.state", id);
  const errorId = (id: string) =>
    window().run<string>("return document.getElementById(arguments[0] + '-error').dataset.errorId", id);
  const focused = () => window().run<string>("return document.activeElement.id");
  const waitFor = (selector: string) =>
    window().until("return document.querySelector(arguments[0]) !== null", selector);

  test("a shopper types a card from field to field and pays", async ({ service }) => {
    await open(service);
    await window().type(CARDS.approved);
    expect(await textWithCaret("card-number")).toBe("4242 4242 4242 4242|");
    expect(await focused()).toBe("card-expiry");
    await window().type("834");
    expect(await textWithCaret("card-expiry")).toBe("08 / 34|");
    expect(await focused()).toBe("card-security-code");
    await window().run(
      "window.lost = 0; addEventListener('focusout', () => setTimeout(() => {" +
        "if (document.activeElement === document.body) window.lost += 1 }))",
    );
    await window().type(`123${Key.ENTER}`);
    await window().until("return document.querySelector('#outcome[data-status=succeeded]') !== null");
    // The focus goes from the security code to the outcome, which the page's title names, too.
    expect(await window().run("return [window.lost, document.activeElement.className]")).toEqual([
      0,
      "outcome-title",
    ]);
    expect(await window().run<string>("return document.title")).toContain("Payment complete");
    expect(
      await window().run<string>("return document.querySelector('#outcome-news').textContent"),
    ).toContain("has gone through");
  });

  test("a correction in the middle of the number can be undone", async ({ service }) => {
    await open(service);
    await window().type(`42424242${Key.ARROW_LEFT.repeat(4)}${Key.BACK_SPACE}`);
    expect(await textWithCaret("card-number")).toBe("4242| 4242");
    await window().type(`${Key.BACK_SPACE}5`);
    expect(await textWithCaret("card-number")).toBe("4245| 4242");
    await window().chord(Key.CONTROL, "z");
    expect(await textWithCaret("card-number")).toBe("424|4 242");
    await window().chord(Key.CONTROL, "z");
    await window().chord(Key.CONTROL, "y");
    expect(await textWithCaret("card-number")).toBe("424|4 242");
    await window().type("x");
    expect(await errorId("card-number")).toBe("CardNumber_ContainsNonNumber");
  });

  test("a number that was copied from another field can be pasted", async ({ service }) => {
    await open(service, { show_cardholder_email: true });
    await window().click("#card-holder-email");
    await window().type("4242-4242.42424242");
    await window().chord(Key.CONTROL, "a");
    await window().chord(Key.CONTROL, "c");
    await window().click("#card-number");
    await window().chord(Key.CONTROL, "v");
    expect(await textWithCaret("card-number")).toBe("4242 4242 4242 4242|");
    expect(await focused()).toBe("card-expiry");
  });

  test("a program fills all fields at once, as autofill does", async ({ service }) => {
    await open(service, ALL_FIELDS);
    await window().run(
      `for (const [id, value] of Object.entries(arguments[0])) {
         const input = document.getElementById(id);
         input.value = value;
         input.dispatchEvent(new InputEvent("input", { bubbles: true, inputType: "insertReplacementText" }));
         input.dispatchEvent(new Event("change", { bubbles: true }));
       }`,
      {
        "card-number": CARDS.approved,
        "card-expiry": "12/2034",
        "card-security-code": "123",
        "card-holder-name": "Ana Bell",
        "card-holder-email": "ana@example.com",
      },
    );
    expect(await window().run("return document.getElementById('card-expiry').value")).toBe("12 / 34");
    for (const id of [
      "card-number",
      "card-expiry",
      "card-security-code",
      "card-holder-name",
      "card-holder-email",
    ]) {
      // A fill during hydration reaches the page's own state a moment later.
      await window().until(
        "return document.getElementById(arguments[0]).dataset.state === 'CompletedAndValid'",
        id,
      );
    }
    expect(await focused()).toBe("card-number");
  });

  test("leaving an unfinished field shows what is wrong with it", async ({ service }) => {
    await open(service);
    await window().type(`4242${Key.TAB}`);
    await window().type(`12${Key.TAB}`);
    await window().type("1");
    expect(await state("card-security-code")).toBe("Ready");
    await window().chord(Key.SHIFT, Key.TAB);
    expect(await errorId("card-number")).toBe("CardNumber_Invalid_Length");
    expect(await errorId("card-expiry")).toBe("CardExpiry_WrongMmDdFormat");
    expect(await errorId("card-security-code")).toBe("CardSecurityCode_IncompleteSecurityCode");
  });

  test("paying an empty form shows every error and focuses the first field", async ({ service }) => {
    await open(service, ALL_FIELDS);
    await window().click("#pay");
    expect(await focused()).toBe("card-number");
    expect(await state("card-number")).toBe("Empty");
    expect(await errorId("card-security-code")).toBe("CardSecurityCode_EmptySecurityCode");
    expect(await errorId("card-holder-email")).toBe("CardHolderEmail_Cant_Empty");
  });

  test.for(["en-US", "ar-SA"])("the keyboard alone chooses a network in %s", async (locale, { service }) => {
    const created = await service.merchant.createCharge();
    const url = new URL(created.url);
    url.searchParams.set("options", JSON.stringify({ locale }));
    await openAt(url.href);
    await window().type(CARDS.cartesBancairesAndVisa);
    await waitFor("#card-number-network-cb:checked");
    expect(await focused()).toBe("card-expiry");
    // Back to the number, and then from there to the choice.
    await window().click("#card-number");
    await window().type(Key.TAB);
    expect(await focused()).toBe("card-number-network-cb");
    await window().type(Key.ARROW_DOWN);
    await waitFor("#card-number-network-visa:checked");
    expect(await focused()).toBe("card-number-network-visa");
    await window().type(Key.ARROW_UP);
    await waitFor("#card-number-network-cb:checked");
    const ring = "return getComputedStyle(document.activeElement).outlineStyle";
    expect(await window().run<string>(ring)).toBe("solid");
    await window().type(`${Key.TAB}1234123${Key.ENTER}`);
    await waitFor("#outcome[data-status=succeeded]");
    expect((await service.merchant.charge(created.id)).paid_with?.network).toBe("cb");
  });

  test("Selenium fills in a card in the shop, passes the challenge and pays", async ({ service }) => {
    await window().open(service.shop);
    const driver = seleniumDriver(window().driver);
    await fillCard(driver, {
      number: TEST_CARDS.challenge,
      expiry: "12/30",
      securityCode: "123",
      save: false,
    });
    expect(await pay(driver, { button: "#pay-in-shop" })).toEqual({ status: "challenge" });
    expect(await challenge(driver, "pass")).toEqual({ status: "succeeded" });
    await window().until("return document.querySelector('#shop-outcome[data-status=succeeded]') !== null");
  });

  test("Selenium reads why a card was declined, and pays on the payment page", async ({ service }) => {
    const { url } = await service.merchant.createCharge();
    await window().open(url);
    const driver = seleniumDriver(window().driver);
    await fillCard(driver, { number: TEST_CARDS.declined, expiry: "12/30", securityCode: "123" });
    expect(await pay(driver)).toMatchObject({ status: "failed" });
    await fillCard(driver, { number: TEST_CARDS.approved });
    expect(await pay(driver)).toEqual({ status: "succeeded" });
  });
});
