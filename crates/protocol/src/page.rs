//! What the server gives to the page: the properties that React renders, on the server and again in the browser.

use std::collections::BTreeMap;

use rules::Brand;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::{
    Assignment, CardKey, ChargeIntent, ColorMode, EVENT_DATA_ENTRIES_MAX, EventData, Features, SharedJson,
    ThemeReport, Tracking,
};

/// The cookie with the language that the shopper chose (docs/languages.md#the-cookie). The server and the page set it.
pub const LANGUAGE_COOKIE: &str = "i18n_redirected";

/// The only Trusted Types policy that creates a script address, the fraud prevention's. The server allows it by name, and
/// the page creates it.
pub const FRAUD_SCRIPT_POLICY: &str = "cardform-fraud-script";

/// A page to render.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(tag = "page", rename_all = "snake_case")]
pub enum Page {
    /// The card form.
    Form(Box<FormPage>),
    /// An error page.
    Error(ErrorPage),
}

/// What every page needs.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct PageContext {
    /// The page's locale: "en-US".
    pub locale: String,
    /// The language of its texts, for the document's `lang` and for number formats: "id-ID" for the locale "in-ID".
    pub iso: String,
    /// "ltr" or "rtl".
    pub dir: String,
    /// The texts by key, compiled from `locales/*.json`. A form has only those that may be shown before it pays.
    #[cfg_attr(feature = "typescript", ts(type = "Record<string, unknown>"))]
    pub messages: Box<RawValue>,
    /// The application's version, shown on `window.cardformVersion`.
    pub version: String,
    /// The page build's id.
    pub build_id: String,
    /// Which languages have an address of their own; a page that changes its language needs it.
    pub locale_strategy: LocaleStrategy,
    /// The attributes of the cookie that keeps a chosen language: "Path=/; Max-Age=31536000; SameSite=Lax".
    pub locale_cookie: String,
}

/// Which languages have an address of their own, the locale in front of the path (docs/languages.md#addresses).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum LocaleStrategy {
    /// None: one address for all languages.
    NoPrefix,
    /// Every language, and the root redirects to the reader's.
    Prefix,
    /// Every language except the default, whose address is the root.
    PrefixExceptDefault,
    /// Every language, and the root shows the reader's.
    PrefixAndDefault,
}

impl LocaleStrategy {
    /// Reads its name: `prefix_and_default`.
    pub fn from_name(name: &str) -> Option<Self> {
        match name {
            "no_prefix" => Some(Self::NoPrefix),
            "prefix" => Some(Self::Prefix),
            "prefix_except_default" => Some(Self::PrefixExceptDefault),
            "prefix_and_default" => Some(Self::PrefixAndDefault),
            _ => None,
        }
    }
}

