// Which fields the form shows and how it checks them, from the server's description of the page.

import { FIELD_OPTIONS } from "../generated/rules.ts";
import { type FormOptions, type FormPage, SETUP_AMOUNT } from "../generated/wire.ts";
import type { BrandName } from "./card/brand.ts";
import { FIELD_NAMES, type FieldName } from "./card/field.ts";
import type { FormConfig } from "./card/form.ts";
import { hasPostalPatterns } from "./card/postal-code.ts";

/** The machine's settings for `page`: its fields in their order (docs/form.md#layout) and its experiments. */
export function formConfig(page: FormPage): FormConfig {
  const { options, features, intent, available_brands } = page;
  const redesign = features["pop-646-card-form-ui-redesign"];
  const country = intent.paymentMethodCountryCode;
  const fields = FIELD_NAMES.filter((name) => isShown(name, options, country));
  // The redesign asks for the card first, the earlier layout for the name.
  const first: readonly FieldName[] = redesign ? [] : fields.filter((name) => name === "cardHolderName");
  // Cards can be saved if the experiment is on, the charge allows it and has a shopper id
  // (docs/saved-cards.md#when-they-are-offered).
  const savable =
    features["enable-save-payment-methods"] && intent.eligibleSavePaymentMethods && intent.shopperId !== "";
  const isSetup = intent.amountValue === SETUP_AMOUNT;
  return {
    isSetup,
    offersSavedCards: savable && intent.displaySavedPaymentMethodList,
    savedCardsCount: page.saved_cards_count,
    secretInAddress: page.standalone,
    offersSaving: !isSetup && savable && intent.enableSavePaymentMethod === true,
    saveCardText: intent.saveCardUsage === "off_session" ? "save_card_off_session" : "save_card",
    saysRemoved: features["enable-save-card-snackbar"],
    fields: [...first, ...fields.filter((field) => !first.includes(field))],
    experiments: {
      luhn: features["card-form-card-number-luhn-alg-validation"],
      securityCodeLength: features["card-form-card-security-length-limit-validation"],
      expiryLimit: features["card-form-card-expiry-date-limit-validation"],
    },
    country,
    prefill: Object.fromEntries(fields.flatMap((name) => prefillOf(name, options))),
    readOnlyEmail: options.cardholder_email_read_only === true,
    hidesTitle: options.hide_title === true,
    redesign,
    floatingLabels: page.floating_labels,
    availableBrands: available_brands as BrandName[],
    preferredNetworks: (options.preferred_networks ?? []) as BrandName[],
  };
}

/** The options about each field that is not always shown. */
const OPTIONS: Partial<Record<FieldName, readonly [shows: keyof FormOptions, prefill: keyof FormOptions]>> =
  FIELD_OPTIONS;

/** Whether the form has the field. With `auto` it has it if the card's country has a rule of its own. */
function isShown(name: FieldName, options: FormOptions, country: string): boolean {
  const [shows] = OPTIONS[name] ?? [];
  if (shows === undefined) return true;
  return options[shows] === true || (options[shows] === "auto" && hasPostalPatterns(country));
}

/** The field with its first text, if it has one. */
function prefillOf(name: FieldName, options: FormOptions): [FieldName, string][] {
  const [, prefill] = OPTIONS[name] ?? [];
  const text = prefill && options[prefill];
  return typeof text === "string" && text !== "" ? [[name, text]] : [];
}
