//! The settings of the page's addresses.

use std::collections::BTreeMap;

use axum::http::StatusCode;
use page::{LocaleRoutes, RootRedirect, RouteRule, RouteRules, RuleError, is_host};
use wire::LocaleStrategy;

use super::{ConfigError, Settings};

/// The addresses of the languages.
pub(super) fn locale_routes(settings: &Settings) -> Result<LocaleRoutes, ConfigError> {
    let status = settings
        .root_redirect_status
        .map_or(Some(StatusCode::FOUND), redirect_status)
        .ok_or(ConfigError::Value(
            "root_redirect_status",
            "must be 301, 302, 303, 307 or 308",
        ))?;
    let strategy = settings
        .locale_strategy
        .as_deref()
        .map_or(Some(LocaleStrategy::PrefixAndDefault), LocaleStrategy::from_name);
    let root = match &settings.root_redirect {
        None => None,
        Some(path) if is_own_path(path) && path != "/" => Some(RootRedirect {
            path: path.clone(),
            status,
        }),
        Some(_) => return Err(ConfigError::Value("root_redirect", "must be a path like /en-US")),
    };
    let routes = LocaleRoutes {
        strategy: strategy.ok_or(ConfigError::Value(
            "locale_strategy",
            "must be no_prefix, prefix, prefix_except_default or prefix_and_default",
        ))?,
        root,
        status,
    };
    if routes.root_leads_nowhere() {
        return Err(ConfigError::Value(
            "root_redirect",
            "leads to a language that has no address with this locale_strategy",
        ));
    }
    Ok(routes)
}

/// The host whose subdomains are dynamic environments.
pub(super) fn dynamic_environment_suffix(given: Option<String>) -> Result<Option<String>, ConfigError> {
    let suffix = given.map(|suffix| suffix.to_ascii_lowercase());
    match suffix {
        Some(suffix) if !is_host(&suffix) => Err(ConfigError::Value(
            "dynamic_environment_suffix",
            "must be a host of two parts at least, like dev.example.com",
        )),
        suffix => Ok(suffix),
    }
}

/// The redirects of the settings file.
pub(super) fn route_rules(given: BTreeMap<String, RouteRule>) -> Result<RouteRules, ConfigError> {
    RouteRules::checked(given).map_err(|error| {
        ConfigError::Value(
            "route_rules",
            match error {
                RuleError::Pattern => "must begin with / and may end in /* or /**",
                RuleError::Status => "need a status of 301, 302, 303, 307 or 308",
                RuleError::Target => "must lead to a path, or to an http(s) address",
                RuleError::External => "that lead to another site must say so: external = true",
            },
        )
    })
}

/// The status, if it is one of a redirect.
fn redirect_status(status: u16) -> Option<StatusCode> {
    matches!(status, 301 | 302 | 303 | 307 | 308)
        .then(|| StatusCode::from_u16(status).ok())
        .flatten()
}

/// Whether it is a path on our own site; `//host` would be another site.
fn is_own_path(path: &str) -> bool {
    path.starts_with('/')
        && !path.starts_with("//")
        && path.bytes().all(|byte| byte.is_ascii_graphic() && byte != b'\\')
}
