//! What the form's page is told, put together in one place: from its address, the settings, and what the service decided for
//! this visit. The service serves it, and `cardform evidence verify` compares it with what is served somewhere.

use rules::Brand;
use wire::{
    Assignment, CardKey, ChargeIntent, ColorMode, Features, FormOptions, FormPage, Payee, ServiceAddress,
};

use super::Pages;
use super::Settings;
use super::amount::amount_text;
use super::document::context;
use super::language::Language;
use super::query::FormQuery;
use super::theme::{Host, Setting, Theme};

/// Whose page it is, and how it is reached.
pub struct Site<'a> {
    /// What renders it.
    pub pages: &'a Pages,
    /// What the operator has set.
    pub settings: &'a Settings<'a>,
    /// The one that it speaks.
    pub language: &'a Language,
    /// Whether shoppers come over https.
    pub is_https: bool,
}

/// What an address does not say of its page.
pub struct Decided {
    /// As the books have it, where they do.
    pub intent: ChargeIntent,
    /// Whom one pays, on a payment page.
    pub payee: Option<Payee>,
    /// Whether it is a payment page, and stands in no frame.
    pub standalone: bool,
    /// Where the page sends its calls.
    pub service: ServiceAddress,
    /// What the experiments give this shopper.
    pub features: Features,
    /// The experiments that the shopper is in.
    pub experiments: Vec<Assignment>,
    /// The brands that can be paid with.
    pub available_brands: Vec<Brand>,
    /// By which experiments and events know the browser.
    pub cookie_id: String,
    /// The merchant's own that the page asked for.
    pub site_id: Option<String>,
    /// The origins of the merchant's pages; none where any may embed the form.
    pub allowed_origins: Vec<String>,
    /// How many saved cards the page keeps a place for; absent, it offers none.
    pub saved_cards_count: Option<u8>,
    /// The key that the page seals cards with, if there is one.
    pub card_key: Option<CardKey>,
}

/// What the page's theme stands in.
pub fn setting(options: &FormOptions, standalone: bool, features: Features) -> Setting {
    let host = Host::read(options.host_background.as_deref().filter(|_| !standalone));
    Setting {
        standalone,
        redesign: features.pop_646_card_form_ui_redesign,
        // The payment page is ours to the last colour.
        repairs_contrast: standalone || options.contrast.as_deref() == Some("AA"),
        color_mode: color_mode(options, standalone, host),
        host,
    }
}

/// What the page forces; otherwise the payment page follows the shopper's preference, which its script knows, and a form in
/// a merchant's page is at home there.
fn color_mode(options: &FormOptions, standalone: bool, host: Host) -> ColorMode {
    let default = if standalone {
        ColorMode::System
    } else {
        host.color_mode()
    };
    options.color_mode.unwrap_or(default)
}

/// The page that `query` asks for with these `options`, in this theme.
pub fn form_page(
    site: &Site<'_>,
    query: &FormQuery,
    options: FormOptions,
    decided: Decided,
    theme: &Theme,
) -> FormPage {
    let settings = site.settings;
    let Decided {
        intent,
        payee,
        standalone,
        service,
        features,
        experiments,
        available_brands,
        cookie_id,
        site_id,
        allowed_origins,
        saved_cards_count,
        card_key,
    } = decided;
    let iso = site.language.locale.iso;
    FormPage {
        amount_text: amount_text(&intent.amount_value, &intent.amount_currency, iso),
        context: context(site.pages, settings, site.is_https, site.language),
        intent,
        standalone,
        locale_is_unknown: options.locale.as_deref().is_some_and(is_unknown),
        payee,
        features,
        experiments,
        cookie_id,
        available_brands,
        fraud_script: settings
            .fraud_scripts
            .zip(site_id)
            .and_then(|(scripts, id)| scripts.script(&id, site.is_https)),
        ip_lookup_url: settings.ip_lookup.url.clone(),
        allowed_origins,
        theme: theme.report.clone(),
        floating_labels: theme.has_floating_labels,
        saved_cards_count,
        device_data_timeout_ms: (features.enable_ddc)
            .then(|| u32::try_from(settings.device_data_timeout.as_millis()).unwrap_or(u32::MAX)),
        tracking: settings
            .tracking
            .cloned()
            .filter(|_| options.tracking != Some(false)),
        options,
        accepts_plain_cards: settings.accept_plain_cards || !service.base.is_empty(),
        card_key,
        service,
        init_time_ms: query.init_time_ms(),
    }
}

/// Whether there are no texts for a language tag.
fn is_unknown(tag: &str) -> bool {
    rules::locale::nearest(tag).is_none()
}
