//! The data of a page: the properties that React renders, on the server and again in the browser.

use std::collections::BTreeMap;
use std::sync::Arc;

use rules::{Brand, PostalCountry};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use ts_rs::TS;

use crate::{
    Assignment, CardKey, ChargeIntent, ColorMode, EVENT_DATA_ENTRIES_MAX, EventData, Features, Tracking,
};

/// The cookie with the language that the shopper chose (docs/languages.md#the-cookie). The server and the page set it.
pub const LANGUAGE_COOKIE: &str = "i18n_redirected";

/// The only Trusted Types policy that creates a script address: that of the fraud prevention's script. The server
/// allows the policy by name, and the page creates it.
pub const FRAUD_SCRIPT_POLICY: &str = "cardform-fraud-script";

/// A page to render.
#[derive(Debug, Clone, Serialize, TS)]
#[serde(tag = "page", rename_all = "snake_case")]
pub enum Page {
    /// The card form.
    Form(Box<FormPage>),
    /// An error page.
    Error(ErrorPage),
}

/// The data that every page needs.
#[derive(Debug, Clone, Serialize, TS)]
pub struct PageContext {
    /// The page's locale: "en-US".
    pub locale: String,
    /// The language of its texts, for the document's `lang` and for number formats: "id-ID" for the locale "in-ID".
    pub iso: String,
    /// "ltr" or "rtl".
    pub dir: String,
    /// The texts by key, compiled from `locales/*.json`. A form has only the texts that it may show before the payment.
    #[ts(type = "Record<string, unknown>")]
    pub messages: Box<RawValue>,
    /// The application's version, the value of `window.cardformVersion`.
    pub version: String,
    /// The id of the page's build.
    pub build_id: String,
    /// Which languages have their own address. A page needs it to change its language.
    pub locale_strategy: LocaleStrategy,
    /// The attributes of the cookie with the chosen language: "Path=/; Max-Age=31536000; SameSite=Lax".
    pub locale_cookie: String,
}

/// Which languages have their own address, with the locale before the path (docs/languages.md#addresses).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, strum::EnumString, TS)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum LocaleStrategy {
    /// None. All languages share one address.
    NoPrefix,
    /// Every language. The root redirects to the reader's language.
    Prefix,
    /// Every language except the default, whose address is the root.
    PrefixExceptDefault,
    /// Every language. The root shows the reader's language.
    PrefixAndDefault,
}

/// The card form page.
#[derive(Debug, Clone, Serialize, TS)]
pub struct FormPage {
    /// The data that every page needs.
    pub context: Arc<PageContext>,
    /// The charge to pay.
    pub intent: ChargeIntent,
    /// Whether the page has no parent frame. A standalone page also shows the item, the pay button and the outcome.
    pub standalone: bool,
    /// What has no effect or was changed in the options and the theme. The page writes it to the console, for the merchant's
    /// developer.
    pub notes: Vec<String>,
    /// The merchant that the shopper pays. Only on the payment page, because a merchant's own page shows its name
    /// itself.
    pub payee: Option<Arc<Payee>>,
    /// The amount in the locale's format, for display only.
    pub amount_text: String,
    /// The options of the integration.
    pub options: FormOptions,
    /// Which experiments are on.
    pub features: Features,
    /// The experiments that the shopper takes part in.
    pub experiments: Vec<Assignment>,
    /// The shopper's id for experiments: `cookie_id` of the options, the cookie `coda-cookie-id`, or a new id that was
    /// written to that cookie.
    pub cookie_id: String,
    /// The brands that are shown before the number shows its own, the value of `card-form-card-brand-icon-config`.
    #[ts(type = "Array<string>")]
    pub available_brands: Vec<Brand>,
    /// The fraud prevention's script; null without a site id or without a configured script.
    pub fraud_script: Option<FraudScript>,
    /// The URL that answers with the client's IP address (docs/calls.md#client-address).
    pub ip_lookup_url: String,
    /// The origins whose messages the form accepts; empty for any.
    pub allowed_origins: Vec<String>,
    /// How many saved cards the list will show, so that the page reserves space for them before they are loaded. Null
    /// if the form does not offer saved cards, or if the payload is not signed.
    pub saved_cards_count: Option<u8>,
    /// Whether the theme has labels inside the inputs, above the typed text.
    pub floating_labels: bool,
    /// How long the collection of device data may take, in milliseconds; null if none is collected.
    pub device_data_timeout_ms: Option<u32>,
    /// The settings of the page's events; null if tracking is off.
    pub tracking: Option<Arc<Tracking>>,
    /// The address of the page's calls.
    pub service: ServiceAddress,
    /// The key that seals card fields; null if the page calls another service, whose key is unknown here.
    pub card_key: Option<Arc<CardKey>>,
    /// Whether a card that cannot be sealed may be sent as it was typed.
    pub accepts_plain_cards: bool,
    /// The time at which the shopper's way to the page began, in milliseconds since 1970; null if the link does not
    /// name it.
    #[ts(type = "number | null")]
    pub init_time_ms: Option<u64>,
}

