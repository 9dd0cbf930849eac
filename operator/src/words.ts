// The page's names for the report's codes, and how its numbers are written.

import { BRAND_LABELS, FIELD_IDS } from "../../form/generated/rules.ts";
import type { ChargeOutcomes, VisitStep } from "../../form/generated/wire.ts";

export const STEPS: readonly { readonly step: VisitStep; readonly name: string; readonly hint: string }[] = [
  { step: "viewed", name: "Opened the page", hint: "Every visit" },
  { step: "started", name: "Started", hint: "Came into a field or chose a card" },
  { step: "ready", name: "Filled in", hint: "Everything was filled in" },
  { step: "submitted", name: "Submitted", hint: "Paid, or tried to" },
  { step: "paid", name: "Paid", hint: "The form said so" },
];

/** In the order in which they are stacked. */
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
  [FIELD_IDS.cardHolderEmail]: "Email",
  "saved-card-security-code": "Saved card’s security code",
  "": "No field",
};

const BRANDS: Readonly<Record<string, string>> = BRAND_LABELS;
const METHODS: Readonly<Record<string, string>> = { new_card: "New card", saved_card: "Saved card" };

export const fieldName = (id: string): string => FIELDS[id] ?? id;
export const brandName = (id: string): string => BRANDS[id] ?? id;
export const methodName = (id: string): string => METHODS[id] ?? id;

/** "insufficient_funds" as "Insufficient funds". */
export function declineName(code: string): string {
  if (code === "") {
    return "No decline was told";
  }
  const words = code.replaceAll("_", " ").replace("cvc", "security code");
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** "CardNumber_Invalid_Length" as "Card number: invalid length". */
export function errorName(id: string): string {
  const [field = "", ...rest] = id.split("_");
  const spaced = (text: string) => text.replaceAll(/(?<=[a-z])(?=[A-Z])/g, " ").toLowerCase();
  const name = spaced(field);
  return `${name.charAt(0).toUpperCase()}${name.slice(1)}: ${rest.map(spaced).join(" ")}`;
}

const COUNT = new Intl.NumberFormat("en");
const SHARE = new Intl.NumberFormat("en", {
  style: "percent",
  minimumFractionDigits: 1,
  maximumFractionDigits: 1,
});

const CHANGE = new Intl.NumberFormat("en", {
  style: "percent",
  signDisplay: "exceptZero",
  maximumFractionDigits: 0,
});

export const count = (number: number): string => COUNT.format(number);

/** A share of nothing is shown as a dash. */
export const share = (part: number, whole: number): string =>
  whole === 0 ? "–" : SHARE.format(part / whole);

export const percent = (rate: number): string => SHARE.format(rate);

/** "$1,234.50" of "1234.50" and "USD", with all digits of the sum; the code where the browser knows no symbol. */
export function money(amount: string, currency: string): string {
  try {
    const format = new Intl.NumberFormat("en", { style: "currency", currency });
    // A text keeps digits that a number would lose; browsers that accept no texts get the number.
    return format.format(amount as unknown as number);
  } catch {
    return `${currency} ${amount}`;
  }
}

/** "+12 %" of what was before, "±0 %" of the same, "new" where there was nothing. */
export function change(now: number, before: number): string {
  if (before === 0) {
    return now === 0 ? "none" : "new";
  }
  return CHANGE.format((now - before) / before);
}

/** "1 visit", "2 visits". */
export const several = (number: number, noun: string): string =>
  `${count(number)} ${noun}${number === 1 ? "" : "s"}`;
