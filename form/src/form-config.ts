// Which fields the form shows and how it checks them, from the server's description of the page.

import type { FormPage } from "../generated/wire.ts";
import type { BrandName } from "./card/brand.ts";
import type { FieldName } from "./card/field.ts";
import type { FormConfig } from "./card/form.ts";

/** The machine's settings for `page`: its fields in their order (docs/form.md#layout) and its experiments. */
export function formConfig(page: FormPage): FormConfig {
  const { options, features, intent, available_brands } = page;
  const redesign = features["pop-646-card-form-ui-redesign"];
  const name: FieldName[] = options.show_cardholder_name ? ["cardHolderName"] : [];
  const email: FieldName[] = options.show_cardholder_email ? ["cardHolderEmail"] : [];
  const card: FieldName[] = ["cardNumber", "expiry", "security"];
  // Cards can be saved if the experiment is on, the charge allows it and has a shopper id
  // (docs/saved-cards.md#when-they-are-offered).
  const savable =
    features["enable-save-payment-methods"] && intent.eligibleSavePaymentMethods && intent.shopperId !== "";
  return {
    offersSavedCards: savable && intent.displaySavedPaymentMethodList,
    savedCardsCount: page.saved_cards_count,
    secretInAddress: page.standalone,
    offersSaving: savable && intent.enableSavePaymentMethod === true,
    saysRemoved: features["enable-save-card-snackbar"],
    fields: redesign ? [...card, ...name, ...email] : [...name, ...card, ...email],
    experiments: {
      luhn: features["card-form-card-number-luhn-alg-validation"],
      securityCodeLength: features["card-form-card-security-length-limit-validation"],
      expiryLimit: features["card-form-card-expiry-date-limit-validation"],
    },
    prefill: {
      ...(options.show_cardholder_name &&
        options.cardholder_name && { cardHolderName: options.cardholder_name }),
      ...(options.show_cardholder_email &&
        options.cardholder_email && { cardHolderEmail: options.cardholder_email }),
    },
    readOnlyEmail: options.cardholder_email_read_only === true,
    hidesTitle: options.hide_title === true,
    redesign,
    floatingLabels: page.floating_labels,
    availableBrands: available_brands as BrandName[],
  };
}