/// The header with which a form in a frame requests its page again, to change it in place. The value is the origin of
/// the embedding page, or empty if the form does not know it.
pub const PAGE_UPDATE_HEADER: &str = "cardform-page-update";

/// The answer to a request with [`PAGE_UPDATE_HEADER`].
#[derive(Debug, Clone, Serialize, TS)]
pub struct PageUpdate {
    /// The page, with the charge's current data from the database.
    pub page: FormPage,
    /// The theme's style sheet.
    pub theme: String,
    /// The light or the dark colors.
    pub color_mode: ColorMode,
}

/// The merchant that the shopper pays, from the database and never from the page's address.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct Payee {
    /// The merchant's name.
    pub name: String,
    /// The path of the merchant's logo on our own origin.
    pub logo: Option<String>,
    /// The merchant's website.
    pub website: Option<String>,
}

/// The address of the page's calls: our own origin, or a dynamic environment (docs/calls.md#dynamic-environments).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, TS)]
pub struct ServiceAddress {
    /// The text before the path of a call: empty for our own origin, otherwise the other origin with its port.
    pub base: String,
    /// The full address of the direct charge; its path differs in a dynamic environment.
    pub direct_charges: String,
}

/// Our own origin.
impl Default for ServiceAddress {
    fn default() -> Self {
        Self {
            base: String::new(),
            direct_charges: "/v1/pub/direct/charges".to_owned(),
        }
    }
}

impl ServiceAddress {
    /// The service at `base`, an origin, in a dynamic environment.
    pub fn dynamic(base: String) -> Self {
        Self {
            direct_charges: format!("{base}/direct/charges"),
            base,
        }
    }
}

/// The fraud prevention's script for a merchant's site, and the cookie with the script's token.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, TS)]
pub struct FraudScript {
    /// The script's address.
    pub url: String,
    /// The token's cookie.
    pub cookie: String,
    /// The attributes of the cookie: "Path=/; Max-Age=34560000; SameSite=Lax", 400 days.
    pub cookie_attributes: String,
}

/// An error page (docs/form.md#error-pages).
#[derive(Debug, Clone, Serialize, TS)]
pub struct ErrorPage {
    /// The data that every page needs.
    pub context: Arc<PageContext>,
    /// The HTTP status.
    pub status: u16,
    /// The error, which is shown before the description: "Page not found: /nowhere".
    pub message: Option<String>,
    /// The text for the reader; the default text of the status if absent.
    pub description: Option<String>,
}

/// The options of an integration, from the `options` query parameter (docs/form.md#options). Unknown keys are ignored.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(default)]
pub struct FormOptions {
    /// The shopper's cookie id for experiments.
    pub cookie_id: Option<String>,
    /// The token of `GET /v1/pub/experiment-token`, for a shopper who comes from a page on another host. Only the
    /// server reads it.
    #[serde(skip_serializing)]
    #[ts(skip)]
    pub experiment_token: Option<serde_json::Value>,
    /// Whether to ask for the cardholder's name.
    pub show_cardholder_name: bool,
    /// Whether to ask for the cardholder's email.
    pub show_cardholder_email: bool,
    /// The first value of the email field.
    pub cardholder_email: Option<String>,
    /// The first value of the name field.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub cardholder_name: Option<String>,
    /// Whether the shopper cannot change a prefilled email.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    #[ts(optional, as = "Option<bool>")]
    pub cardholder_email_read_only: bool,
    /// Whether to ask for the postal code.
    #[serde(skip_serializing_if = "ShowPostalCode::is_never")]
    #[ts(optional, as = "Option<ShowPostalCode>")]
    pub show_postal_code: ShowPostalCode,
    /// The first value of the postal code's field.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub postal_code: Option<String>,
    /// The networks that the merchant prefers, the first one most: the preselected choice of a card with two networks.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[ts(optional, as = "Option<Vec<String>>")]
    pub preferred_networks: Vec<Brand>,
    /// Whether a form in a frame shows no title. Screen readers still read it.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    #[ts(optional, as = "Option<bool>")]
    pub hide_title: bool,
    /// The merchant's own texts for a form in a frame, by locale. Texts under the empty name are for every language.
    #[serde(skip_serializing_if = "OwnTexts::is_empty", deserialize_with = "own_texts")]
    #[ts(optional, as = "Option<OwnTexts>")]
    pub texts: OwnTexts,
    /// The form's locale.
    pub locale: Option<String>,
    /// The fraud-prevention site.
    pub site_id: Option<String>,
    /// Which set of messages the form sends and accepts.
    pub variant: Option<Variant>,
    /// Corrects colors with too little contrast.
    pub contrast: Option<Contrast>,
    /// `light` and `dark` force these colors. With `system` the shopper's preference decides, which is the operating
    /// system's until the shopper chooses one.
    pub color_mode: Option<ColorMode>,
    /// The background behind the form on the embedding page: a color, `rgb(24, 26, 32)`, or `text rgb(255, 255, 255)`, the
    /// color of the text on a background that is no single color, or the page's `color-scheme`.
    /// The background decides whether the form is light or dark, and the form's labels contrast with it.
    pub host_background: Option<String>,
    /// False switches the page's events off.
    pub tracking: Option<bool>,
    /// The merchant's own attributes, which are added to every event (docs/tracking.md#metadata). Values other than
    /// texts, numbers and flags are left out.
    #[serde(deserialize_with = "flat_entries")]
    pub event_attributes: Option<EventData>,
    /// Forces experiments; used in demo mode only.
    pub features: Option<BTreeMap<String, bool>>,
}

