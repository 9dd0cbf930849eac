// The page's names for the codes in the report.

import { BRAND_LABELS, FIELD_IDS } from "../../form/generated/rules.ts";
import type { ChargeOutcomes, VisitStep } from "../../form/generated/wire.ts";

export const STEPS: readonly { readonly step: VisitStep; readonly name: string; readonly hint: string }[] = [
  { step: "viewed", name: "Opened the page", hint: "Every visit" },
  { step: "started", name: "Started", hint: "Came into a field or chose a card" },
  { step: "ready", name: "Filled in", hint: "Everything was filled in" },
  { step: "submitted", name: "Submitted", hint: "Paid, or tried to" },
  { step: "paid", name: "Paid", hint: "The form said so" },
];

/** In the order in which the chart stacks them. */
export const OUTCOMES: readonly { readonly outcome: keyof ChargeOutcomes; readonly name: string }[] = [
  { outcome: "succeeded", name: "Paid" },
  { outcome: "declined", name: "Declined" },
  { outcome: "under_way", name: "Under way" },
  { outcome: "unknown", name: "Unknown" },
  { outcome: "unpaid", name: "Not tried" },
];

const FIELDS: Readonly<Record<string, string>> = {
  [FIELD_IDS.cardNumber]: "Card number",
  [FIELD_IDS.expiry]: "Expiry",
  [FIELD_IDS.security]: "Security code",
  [FIELD_IDS.cardHolderName]: "Cardholder name",
  [FIELD_IDS.cardPostalCode]: "Postal code",
  [FIELD_IDS.cardHolderEmail]: "Email",
  "saved-card-expiry": "Expired card’s new date",
  "saved-card-security-code": "Saved card’s security code",
  "": "No field",
};

const BRANDS: Readonly<Record<string, string>> = BRAND_LABELS;
const METHODS: Readonly<Record<string, string>> = { new_card: "New card", saved_card: "Saved card" };

export const fieldName = (id: string): string => FIELDS[id] ?? id;
export const brandName = (id: string): string => BRANDS[id] ?? id;
export const methodName = (id: string): string => METHODS[id] ?? id;

export const capitalized = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** "Refund requested" for "refund_requested". */
export const words = (code: string): string => capitalized(code.replaceAll(/[_.]/g, " "));

/** "Insufficient funds" for "insufficient_funds". */
export const declineName = (code: string): string =>
  code === "" ? "No known decline" : words(code.replace("cvc", "security code"));

/** "Card number: invalid length" for "CardNumber_Invalid_Length". */
export function errorName(id: string): string {
  const [field = "", ...rest] = id.split("_");
  const spaced = (text: string) => text.replaceAll(/(?<=[a-z])(?=[A-Z])/g, " ").toLowerCase();
  return `${capitalized(spaced(field))}: ${rest.map(spaced).join(" ")}`;
}
