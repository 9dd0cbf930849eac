//! The names of the form's six fields, and the rule of each field.

use crate::{
    Brand, Month, PostalCountry, Verdict, expiry, holder_email, holder_name, number, postal_code,
    security_code,
};

/// A field of the card form (docs/rules.md).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Field {
    /// The card number.
    CardNumber,
    /// The expiry.
    Expiry,
    /// The security code.
    SecurityCode,
    /// The cardholder's name.
    HolderName,
    /// The postal code of the billing address.
    PostalCode,
    /// The cardholder's email.
    HolderEmail,
}

/// The names of a field in Rust and TypeScript. A new field is a variant of [`Field`], a row of [`TABLE`] and a rule in
/// [`judge`].
#[derive(Debug, PartialEq, Eq)]
pub struct FieldNames {
    /// The field.
    pub field: Field,
    /// The field's name in the form's state.
    pub name: &'static str,
    /// The id of the field's input, which is also the field's name in messages and events (docs/form.md#element-ids).
    pub id: &'static str,
    /// The field's key in `customStyle` (docs/form.md#theme).
    pub theme_key: &'static str,
    /// The key of the label's text in `locales/`.
    pub label: &'static str,
    /// The value of the input's `autocomplete`.
    pub autofill: &'static str,
    /// The keyboard that phones show: `numeric`, `text` or `email`.
    pub keyboard: &'static str,
    /// Whether the input shows an example while it is empty.
    pub has_placeholder: bool,
    /// The page's options for the field; `None` for a field that is always shown.
    pub options: Option<FieldOptions>,
    /// The fields of a direct charge that contain the value.
    pub request: &'static [&'static str],
    /// The prefix of the field's error ids.
    pub errors: &'static str,
}

/// The options of a page for one field.
#[derive(Debug, PartialEq, Eq)]
pub struct FieldOptions {
    /// The option that shows the field.
    pub shows: &'static str,
    /// The option with the field's first text.
    pub prefill: &'static str,
}

/// Every field, in the order of [`Field::ALL`].
pub static TABLE: [FieldNames; Field::ALL.len()] = [
    FieldNames {
        field: Field::CardNumber,
        name: "cardNumber",
        id: "card-number",
        theme_key: "cardNumber",
        label: "card_number",
        autofill: "cc-number",
        keyboard: "numeric",
        has_placeholder: true,
        options: None,
        request: &["payment_method.card.number"],
        errors: "CardNumber_",
    },
    FieldNames {
        field: Field::Expiry,
        name: "expiry",
        id: "card-expiry",
        theme_key: "cardExpiry",
        label: "card_expiry",
        autofill: "cc-exp",
        keyboard: "numeric",
        has_placeholder: true,
        options: None,
        request: &[
            "payment_method.card.expiration_month",
            "payment_method.card.expiration_year",
        ],
        errors: "CardExpiry_",
    },
    FieldNames {
        field: Field::SecurityCode,
        name: "security",
        id: "card-security-code",
        theme_key: "cardSecurityCode",
        label: "card_security_code",
        autofill: "cc-csc",
        keyboard: "numeric",
        has_placeholder: false,
        options: None,
        request: &["payment_method.card.security_code"],
        errors: "CardSecurityCode_",
    },
    FieldNames {
        field: Field::HolderName,
        name: "cardHolderName",
        id: "card-holder-name",
        theme_key: "cardHolderName",
        label: "card_holder_name",
        autofill: "cc-name",
        keyboard: "text",
        has_placeholder: false,
        options: Some(FieldOptions {
            shows: "show_cardholder_name",
            prefill: "cardholder_name",
        }),
        request: &["payment_method.card.holder_name"],
        errors: "CardHolderName_",
    },
    FieldNames {
        field: Field::PostalCode,
        name: "cardPostalCode",
        id: "card-postal-code",
        theme_key: "cardPostalCode",
        label: "card_postal_code",
        autofill: "postal-code",
        keyboard: "text",
        has_placeholder: false,
        options: Some(FieldOptions {
            shows: "show_postal_code",
            prefill: "postal_code",
        }),
        request: &["payment_method.shopper.zip_code"],
        errors: "CardPostalCode_",
    },
    FieldNames {
        field: Field::HolderEmail,
        name: "cardHolderEmail",
        id: "card-holder-email",
        theme_key: "cardHolderEmail",
        label: "card_holder_email",
        autofill: "email",
        keyboard: "email",
        has_placeholder: false,
        options: Some(FieldOptions {
            shows: "show_cardholder_email",
            prefill: "cardholder_email",
        }),
        request: &["payment_method.shopper.email"],
        errors: "CardHolderEmail_",
    },
];

impl Field {
    /// Every field. Those of the card are first.
    pub const ALL: [Self; 6] = [
        Self::CardNumber,
        Self::Expiry,
        Self::SecurityCode,
        Self::HolderName,
        Self::PostalCode,
        Self::HolderEmail,
    ];

    /// The field's row of [`TABLE`].
    pub const fn names(self) -> &'static FieldNames {
        &TABLE[self as usize]
    }

    /// The field's name in the form's state.
    pub const fn name(self) -> &'static str {
        self.names().name
    }

    /// The id of the field's input, which is also the field's name in messages and events (docs/form.md#element-ids).
    pub const fn id(self) -> &'static str {
        self.names().id
    }
}

/// The experiments that change rules (docs/experiments.md#the-eight).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RuleExperiments {
    /// `card-form-card-number-luhn-alg-validation`.
    pub luhn: bool,
    /// `card-form-card-security-length-limit-validation`.
    pub security_code_length: bool,
    /// `card-form-card-expiry-date-limit-validation`.
    pub expiry_limit: bool,
}

/// The values that a rule needs in addition to the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Context {
    /// The experiments that are on.
    pub experiments: RuleExperiments,
    /// The current month.
    pub today: Month,
    /// The brand of the card number or of the saved card; the rule of the security code needs it.
    pub brand: Option<Brand>,
    /// The card's country, if its postal codes have patterns.
    pub postal_country: Option<PostalCountry>,
}

/// Checks `text` with the rule of `field`, while the shopper types.
pub fn judge(field: Field, text: &str, context: Context) -> Verdict {
    let Context {
        experiments,
        today,
        brand,
        postal_country,
    } = context;
    match field {
        Field::CardNumber => number::verdict(text, experiments.luhn),
        Field::Expiry => expiry::verdict(text, today, experiments.expiry_limit),
        Field::SecurityCode => security_code::verdict(text, brand, experiments.security_code_length),
        Field::HolderName => holder_name::verdict(text),
        Field::PostalCode => postal_code::verdict(text, postal_country),
        Field::HolderEmail => holder_email::verdict(text),
    }
}

#[cfg(test)]
mod tests;
