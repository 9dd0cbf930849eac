// The body of the direct charge, built from the intent, what was typed and what the browser says
// (docs/calls.md#direct-charge).

import type {
  ChargeIntent,
  DirectCharge,
  PartnerCustomData,
  Shopper,
  ShopperAgent,
} from "../../generated/wire.ts";
import type { FieldName } from "./field.ts";

/** What every charge says alike (docs/calls.md#fixed-values). */
const TAX_CODE = "CD010001";
const ACCEPT_HEADER = "text/html";
const CAPTURE_GRACE_PERIOD = 0;
const CHALLENGE_WINDOW = "390x400";
const CENTURY = "20";

/** What the browser says of itself. */
export interface Browser {
  readonly ipAddress: string;
  readonly userAgent: string;
  /** Minutes to add to local time to reach UTC. */
  readonly timezone: number;
  readonly screenHeight: number;
  readonly screenWidth: number;
  readonly colorDepth: number;
  /** The session of the device data that was collected; null without one. */
  readonly deviceSessionId: string | null;
  /** What the fraud prevention's script told; empty without it. */
  readonly fraudToken: string;
}

/** The request to pay `intent` with a new card, which is saved if it `saves`. */
export function newCardCharge(
  intent: ChargeIntent,
  texts: Readonly<Record<FieldName, string>>,
  saves: boolean,
  browser: Browser,
  language: string,
): DirectCharge {
  const [month = "", year = ""] = texts.expiry.split(" / ");
  return {
    ...chargeOf(intent, language),
    shopper_agent: { ...shopperAgent(browser), device_metadata: { session_id: browser.deviceSessionId } },
    payment_method: {
      type: "card",
      save_payment_method: saves,
      card: {
        country_code: intent.paymentMethodCountryCode,
        number: texts.cardNumber.replaceAll(" ", ""),
        holder_name: texts.cardHolderName.trim(),
        expiration_month: month,
        expiration_year: `${CENTURY}${year}`,
        security_code: texts.security,
      },
      shopper: shopper(intent, texts.cardHolderEmail),
    },
  };
}

/** The request to pay `intent` with the shopper's saved card `id`. */
export function savedCardCharge(
  intent: ChargeIntent,
  id: string,
  securityCode: string,
  browser: Browser,
  language: string,
): DirectCharge {
  return {
    ...chargeOf(intent, language),
    shopper_agent: shopperAgent(browser),
    user_initiated: intent.userInitiated,
    payment_method: {
      id,
      type: "card",
      shopper_id: intent.shopperId,
      card: { security_code: securityCode },
    },
  };
}

/** What every request says of the charge. */
function chargeOf(intent: ChargeIntent, language: string) {
  return {
    charge_id: intent.chargeId,
    item_code: intent.itemCode,
    item_name: intent.itemName,
    amount_value: intent.amountValue,
    amount_currency: intent.amountCurrency,
    partner_reference: intent.partnerReference,
    setting: {
      default_language: language,
      card: {
        capture_grace_period: CAPTURE_GRACE_PERIOD,
        three_ds_challenge_window_size: CHALLENGE_WINDOW,
      },
    },
    tax: { tax_code: TAX_CODE },
    partner_custom_data: partnerCustomData(intent.partnerCustomData),
  };
}

function shopperAgent(browser: Browser): ShopperAgent {
  return {
    ip_address: browser.ipAddress,
    user_agent: browser.userAgent,
    timezone: browser.timezone,
    screen_height: browser.screenHeight,
    screen_width: browser.screenWidth,
    color_depth: browser.colorDepth,
    accept_header: ACCEPT_HEADER,
    fraud_metadata: { fraud_token: browser.fraudToken },
  };
}

/** By id alone when the intent has one, otherwise by the merchant's id, zip code and email. */
function shopper(intent: ChargeIntent, typedEmail: string): Shopper {
  if (intent.shopperId !== "") {
    return { id: intent.shopperId };
  }
  return {
    partner_shopper_id: intent.partnerShopperId,
    zip_code: intent.zipCode ?? "",
    email: typedEmail === "" ? intent.shopperEmail : typedEmail,
  };
}

/** The five facts of the intent's custom data; null what is absent, all null when it is not a JSON object. */
export function partnerCustomData(json: string): PartnerCustomData {
  const data = parseObject(json);
  const fact = (key: keyof PartnerCustomData) => {
    const value = data[key];
    return typeof value === "string" || typeof value === "number" ? String(value) : null;
  };
  return {
    merchant_id: fact("merchant_id"),
    merchant_name: fact("merchant_name"),
    merchant_email: fact("merchant_email"),
    merchant_user_id: fact("merchant_user_id"),
    mno_id: fact("mno_id"),
  };
}

function parseObject(json: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(json);
    return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}
