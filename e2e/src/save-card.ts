// Makes a shopper with saved cards: the fields of the charge, and a payment that saves a card.

import { randomUUID } from "node:crypto";
import type { Browser } from "playwright-core";

import type { CreateCharge, CreatedCharge } from "../../form/generated/wire.ts";
import { openPage } from "./browser.ts";
import type { Service } from "./service.ts";
import { typeCard } from "./shopper.ts";

/** The fields of a charge whose shopper may save cards and pay with them. Each call names a new shopper. */
export function savedCardsCharge(): Partial<CreateCharge> {
  return {
    shopper_id: `saver-${randomUUID()}`,
    enable_save_payment_method: true,
    display_saved_payment_method_list: true,
    eligible_save_payment_methods: true,
  };
}

/** Pays `charge` with a new card on the payment page and saves the card. */
export async function saveCard(
  service: Service,
  browser: Browser,
  charge: Partial<CreateCharge>,
  number: string,
  code = "123",
  expiry = "1234",
): Promise<CreatedCharge> {
  const created = await service.merchant.createCharge(charge);
  const { page } = await openPage(browser);
  await page.goto(created.url);
  const newCardButton = page.locator("#pay-with-new-card");
  await page.locator("#card-number, .saved-card-radio").first().waitFor();
  if (await newCardButton.isVisible()) {
    await newCardButton.click();
  }
  await typeCard(page, page, number, expiry, code);
  await page.locator("#save-card").check();
  await page.click("#pay");
  await page.waitForSelector("#outcome[data-status=succeeded]");
  await page.context().close();
  return created;
}
