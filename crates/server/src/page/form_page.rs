//! What the form's page is told, put together in one place: from its address, the settings, and what the service decided for
//! this visit. The service serves it, and `cardform evidence verify` compares it with what is served somewhere.

use rules::Brand;
use wire::{
    Assignment, CardKey, ChargeIntent, ColorMode, Features, FormOptions, FormPage, Payee, ServiceAddress,
};

use super::Pages;
use super::amount::amount_text;
use super::document::context;
use super::language::Language;
use super::query::FormQuery;
use super::theme::{Host, Setting, Theme};
use crate::config::Config;

/// Whose page it is, and how it is reached.
pub(super) struct Site<'a> {
    pub(super) pages: &'a Pages,
    pub(super) config: &'a Config,
    pub(super) language: &'a Language,
    pub(super) is_https: bool,
}

/// What an address does not say of its page.
pub(super) struct Decided {
    /// As the books have it, where they do.
    pub(super) intent: ChargeIntent,
    pub(super) payee: Option<Payee>,
    pub(super) standalone: bool,
    pub(super) service: ServiceAddress,
    pub(super) features: Features,
    pub(super) experiments: Vec<Assignment>,
    pub(super) available_brands: Vec<Brand>,
    pub(super) cookie_id: String,
    /// The merchant's own that the page asked for.
    pub(super) site_id: Option<String>,
    pub(super) allowed_origins: Vec<String>,
    pub(super) saved_cards_count: Option<u8>,
    pub(super) card_key: Option<CardKey>,
}

/// What the page's theme stands in.
pub(super) fn setting(options: &FormOptions, standalone: bool, features: Features) -> Setting {
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
pub(super) fn form_page(
    site: &Site<'_>,
    query: &FormQuery,
    options: FormOptions,
    decided: Decided,
    theme: &Theme,
) -> FormPage {
    let config = site.config;
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
        context: context(site.pages, config, site.is_https, site.language),
        intent,
        standalone,
        locale_is_unknown: options.locale.as_deref().is_some_and(is_unknown),
        payee,
        features,
        experiments,
        cookie_id,
        available_brands,
        fraud_script: (config.fraud_scripts.as_ref())
            .zip(site_id)
            .and_then(|(scripts, id)| scripts.script(&id, site.is_https)),
        ip_lookup_url: config.ip_lookup.url.clone(),
        allowed_origins,
        theme: theme.report.clone(),
        floating_labels: theme.has_floating_labels,
        saved_cards_count,
        device_data_timeout_ms: (features.enable_ddc)
            .then(|| u32::try_from(config.device_data_timeout.as_millis()).unwrap_or(u32::MAX)),
        tracking: (config.tracking.clone()).filter(|_| options.tracking != Some(false)),
        options,
        accepts_plain_cards: config.accept_plain_cards || !service.base.is_empty(),
        card_key,
        service,
        init_time_ms: query.init_time_ms(),
    }
}

/// Whether there are no texts for a language tag.
fn is_unknown(tag: &str) -> bool {
    rules::locale::nearest(tag).is_none()
}
