// The body of the direct charge, built from the charge intent, the typed card and facts about the browser
// (docs/calls.md#direct-charge).

import type {
  ChargeIntent,
  DirectCharge,
  PartnerCustomData,
  Shopper,
  ShopperAgent,
  ShownAgreement,
} from "../../generated/wire.ts";
import type { BrandName } from "./brand.ts";
import type { FieldName } from "./field.ts";

/** The values that are the same in every charge (docs/calls.md#fixed-values). */
const TAX_CODE = "CD010001";
const ACCEPT_HEADER = "text/html";
const CAPTURE_GRACE_PERIOD = 0;
const CHALLENGE_WINDOW = "390x400";
const CENTURY = "20";

export type Browser = Omit<ShopperAgent, "accept_header" | "device_metadata">;

/**
 * The request to pay `intent` with a new card. With `agreement`, the text that the shopper agreed to, the card is saved.
 * `network` is null if there is no choice.
 */
export function newCardCharge(
  intent: ChargeIntent,
  texts: Readonly<Record<FieldName, string>>,
  agreement: ShownAgreement | null,
  browser: Browser,
  deviceSessionId: string | null,
  language: string,
  network: BrandName | null,
): DirectCharge {
  const charge = chargeOf(intent, browser, language);
  return {
    ...charge,
    shopper_agent: { ...charge.shopper_agent, device_metadata: { session_id: deviceSessionId } },
    payment_method: {
      type: "card",
      save_payment_method: agreement !== null,
      ...(agreement && { agreement }),
      card: {
        country_code: intent.paymentMethodCountryCode,
        number: texts.cardNumber.replaceAll(" ", ""),
        holder_name: texts.cardHolderName.trim(),
        ...expiryOf(texts.expiry),
        security_code: texts.security,
        ...(network && { network }),
      },
      shopper: shopper(intent, texts.cardHolderEmail, texts.cardPostalCode.trim()),
    },
  };
}

/** The request to pay `intent` with a saved card. `expiry` is the new date of a card that has expired, as typed, or null. */
export function savedCardCharge(
  intent: ChargeIntent,
  id: string,
  expiry: string | null,
  securityCode: string,
  browser: Browser,
  language: string,
  network: BrandName | null,
): DirectCharge {
  return {
    ...chargeOf(intent, browser, language),
    user_initiated: intent.userInitiated,
    payment_method: {
      id,
      type: "card",
      shopper_id: intent.shopperId,
      card: {
        ...(expiry !== null && expiryOf(expiry)),
        security_code: securityCode,
        ...(network && { network }),
      },
    },
  };
}

/** The month and the year of a typed expiry. */
function expiryOf(text: string) {
  const [month = "", year = ""] = text.split(" / ");
  return { expiration_month: month, expiration_year: `${CENTURY}${year}` };
}

/** The fields that every request has. */
function chargeOf(intent: ChargeIntent, browser: Browser, language: string) {
  return {
    charge_id: intent.chargeId,
    item_code: intent.itemCode,
    item_name: intent.itemName,
    amount_value: intent.amountValue,
    amount_currency: intent.amountCurrency,
    partner_reference: intent.partnerReference,
    shopper_agent: { ...browser, accept_header: ACCEPT_HEADER },
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

/**
 * Only the shopper id and a typed postal code if the intent has an id, otherwise the merchant's id of the shopper, zip code
 * and email.
 */
function shopper(intent: ChargeIntent, typedEmail: string, typedPostalCode: string): Shopper {
  if (intent.shopperId !== "") {
    return { id: intent.shopperId, ...(typedPostalCode !== "" && { zip_code: typedPostalCode }) };
  }
  return {
    partner_shopper_id: intent.partnerShopperId,
    zip_code: typedPostalCode === "" ? (intent.zipCode ?? "") : typedPostalCode,
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
