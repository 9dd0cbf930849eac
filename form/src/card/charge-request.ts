// The body of the direct charge, built from the charge intent, the typed card and facts about the browser
// (docs/calls.md#direct-charge).

import type {
  ChargeIntent,
  DirectCharge,
  PartnerCustomData,
  Shopper,
  ShopperAgent,
} from "../../generated/wire.ts";
import type { FieldName } from "./field.ts";

/** The values that are the same in every charge (docs/calls.md#fixed-values). */
const TAX_CODE = "CD010001";
const ACCEPT_HEADER = "text/html";
const CAPTURE_GRACE_PERIOD = 0;
const CHALLENGE_WINDOW = "390x400";
const CENTURY = "20";

/** Facts about the shopper's browser. */
export interface Browser {
  readonly ipAddress: string;
  readonly userAgent: string;
  /** Minutes to add to local time to reach UTC. */
  readonly timezone: number;
  readonly screenHeight: number;
  readonly screenWidth: number;
  readonly colorDepth: number;
  /** The session id of the collected device data; null if there is none. */
  readonly deviceSessionId: string | null;
  /** The token from the fraud prevention's script; empty if there is none. */
  readonly fraudToken: string;
}

/** The request to pay `intent` with a new card. With `saves` the card is saved. */
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

/** The request to pay `intent` with the saved card `id`. */
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

/** The fields that describe the charge, the same in every request. */
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

/** Only the shopper id if the intent has one, otherwise the merchant's id of the shopper, zip code and email. */
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

/** The five fields of the intent's custom data. A missing field is null; all are null if it is not a JSON object. */
export function partnerCustomData(json: string): PartnerCustomData {
  const data = parseObject(json);
  const field = (key: keyof PartnerCustomData) => {
    const value = data[key];
    return typeof value === "string" || typeof value === "number" ? String(value) : null;
  };
  return {
    merchant_id: field("merchant_id"),
    merchant_name: field("merchant_name"),
    merchant_email: field("merchant_email"),
    merchant_user_id: field("merchant_user_id"),
    mno_id: field("mno_id"),
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