/// The card form page.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct FormPage {
    /// What every page needs.
    #[cfg_attr(feature = "typescript", ts(as = "PageContext"))]
    pub context: SharedJson<PageContext>,
    /// The charge to pay.
    pub intent: ChargeIntent,
    /// Whether the page has no parent frame; it then shows what is paid, the pay button and the outcome.
    pub standalone: bool,
    /// Whether the options name a locale without texts; the page logs this for the merchant's developer.
    pub locale_is_unknown: bool,
    /// The merchant that the shopper pays; only on the payment page, because a merchant's own page shows its name
    /// itself.
    #[cfg_attr(feature = "typescript", ts(as = "Option<Payee>"))]
    pub payee: Option<SharedJson<Payee>>,
    /// The amount in the locale's format, for display only.
    pub amount_text: String,
    /// Options of the integration.
    pub options: FormOptions,
    /// Which experiments are on.
    pub features: Features,
    /// The experiments that the shopper takes part in.
    pub experiments: Vec<Assignment>,
    /// The shopper's id for experiments: `cookie_id` of the options, the cookie `coda-cookie-id`, or a new id that was
    /// written to that cookie.
    pub cookie_id: String,
    /// The brands that are shown before one is detected, the value of `card-form-card-brand-icon-config`.
    #[cfg_attr(feature = "typescript", ts(type = "Array<string>"))]
    pub available_brands: Vec<Brand>,
    /// The script of the fraud prevention; null without a site id or without a configured script.
    pub fraud_script: Option<FraudScript>,
    /// The look-up of the client's address (docs/calls.md#client-address).
    pub ip_lookup_url: String,
    /// The origins that may drive the form; empty for any.
    pub allowed_origins: Vec<String>,
    /// How many saved cards the list will show, so that their place has the right size before they are loaded. Null if
    /// the form does not offer saved cards, or if the payload is not signed.
    pub saved_cards_count: Option<u8>,
    /// The result of reading the merchant's theme.
    #[cfg_attr(feature = "typescript", ts(as = "ThemeReport"))]
    pub theme: SharedJson<ThemeReport>,
    /// Whether the theme has labels inside the inputs, above the typed text.
    pub floating_labels: bool,
    /// How long collecting device data may take, in milliseconds; null if none is collected.
    pub device_data_timeout_ms: Option<u32>,
    /// Where the page sends its events; null if tracking is off.
    #[cfg_attr(feature = "typescript", ts(as = "Option<Tracking>"))]
    pub tracking: Option<SharedJson<Tracking>>,
    /// Where the page sends its calls.
    pub service: ServiceAddress,
    /// The key for sealing card fields; null if the page calls another service, whose key is not known here.
    #[cfg_attr(feature = "typescript", ts(as = "Option<CardKey>"))]
    pub card_key: Option<SharedJson<CardKey>>,
    /// Whether a card that cannot be sealed may be sent as it was typed.
    pub accepts_plain_cards: bool,
    /// When the shopper's way to the page began, in milliseconds since 1970, as the link says it; null where it does not.
    #[cfg_attr(feature = "typescript", ts(type = "number | null"))]
    pub init_time_ms: Option<u64>,
}

/// The header with which a form in a frame asks for its page anew, to change in place. Its value is the origin of the
/// embedding page, or empty where the form does not know it.
pub const PAGE_UPDATE_HEADER: &str = "cardform-page-update";

/// The answer to such a request.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct PageUpdate {
    /// The page, with the charge as the books have it now.
    pub page: FormPage,
    /// The theme's style sheet.
    pub theme: String,
    /// Light or dark.
    pub color_mode: ColorMode,
}

/// Whom the shopper pays, from the server's books and never from the page's address.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Payee {
    /// The merchant's name.
    pub name: String,
    /// The path of its logo on our own origin.
    pub logo: Option<String>,
    /// Its website.
    pub website: Option<String>,
}

/// Where the page's calls go: our own origin, or a dynamic environment (docs/calls.md#dynamic-environments).
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct ServiceAddress {
    /// The text before the path of a call: empty for our own origin, otherwise the other origin with its port.
    pub base: String,
    /// The full address of the direct charge; its path differs in a dynamic environment.
    pub direct_charges: String,
}

impl ServiceAddress {
    /// Our own origin.
    pub fn own() -> Self {
        Self {
            base: String::new(),
            direct_charges: "/v1/pub/direct/charges".to_owned(),
        }
    }

    /// The service at `base`, an origin, in a dynamic environment.
    pub fn dynamic(base: String) -> Self {
        Self {
            direct_charges: format!("{base}/direct/charges"),
            base,
        }
    }
}

impl Default for ServiceAddress {
    fn default() -> Self {
        Self::own()
    }
}

/// The fraud prevention's script for a merchant's site, and the cookie that keeps its token.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct FraudScript {
    /// The script's address.
    pub url: String,
    /// The token's cookie.
    pub cookie: String,
    /// The attributes of the cookie: "Path=/; Max-Age=34560000; SameSite=Lax", 400 days.
    pub cookie_attributes: String,
}

