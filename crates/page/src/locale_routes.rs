//! The addresses of languages (docs/languages.md#addresses): the strategies for the locale in front of the path, and
//! the redirects from the root.

use axum::http::StatusCode;
use protocol::LocaleStrategy;
use rules::locale::{self, Locale};

/// A redirect from the root to another path, for every request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RootRedirect {
    /// The path, with its leading slash.
    pub path: String,
    /// 301, 302, 303, 307 or 308.
    pub status: StatusCode,
}

/// The operator's choice of addresses.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LocaleRoutes {
    /// Which languages have an address of their own.
    pub strategy: LocaleStrategy,
    /// A redirect of the root, instead of the form.
    pub root: Option<RootRedirect>,
    /// The status of a redirect from the root to the reader's language.
    pub status: StatusCode,
}

impl Default for LocaleRoutes {
    fn default() -> Self {
        Self {
            strategy: LocaleStrategy::PrefixAndDefault,
            root: None,
            status: StatusCode::FOUND,
        }
    }
}

/// What is at an address.
#[derive(Debug, PartialEq, Eq)]
pub enum RouteMatch {
    /// The form.
    Form,
    /// A redirect: its path and status.
    Elsewhere(String, StatusCode),
    /// Nothing.
    Nothing,
}

impl LocaleRoutes {
    /// What is at `/`, for a reader who prefers `wanted`.
    pub fn at_root(&self, wanted: &'static Locale) -> RouteMatch {
        if let Some(root) = &self.root {
            return RouteMatch::Elsewhere(root.path.clone(), root.status);
        }
        let own = path_of(self.strategy, wanted);
        match self.strategy {
            LocaleStrategy::Prefix | LocaleStrategy::PrefixExceptDefault if own != "/" => {
                RouteMatch::Elsewhere(own, self.status)
            }
            _ => RouteMatch::Form,
        }
    }

    /// What is at the path of `locale`.
    pub fn at_locale(&self, locale: &'static Locale) -> RouteMatch {
        if path_of(self.strategy, locale) == "/" {
            RouteMatch::Nothing
        } else {
            RouteMatch::Form
        }
    }

    /// What is at a path that names no locale of ours, but a tag to which `locale` is nearest.
    pub fn at_nearest(&self, locale: &'static Locale) -> RouteMatch {
        match self.strategy {
            LocaleStrategy::NoPrefix => RouteMatch::Nothing,
            strategy => RouteMatch::Elsewhere(path_of(strategy, locale), self.status),
        }
    }

    /// Whether the root redirects to a language path that does not exist, which would show every shopper the 404 page.
    pub fn root_leads_nowhere(&self) -> bool {
        let to = self.root.as_ref().and_then(|root| locale_in_front(&root.path));
        to.is_some_and(|locale| self.at_locale(locale) == RouteMatch::Nothing)
    }
}

/// The path of the form in `locale`. The page's own copy of this is `form/src/i18n/load-language.ts`.
fn path_of(strategy: LocaleStrategy, locale: &Locale) -> String {
    let has_prefix = match strategy {
        LocaleStrategy::NoPrefix => false,
        LocaleStrategy::PrefixExceptDefault => locale != locale::default(),
        LocaleStrategy::Prefix | LocaleStrategy::PrefixAndDefault => true,
    };
    if has_prefix {
        format!("/{}", locale.code)
    } else {
        "/".to_owned()
    }
}

/// The locale at the beginning of a path, `/th-TH` or `/th-TH/…`. The code must match exactly.
pub fn locale_in_front(path: &str) -> Option<&'static Locale> {
    let first = path.strip_prefix('/')?.split('/').next()?;
    locale::TABLE.iter().find(|locale| locale.code == first)
}

/// The locale nearest to a path of one part that names a language and a country or script: `/fr-CA`, `/zh-Hant-HK`.
pub fn locale_near(path: &str) -> Option<&'static Locale> {
    let tag = path.strip_prefix('/')?;
    let is_one_tag = tag.contains(['-', '_']) && !tag.contains('/');
    is_one_tag.then(|| locale::nearest(tag))?
}

#[cfg(test)]
mod tests;
