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
mod tests {
    use super::*;

    fn routes(strategy: LocaleStrategy) -> LocaleRoutes {
        LocaleRoutes {
            strategy,
            ..LocaleRoutes::default()
        }
    }

    fn thai() -> &'static Locale {
        locale::by_code("th-TH").unwrap()
    }

    fn to(path: &str) -> RouteMatch {
        RouteMatch::Elsewhere(path.to_owned(), StatusCode::FOUND)
    }

    #[test]
    fn every_locale_strategy_has_its_addresses() {
        use LocaleStrategy::{NoPrefix, Prefix, PrefixAndDefault, PrefixExceptDefault};
        let english = locale::default();
        for (strategy, root_thai, root_english, path_thai, path_english) in [
            (
                NoPrefix,
                RouteMatch::Form,
                RouteMatch::Form,
                RouteMatch::Nothing,
                RouteMatch::Nothing,
            ),
            (
                Prefix,
                to("/th-TH"),
                to("/en-US"),
                RouteMatch::Form,
                RouteMatch::Form,
            ),
            (
                PrefixExceptDefault,
                to("/th-TH"),
                RouteMatch::Form,
                RouteMatch::Form,
                RouteMatch::Nothing,
            ),
            (
                PrefixAndDefault,
                RouteMatch::Form,
                RouteMatch::Form,
                RouteMatch::Form,
                RouteMatch::Form,
            ),
        ] {
            let routes = routes(strategy);
            assert_eq!(routes.at_root(thai()), root_thai, "{strategy:?}");
            assert_eq!(routes.at_root(english), root_english, "{strategy:?}");
            assert_eq!(routes.at_locale(thai()), path_thai, "{strategy:?}");
            assert_eq!(routes.at_locale(english), path_english, "{strategy:?}");
        }
    }

    #[test]
    fn a_root_redirect_applies_to_every_language() {
        let routes = LocaleRoutes {
            root: Some(RootRedirect {
                path: "/fr-FR".into(),
                status: StatusCode::PERMANENT_REDIRECT,
            }),
            ..LocaleRoutes::default()
        };
        let expected = RouteMatch::Elsewhere("/fr-FR".into(), StatusCode::PERMANENT_REDIRECT);
        assert_eq!(routes.at_root(thai()), expected);
        assert_eq!(routes.at_root(locale::default()), expected);
    }

    #[test]
    fn a_path_names_a_locale_by_the_exact_code_in_its_first_part() {
        assert_eq!(locale_in_front("/th-TH"), Some(thai()));
        assert_eq!(locale_in_front("/th-TH/nothing/here"), Some(thai()));
        for path in ["/", "/th-th", "/th", "/th-TH2", "/x/th-TH", ""] {
            assert_eq!(locale_in_front(path), None, "{path}");
        }
    }

    #[test]
    fn a_path_of_another_country_leads_to_the_nearest_locale() {
        use LocaleStrategy::{NoPrefix, Prefix, PrefixAndDefault, PrefixExceptDefault};
        for (path, code) in [
            ("/fr-CA", Some("fr-FR")),
            ("/th-th", Some("th-TH")),
            ("/id_ID", Some("in-ID")),
            ("/zh-Hant-HK", Some("zh-HK")),
            ("/fr", None),
            ("/ku-TR", None),
            ("/fr-CA/more", None),
            ("/my-shop", None),
            ("/", None),
        ] {
            assert_eq!(locale_near(path).map(|locale| locale.code), code, "{path}");
        }
        for (strategy, address) in [
            (NoPrefix, RouteMatch::Nothing),
            (Prefix, to("/en-US")),
            (PrefixExceptDefault, to("/")),
            (PrefixAndDefault, to("/en-US")),
        ] {
            assert_eq!(
                routes(strategy).at_nearest(locale::default()),
                address,
                "{strategy:?}"
            );
        }
    }
}