/// An error page (docs/form.md#error-pages).
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct ErrorPage {
    /// What every page needs.
    #[cfg_attr(feature = "typescript", ts(as = "PageContext"))]
    pub context: SharedJson<PageContext>,
    /// The HTTP status.
    pub status: u16,
    /// What happened, shown before the description: "Page not found: /nowhere".
    pub message: Option<String>,
    /// The text for the reader; the default text of the status if absent.
    pub description: Option<String>,
}

/// Options of an integration, from the `options` query parameter (docs/form.md#options).
/// Unknown keys are ignored.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(default)]
pub struct FormOptions {
    /// The shopper's cookie id for experiments.
    pub cookie_id: Option<String>,
    /// The token of `GET /v1/pub/experiment-token`, for a shopper who comes from a page hosted elsewhere; the page itself
    /// does not need it.
    #[serde(skip_serializing)]
    #[cfg_attr(feature = "typescript", ts(skip))]
    pub experiment_token: Option<serde_json::Value>,
    /// Whether to ask for the cardholder's name.
    pub show_cardholder_name: bool,
    /// Whether to ask for the cardholder's email.
    pub show_cardholder_email: bool,
    /// The first value of the email field.
    pub cardholder_email: Option<String>,
    /// The first value of the name field.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(optional))]
    pub cardholder_name: Option<String>,
    /// Whether the shopper cannot change a prefilled email.
    #[serde(skip_serializing_if = "is_false")]
    #[cfg_attr(feature = "typescript", ts(optional, as = "Option<bool>"))]
    pub cardholder_email_read_only: bool,
    /// Whether a form in a frame shows no title. Screen readers still read it.
    #[serde(skip_serializing_if = "is_false")]
    #[cfg_attr(feature = "typescript", ts(optional, as = "Option<bool>"))]
    pub hide_title: bool,
    /// The merchant's own words for texts of a form in a frame, by locale; those under the empty name are for every
    /// language.
    #[serde(skip_serializing_if = "OwnTexts::is_empty", deserialize_with = "own_texts")]
    #[cfg_attr(feature = "typescript", ts(optional, as = "Option<OwnTexts>"))]
    pub texts: OwnTexts,
    /// The locale to speak.
    pub locale: Option<String>,
    /// The fraud-prevention site.
    pub site_id: Option<String>,
    /// Which set of messages the form sends and accepts.
    pub variant: Option<Variant>,
    /// "AA" corrects colors with too little contrast.
    pub contrast: Option<String>,
    /// Forces the light or the dark colors. `system` forces nothing: the shopper's preference decides, which is the
    /// operating system's until the shopper chooses one.
    pub color_mode: Option<ColorMode>,
    /// The background behind the form on the embedding page: a color, `rgb(24, 26, 32)`, or the page's `color-scheme`.
    /// It decides whether the form is light or dark, and its labels must contrast with it.
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

/// The texts, numbers and flags of an object, as many as an event may have. Anything else in it is ignored and does not
/// affect the other options.
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

/// How many texts a merchant can replace, and how long each can be.
const OWN_TEXTS_MAX: usize = 100;
const OWN_TEXT_CHARACTERS_MAX: usize = 200;

/// `{"card_number": "…"}` for every language, or `{"fr-FR": {"card_number": "…"}}`. Anything else in it is ignored.
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

fn is_plain(text: &str) -> bool {
    text.chars().count() <= OWN_TEXT_CHARACTERS_MAX && !text.chars().any(char::is_control)
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_false(flag: &bool) -> bool {
    !flag
}

/// Which list of messages the form speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "lowercase")]
pub enum Variant {
    /// The hosted variant's, with the prefix `card-form:` (docs/messages.md#hosted-variant).
    Hosted,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_is_one_that_can_be_switched() {
        let mut features = Features::default();
        for name in Features::NAMES {
            features.set(name, true);
        }
        assert_eq!(features, Features::SHIPPED);
        let on = serde_json::to_value(features).unwrap();
        assert!(Features::NAMES.iter().all(|name| on[name] == true));
    }
}
