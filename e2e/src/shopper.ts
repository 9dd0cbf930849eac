// Fills in a card form as a shopper does.

import type { FrameLocator, Locator, Page } from "playwright-core";

/** The simulator's test cards, and one number with a wrong digit. */
export const CARDS = {
  approved: "4242424242424242",
  mastercard: "5555555555554444",
  americanExpress: "378282246310005",
  challenge: "4000000000003220",
  challengeThenDeclined: "4000008400001629",
  softDecline: "4000002500003155",
  frictionless: "4000000000003055",
  declined: "4000000000000002",
  insufficientFunds: "4000000000009995",
  expired: "4000000000000069",
  wrongCode: "4000000000000127",
  wrongZip: "4000000000010142",
  cartesBancairesAndVisa: "4000002500001001",
  dankortAndVisa: "4571000000000001",
  mada: "5888450000000003",
  processingError: "4000000000000119",
  /** The last digit is wrong, so it fails the Luhn check. */
  mistyped: "4242424242424241",
} as const;

/** A page or a frame with a card form. */
export type FormPlace = Page | FrameLocator;

/** The form in the frame of a merchant's page. */
export function formIn(page: Page): FrameLocator {
  return page.frameLocator("iframe");
}

export function field(place: FormPlace, id: string): Locator {
  return place.locator(`#${id}`);
}

/** Types a card key by key. The previous content of the fields is replaced. */
export async function typeCard(place: FormPlace, page: Page, number: string, expiry = "1234", code = "123") {
  await replace(field(place, "card-number"), page, number);
  await replace(field(place, "card-expiry"), page, expiry);
  await replace(field(place, "card-security-code"), page, code);
}

async function replace(input: Locator, page: Page, text: string) {
  await input.click();
  await page.keyboard.press("ControlOrMeta+A");
  await page.keyboard.press("Delete");
  await page.keyboard.type(text);
}
