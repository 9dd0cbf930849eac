//! The document around a page.

use serde_json::value::RawValue;
use wire::{ColorMode, Page, PageContext, SharedJson};

use super::escape::ScriptJson;
use super::html::HtmlDocument;
use super::language::Language;
use super::language_preference::locale_cookie_attributes;
use super::shared_context::ContextSettings;
use super::templates::RootContent;
use super::{PageSettings, Pages};

/// The page's appearance.
pub struct Appearance<'a> {
    /// The forced color mode, or the shopper's preference.
    pub color_mode: ColorMode,
    /// A style sheet, or nothing.
    pub theme: &'a str,
}

/// The context of a page of a service with these settings. A service's settings do not change, so it is made once for
/// each language.
pub fn context(
    pages: &Pages,
    settings: &PageSettings<'_>,
    is_https: bool,
    language: &Language,
) -> SharedJson<PageContext> {
    let settings = ContextSettings {
        locale_strategy: settings.locale_strategy,
        locale_cookie_cross_origin: settings.locale_cookie_cross_origin,
        is_https,
    };
    language
        .context
        .of(settings, || new_context(pages, settings, language))
}

fn new_context(pages: &Pages, settings: ContextSettings, language: &Language) -> PageContext {
    let locale = language.locale;
    PageContext {
        locale: locale.code.to_owned(),
        iso: locale.iso.to_owned(),
        dir: locale.dir.as_str().to_owned(),
        // The document takes them from the language itself.
        messages: no_texts(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        build_id: pages.assets().build_id().to_owned(),
        locale_strategy: settings.locale_strategy,
        locale_cookie: locale_cookie_attributes(settings.locale_cookie_cross_origin, settings.is_https),
    }
}

/// The placeholder for the texts in a page's data.
fn no_texts() -> Box<RawValue> {
    RawValue::from_string("0".to_owned()).unwrap_or_default()
}

/// The document of `page` with the data `data`. If rendering fails, its root is empty.
pub async fn written<'a>(
    pages: &'a Pages,
    language: &'a Language,
    page: &'a Page,
    data: &'a ScriptJson,
    look: &Appearance<'a>,
) -> HtmlDocument<'a> {
    let title = match page {
        // The page's script sets the same title when the language changes.
        Page::Form(_) => "pay_with_card",
        Page::Error(error) if error.status == 404 => "page_not_found_title",
        Page::Error(error) if error.status < 500 => "page_unusable_title",
        Page::Error(_) => "page_unavailable_title",
    };
    let rendered = pages.templates.body(page, language).await;
    let body = rendered.unwrap_or_else(|error| {
        tracing::error!(%error, "a page was not rendered on the server; the browser renders it");
        RootContent::Rendered(String::new())
    });
    HtmlDocument {
        lang: language.locale.iso,
        dir: language.locale.dir.as_str(),
        title: language.plain_text(title).unwrap_or("Cardform"),
        color_mode: look.color_mode.as_str(),
        style: pages.assets().style(),
        style_integrity: pages.assets().style_integrity(),
        theme: look.theme,
        script: pages.assets().script(),
        payee: match page {
            Page::Form(form) => form.payee.as_deref(),
            Page::Error(_) => None,
        },
        no_script: match page {
            Page::Form(_) => language.plain_text("needs_javascript"),
            Page::Error(_) => None,
        },
        script_integrity: pages.assets().script_integrity(),
        data,
        texts: &language.texts_of(page).in_document,
        body,
    }
}
