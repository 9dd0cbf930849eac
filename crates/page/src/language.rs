//! The languages of the page, with the texts that the page's build compiled from `locales/`.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use axum::http::HeaderValue;
use protocol::{LANGUAGE_COOKIE, Page, PageContext};
use rules::locale::{self, Direction, Locale};
use serde::Deserialize;
use serde_json::value::{RawValue, to_raw_value};

use super::assets::{AssetsError, LATE_TEXTS, built, messages_path};
use super::escape::ScriptJson;
use super::language_preference::locale_cookie_attributes;
use super::pieces::CompressedPart;
use super::settings::PageSettings;

/// The text key of the 404 page.
const NOT_FOUND: &str = "page_not_found_path";

/// The part that we read of a locale's compiled file.
#[derive(Deserialize)]
struct CompiledLocale {
    messages: Box<RawValue>,
}

/// Texts of one language.
pub struct Texts {
    /// The compiled texts by key; a text without placeholders is a plain string.
    pub json: Box<RawValue>,
    /// The same texts, plain and compressed for a document.
    pub(crate) in_document: CompressedPart,
}

impl Texts {
    fn new(json: Box<RawValue>) -> Result<Self, AssetsError> {
        Ok(Self {
            in_document: CompressedPart::new(ScriptJson::of(&json)?.into()),
            json,
        })
    }
}

/// One language and its texts.
pub struct Language {
    /// The locale.
    pub locale: &'static Locale,
    /// The texts that a form's document has. The page loads the others once the form can be used.
    pub(crate) form_texts: Texts,
    /// Every text.
    pub(crate) all_texts: Texts,
    /// The texts without placeholders.
    plain: BTreeMap<String, String>,
    /// The text of the 404 page before and after the path.
    not_found: (String, String),
    /// The cookie that keeps this language.
    pub cookie: HeaderValue,
    /// The context of the pages in this language.
    pub context: Arc<PageContext>,
}

impl Language {
    /// The texts in the document of `page`. A card page shows all its texts at once, so none comes later.
    pub fn texts_of(&self, page: &Page) -> &Texts {
        match page {
            Page::Form(form) if !form.intent.is_card_session() => &self.form_texts,
            Page::Form(_) | Page::Error(_) => &self.all_texts,
        }
    }

    /// The text of `key`; `None` if there is none, or if it has placeholders, which only the page fills in.
    pub fn plain_text(&self, key: &str) -> Option<&str> {
        self.plain.get(key).map(String::as_str)
    }

    /// "Page not found: {path}" (docs/form.md#error-pages). In right-to-left text the path keeps its own direction.
    pub fn not_found(&self, path: &str) -> String {
        let (before, after) = &self.not_found;
        match self.locale.dir {
            Direction::Rtl => format!("{before}\u{2068}{path}\u{2069}{after}"),
            Direction::Ltr => format!("{before}{path}{after}"),
        }
    }
}

/// Every language, loaded at the start, so that no page waits for a file.
pub(crate) struct Languages(HashMap<&'static str, Language>);

impl Languages {
    /// Reads the texts that the build compiled.
    pub(crate) fn load(settings: &PageSettings, build_id: &str) -> Result<Self, AssetsError> {
        let late = built(LATE_TEXTS).ok_or(AssetsError::Missing(LATE_TEXTS))?;
        let late: Vec<String> = serde_json::from_slice(&late)?;
        let read = |locale: &'static Locale| -> Result<_, AssetsError> {
            let compiled = built(&messages_path(locale)).ok_or(AssetsError::Messages(locale.code))?;
            let CompiledLocale { messages } = serde_json::from_slice(&compiled)?;
            let by_key: BTreeMap<String, serde_json::Value> = serde_json::from_str(messages.get())?;
            let at_first: BTreeMap<_, _> = by_key.iter().filter(|(key, _)| !late.contains(key)).collect();
            let form_texts = Texts::new(to_raw_value(&at_first)?)?;
            let not_found = by_key.get(NOT_FOUND).and_then(around_path);
            let not_found = not_found.ok_or(AssetsError::Messages(locale.code))?;
            let plain = by_key
                .into_iter()
                .filter_map(|(key, text)| text.as_str().map(|text| (key, text.to_owned())))
                .collect();
            let context = context(settings, build_id, locale);
            let cookie = format!("{LANGUAGE_COOKIE}={}; {}", locale.code, context.locale_cookie);
            let language = Language {
                locale,
                form_texts,
                all_texts: Texts::new(messages)?,
                plain,
                not_found,
                cookie: HeaderValue::try_from(cookie).map_err(|_| AssetsError::Messages(locale.code))?,
                context: context.into(),
            };
            Ok((locale.code, language))
        };
        Ok(Self(locale::TABLE.iter().map(read).collect::<Result<_, _>>()?))
    }

    /// The language of `locale`.
    pub(crate) fn of(&self, locale: &'static Locale) -> &Language {
        &self.0[locale.code]
    }
}

/// The context of the pages in the language of `locale`.
fn context(settings: &PageSettings, build_id: &str, locale: &Locale) -> PageContext {
    PageContext {
        locale: locale.code.to_owned(),
        iso: locale.iso.to_owned(),
        dir: locale.dir.as_str().to_owned(),
        // A placeholder: the document inserts the texts (`html.rs`).
        messages: RawValue::from_string("0".to_owned()).unwrap_or_default(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        build_id: build_id.to_owned(),
        locale_strategy: settings.locale_routes.strategy,
        locale_cookie: locale_cookie_attributes(settings.locale_cookie_cross_origin, settings.is_https),
    }
}

/// The text before and after the path. A compiled text is a list of strings, and of lists with the name of a
/// placeholder.
fn around_path(compiled: &serde_json::Value) -> Option<(String, String)> {
    let mut around = [String::new(), String::new()];
    let mut side = 0;
    for part in compiled.as_array()? {
        match part.as_str() {
            Some(text) => around[side].push_str(text),
            None if *part == serde_json::json!(["path"]) && side == 0 => side = 1,
            None => return None,
        }
    }
    let [before, after] = around;
    (side == 1).then_some((before, after))
}

#[cfg(test)]
mod tests;
