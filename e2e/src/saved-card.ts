// A shopper with saved cards: what the merchant asks for, and paying once so that a card is saved.

import { randomUUID } from "node:crypto";
import type { Browser } from "playwright-core";

import type { CreateCharge, CreatedCharge } from "../../form/generated/wire.ts";
import { openPage } from "./browser.ts";
import type { Service } from "./service.ts";
import { typeCard } from "./shopper.ts";

/** What a merchant asks for whose shopper, a new one each time, may save cards. */
export function savingCharge(): Partial<CreateCharge> {
  return {
    shopper_id: `saver-${randomUUID()}`,
    enable_save_payment_method: true,
    display_saved_payment_method_list: true,
    eligible_save_payment_methods: true,
  };
}

/** Pays `charge` with a new card on the payment page and has the card saved. */
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
  const toNew = page.locator("#pay-with-new-card");
  await page.locator("#card-number, .saved-card-radio").first().waitFor();
  if (await toNew.isVisible()) {
    await toNew.click();
  }
  await typeCard(page, page, number, expiry, code);
  await page.locator("#save-card").check();
  await page.click("#pay");
  await page.waitForSelector("#outcome[data-status=succeeded]");
  await page.context().close();
  return created;
}
