// `@cardform/testing` with Selenium, in Firefox and in WebKit.

import { challenge, fillCard, pay, seleniumDriver, TEST_CARDS } from "@cardform/testing";
import { expect } from "vitest";

import { inOtherBrowsers, test } from "../src/other-browsers.ts";

inOtherBrowsers((window) => {
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
