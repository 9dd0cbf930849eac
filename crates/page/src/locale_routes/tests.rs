//! Which page each address shows, by the strategy of the languages.

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