/// Whether the form asks for the postal code.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(untagged)]
pub enum ShowPostalCode {
    /// Always or never.
    Fixed(bool),
    /// If the card's country checks it: US, CA and GB.
    ByCountry(ByCountry),
}

/// The word for [`ShowPostalCode::ByCountry`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "lowercase")]
#[ts(rename_all = "lowercase")]
pub enum ByCountry {
    /// `auto`.
    Auto,
}

impl Default for ShowPostalCode {
    fn default() -> Self {
        Self::Fixed(false)
    }
}

impl ShowPostalCode {
    /// Whether a form for cards of `country` asks for the postal code. The country is `None` if its postal codes have
    /// no patterns.
    pub fn shows(self, country: Option<PostalCountry>) -> bool {
        match self {
            Self::Fixed(shows) => shows,
            Self::ByCountry(ByCountry::Auto) => country.is_some(),
        }
    }

    #[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
    fn is_never(&self) -> bool {
        *self == Self::default()
    }
}

/// The texts, numbers and flags of an object, as many as an event may have. Other values are ignored, so that they do
/// not make the other options unusable.
fn flat_entries<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Option<EventData>, D::Error> {
    let serde_json::Value::Object(entries) = serde_json::Value::deserialize(deserializer)? else {
        return Ok(None);
    };
    let flat = entries
        .into_iter()
        .filter_map(|(name, value)| Some((name, serde_json::from_value(value).ok()?)));
    Ok(Some(flat.take(EVENT_DATA_ENTRIES_MAX).collect()))
}

/// Texts by locale and key.
pub(crate) type OwnTexts = BTreeMap<String, BTreeMap<String, String>>;

/// The most texts that a merchant can replace, and the most characters of each.
const OWN_TEXTS_MAX: usize = 100;
const OWN_TEXT_CHARACTERS_MAX: usize = 200;

/// Reads `{"card_number": "…"}` for every language, or `{"fr-FR": {"card_number": "…"}}`. Other values are ignored.
fn own_texts<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<OwnTexts, D::Error> {
    let mut own = OwnTexts::new();
    let serde_json::Value::Object(entries) = serde_json::Value::deserialize(deserializer)? else {
        return Ok(own);
    };
    let named = entries.into_iter().flat_map(|(name, value)| match value {
        serde_json::Value::Object(texts) => texts
            .into_iter()
            .map(|(key, text)| (name.clone(), key, text))
            .collect(),
        text => vec![(String::new(), name, text)],
    });
    let usable = named.filter_map(|(locale, key, text)| match text {
        serde_json::Value::String(text) if is_plain(&text) => Some((locale, key, text)),
        _ => None,
    });
    for (locale, key, text) in usable.take(OWN_TEXTS_MAX) {
        own.entry(locale).or_default().insert(key, text);
    }
    Ok(own)
}

/// Whether a merchant's own text can have this value.
pub fn is_own_text(value: &serde_json::Value) -> bool {
    value.as_str().is_some_and(is_plain)
}

fn is_plain(text: &str) -> bool {
    text.chars().count() <= OWN_TEXT_CHARACTERS_MAX && !text.chars().any(char::is_control)
}

/// Which list of messages the form uses.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "lowercase")]
pub enum Variant {
    /// The hosted variant's, with the prefix `card-form:` (docs/messages.md#hosted-variant).
    Hosted,
}

/// The contrast that a merchant's colors must have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
pub enum Contrast {
    /// That of WCAG's level AA.
    #[serde(rename = "AA")]
    Aa,
}

#[cfg(test)]
mod tests;
