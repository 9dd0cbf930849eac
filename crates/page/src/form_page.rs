//! The data of the form's page, made in one place from its address, the settings, and the service's decisions for this
//! visit. The service serves it, and `cardform evidence verify` compares it with a page that is served elsewhere.

use std::sync::Arc;

use protocol::{
    Assignment, CardKey, ChargeIntent, ColorMode, Features, FormOptions, FormPage, Payee, ServiceAddress,
};
use rules::Brand;

use super::Pages;
use super::amount::amount_text;
use super::language::Language;
use super::notes::notes;
use super::query::FormQuery;
use super::theme::{HostBackground, Theme, ThemeContext};

/// The parts of a page that its address does not decide. The default is a page for a guest without a charge.
#[derive(Default)]
pub struct PageDecisions {
    /// The intent, from the database if the charge is there.
    pub intent: ChargeIntent,
    /// The merchant to pay, on a payment page.
    pub payee: Option<Arc<Payee>>,
    /// Whether it is a payment page, outside any frame.
    pub standalone: bool,
    /// Where the page sends its calls.
    pub service: ServiceAddress,
    /// The features that this shopper gets.
    pub features: Features,
    /// The experiments that the shopper is in.
    pub experiments: Vec<Assignment>,
    /// The brands that can pay.
    pub available_brands: Vec<Brand>,
    /// The browser's id in experiments and events.
    pub cookie_id: String,
    /// The merchant's own site id that the page asked for.
    pub site_id: Option<String>,
    /// The origins of the merchant's pages; empty if any page may embed the form.
    pub allowed_origins: Vec<String>,
    /// How many saved cards the page reserves space for; `None` if it offers none.
    pub saved_cards_count: Option<u8>,
    /// The key that the page seals cards with, if there is one.
    pub card_key: Option<Arc<CardKey>>,
}

/// The context of the page's theme.
pub fn theme_context(options: &FormOptions, standalone: bool, features: Features) -> ThemeContext {
    let host = HostBackground::read(options.host_background.as_deref().filter(|_| !standalone));
    ThemeContext {
        standalone,
        redesign: features.pop_646_card_form_ui_redesign,
        // The payment page has our own colors only.
        repairs_contrast: standalone || options.contrast.is_some(),
        color_mode: color_mode(options, standalone, host),
        host,
    }
}

/// The forced color mode. Without one, the payment page follows the shopper's preference, which its script knows, and a
/// form in a merchant's page matches that page.
fn color_mode(options: &FormOptions, standalone: bool, host: HostBackground) -> ColorMode {
    let default = if standalone {
        ColorMode::System
    } else {
        host.color_mode()
    };
    options.color_mode.unwrap_or(default)
}

/// The page for `query` with these `options` and this theme.
pub fn form_page(
    pages: &Pages,
    language: &Language,
    query: &FormQuery,
    mut options: FormOptions,
    decided: PageDecisions,
    theme: &Theme,
) -> FormPage {
    let settings = pages.settings();
    let PageDecisions {
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
    if standalone {
        // The address of a payment page is not signed, and must not change what the page says.
        options.texts.clear();
        options.hide_title = false;
    }
    let iso = language.locale.iso;
    FormPage {
        amount_text: amount_text(&intent.amount_value, &intent.amount_currency, iso),
        context: language.context.clone(),
        intent,
        standalone,
        notes: notes(query, &options, language, &theme.report),
        payee,
        features,
        experiments,
        cookie_id,
        available_brands,
        fraud_script: settings
            .fraud_scripts
            .as_ref()
            .zip(site_id)
            .and_then(|(scripts, id)| scripts.script(&id, settings.is_https)),
        ip_lookup_url: settings.ip_lookup.url.clone(),
        allowed_origins,
        floating_labels: theme.has_floating_labels,
        saved_cards_count,
        device_data_timeout_ms: (features.enable_ddc)
            .then(|| u32::try_from(settings.device_data_timeout.as_millis()).unwrap_or(u32::MAX)),
        tracking: settings
            .tracking
            .clone()
            .filter(|_| options.tracking != Some(false)),
        options,
        accepts_plain_cards: settings.accept_plain_cards || !service.base.is_empty(),
        card_key,
        service,
        init_time_ms: query.init_time_ms(),
    }
}
