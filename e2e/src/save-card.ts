// Makes a shopper with saved cards: the fields of the charge, and a payment that saves a card.

import { randomUUID } from "node:crypto";

import type { CreateCharge, CreatedCharge, DirectCharge } from "../../form/generated/wire.ts";
import { callService, type Service } from "./service.ts";

/** The fields of a charge whose shopper may save cards and pay with them. Each call names a new shopper. */
export function savedCardsCharge(): Partial<CreateCharge> {
  return {
    shopper_id: `saver-${randomUUID()}`,
    enable_save_payment_method: true,
    display_saved_payment_method_list: true,
    eligible_save_payment_methods: true,
  };
}

/** Pays `charge` with a new card and saves the card, as the page would. */
export async function saveCard(
  service: Service,
  charge: Partial<CreateCharge>,
  number: string,
  code = "123",
  expiry = "1234",
): Promise<CreatedCharge> {
  const created = await service.merchant.createCharge(charge);
  const view = await service.merchant.charge(created.id);
  const body: DirectCharge = {
    charge_id: created.id,
    item_code: view.item_code,
    item_name: view.item_name,
    amount_value: view.amount_value,
    amount_currency: view.amount_currency,
    partner_reference: view.partner_reference,
    shopper_agent: {
      ip_address: "",
      user_agent: "Chromium",
      timezone: 0,
      screen_height: 800,
      screen_width: 400,
      color_depth: 24,
      accept_header: "text/html",
      fraud_metadata: { fraud_token: "" },
    },
    setting: {
      default_language: "en",
      card: { capture_grace_period: 0, three_ds_challenge_window_size: "390x400" },
    },
    tax: { tax_code: "CD010001" },
    payment_method: {
      type: "card",
      save_payment_method: true,
      card: {
        number,
        expiration_month: expiry.slice(0, 2),
        expiration_year: `20${expiry.slice(2)}`,
        security_code: code,
      },
      shopper: { id: charge.shopper_id ?? "" },
    },
    partner_custom_data: {
      merchant_id: null,
      merchant_name: null,
      merchant_email: null,
      merchant_user_id: null,
      mno_id: null,
    },
  };
  const paid = await callService<{ status_code: string }>(
    "POST",
    `${service.url}/v1/pub/direct/charges`,
    body,
    {
      authorization: `Bearer ${created.client_secret}`,
      "partner-id": service.partnerId,
      "idempotency-key": randomUUID(),
    },
  );
  if (paid.status_code !== "succeeded") {
    throw new Error(`the card was not saved: ${JSON.stringify(paid)}`);
  }
  return created;
}
