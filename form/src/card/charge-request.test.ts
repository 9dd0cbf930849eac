import { describe, expect, test } from "vitest";

import type { ChargeIntent } from "../../generated/wire.ts";
import { newCardCharge, partnerCustomData, savedCardCharge } from "./charge-request.ts";

const INTENT: ChargeIntent = {
  itemCode: "gems-100",
  itemName: "100 gems",
  amountValue: "12.50",
  amountCurrency: "USD",
  partnerReference: "order-1",
  partnerShopperId: "sam",
  paymentMethodCountryCode: "US",
  chargeId: "ch_1",
  partnerCustomData: '{"merchant_id":"m1","merchant_name":"Gems","other":1}',
  shopperEmail: "sam@example.com",
  zipCode: null,
  enableSavePaymentMethod: null,
  shopperId: "",
  userInitiated: true,
  displaySavedPaymentMethodList: false,
  eligibleSavePaymentMethods: false,
  partnerId: "partner_1",
  saveCardUsage: "",
};
const TEXTS = {
  cardNumber: "4242 4242 4242 4242",
  expiry: "03 / 30",
  security: "123",
  cardHolderName: " Ana ",
  cardPostalCode: "",
  cardHolderEmail: "",
};
const BROWSER = {
  ip_address: "203.0.113.7",
  user_agent: "Browser/1",
  timezone: -480,
  screen_height: 800,
  screen_width: 400,
  color_depth: 24,
  fraud_metadata: { fraud_token: "token-1" },
};

describe("the direct charge request", () => {
  test("has every field, built from intent, texts and browser", () => {
    expect(newCardCharge(INTENT, TEXTS, null, BROWSER, "session-1", "en", null)).toEqual({
      charge_id: "ch_1",
      item_code: "gems-100",
      item_name: "100 gems",
      amount_value: "12.50",
      amount_currency: "USD",
      partner_reference: "order-1",
      shopper_agent: {
        ip_address: "203.0.113.7",
        user_agent: "Browser/1",
        timezone: -480,
        screen_height: 800,
        screen_width: 400,
        color_depth: 24,
        accept_header: "text/html",
        fraud_metadata: { fraud_token: "token-1" },
        device_metadata: { session_id: "session-1" },
      },
      setting: {
        default_language: "en",
        card: { capture_grace_period: 0, three_ds_challenge_window_size: "390x400" },
      },
      tax: { tax_code: "CD010001" },
      payment_method: {
        type: "card",
        save_payment_method: false,
        card: {
          country_code: "US",
          number: "4242424242424242",
          holder_name: "Ana",
          expiration_month: "03",
          expiration_year: "2030",
          security_code: "123",
        },
        shopper: { partner_shopper_id: "sam", zip_code: "", email: "sam@example.com" },
      },
      partner_custom_data: {
        merchant_id: "m1",
        merchant_name: "Gems",
        merchant_email: null,
        merchant_user_id: null,
        mno_id: null,
      },
    });
  });

  test("sends the shopper by id alone when the intent has one", () => {
    const request = newCardCharge(
      { ...INTENT, shopperId: "sh_1" },
      TEXTS,
      null,
      BROWSER,
      "session-1",
      "en",
      null,
    );
    expect(request.payment_method.shopper).toEqual({ id: "sh_1" });
  });

  test("prefers the typed email to the intent's", () => {
    const request = newCardCharge(
      INTENT,
      { ...TEXTS, cardHolderEmail: "ana@example.com" },
      null,
      BROWSER,
      null,
      "en",
      null,
    );
    expect(request.payment_method.shopper?.email).toBe("ana@example.com");
  });

  test("prefers the typed postal code to the intent's", () => {
    const typed = { ...TEXTS, cardPostalCode: " K1A 0B1 " };
    const sent = (intent: Partial<ChargeIntent>, texts: typeof TEXTS) =>
      newCardCharge({ ...INTENT, ...intent }, texts, null, BROWSER, null, "en", null).payment_method.shopper;
    expect(sent({ zipCode: "94107" }, TEXTS)?.zip_code).toBe("94107");
    expect(sent({ zipCode: "94107" }, typed)?.zip_code).toBe("K1A 0B1");
    expect(sent({ shopperId: "sh_1" }, typed)).toEqual({ id: "sh_1", zip_code: "K1A 0B1" });
  });

  test("asks to save the card when the shopper does", () => {
    const agreement = { text_id: "save_card", locale: "en-US" };
    const intent = { ...INTENT, shopperId: "sh_1" };
    const saving = newCardCharge(intent, TEXTS, agreement, BROWSER, "session-1", "en", null);
    expect(saving.payment_method).toMatchObject({ save_payment_method: true, agreement });
  });

  test("with a saved card has its id, shopper and security code, and no card", () => {
    const request = savedCardCharge(
      { ...INTENT, shopperId: "sh_1" },
      "pm_1",
      null,
      "123",
      BROWSER,
      "th",
      null,
    );
    const {
      payment_method: _,
      shopper_agent: agent,
      ...same
    } = newCardCharge(INTENT, TEXTS, null, BROWSER, "session-1", "th", null);
    const { device_metadata: __, ...shopper_agent } = agent;
    expect(request).toEqual({
      ...same,
      shopper_agent,
      user_initiated: true,
      payment_method: { id: "pm_1", type: "card", shopper_id: "sh_1", card: { security_code: "123" } },
    });
  });

  test("has the new date of a saved card that has expired", () => {
    const renewal = savedCardCharge(INTENT, "pm_1", "03 / 33", "123", BROWSER, "en", null);
    expect(renewal.payment_method.card).toEqual({
      expiration_month: "03",
      expiration_year: "2033",
      security_code: "123",
    });
  });

  test("has the network that the shopper chose, with each kind of card", () => {
    const fresh = newCardCharge(INTENT, TEXTS, null, BROWSER, null, "en", "cb");
    expect(fresh.payment_method.card.network).toBe("cb");
    const saved = savedCardCharge(INTENT, "pm_1", null, "123", BROWSER, "en", "visa");
    expect(saved.payment_method.card).toEqual({ security_code: "123", network: "visa" });
  });

  test("says who started a charge with a saved card, as the intent has it", () => {
    const request = savedCardCharge(
      { ...INTENT, userInitiated: false },
      "pm_1",
      null,
      "123",
      BROWSER,
      "en",
      null,
    );
    expect(request.user_initiated).toBe(false);
  });
});

test("custom data that is no JSON object leaves every fact null", () => {
  for (const json of ["", "{", "null", "7", '"x"', "[]", '{"merchant_id":{"a":1}}']) {
    expect(Object.values(partnerCustomData(json))).toEqual([null, null, null, null, null]);
  }
});
