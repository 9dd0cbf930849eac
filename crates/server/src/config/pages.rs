//! The settings of the pages.

use std::collections::BTreeMap;

use axum::http::StatusCode;
use page::{LocaleRoutes, PageSettings, RootRedirect, RouteRule, RouteRules, RuleError, is_host};
use protocol::LocaleStrategy;

use super::third_parties::{fraud_scripts, ip_lookup};
use super::tracking::tracking;
use super::values::duration_ms;
use super::{ConfigError, Settings};

const DEVICE_DATA_TIMEOUT_MS: u64 = 10_000;

/// The settings of the pages. `is_https`: shoppers use https, to this service or to a proxy.
pub(super) fn page_settings(
    settings: &Settings,
    is_https: bool,
    events_topic: &str,
    is_test_mode: bool,
) -> Result<PageSettings, ConfigError> {
    let device_data_timeout = settings.device_data_timeout_ms.unwrap_or(DEVICE_DATA_TIMEOUT_MS);
    Ok(PageSettings {
        is_https,
        locale_routes: locale_routes(settings)?,
        locale_cookie_cross_origin: settings.locale_cookie_cross_origin.unwrap_or(false),
        dynamic_environment_suffix: dynamic_environment_suffix(settings)?,
        route_rules: route_rules(settings.route_rules.clone())?,
        tracking: tracking(settings, events_topic)?.map(Into::into),
        fraud_scripts: fraud_scripts(settings)?,
        ip_lookup: ip_lookup(settings)?,
        device_data_timeout: duration_ms("device_data_timeout_ms", device_data_timeout)?,
        is_test_mode,
        accept_unsigned_payloads: settings.accept_unsigned_payloads.unwrap_or(false),
        accept_plain_cards: settings.accept_plain_cards.unwrap_or(true),
    })
}

/// The addresses of the languages.
fn locale_routes(settings: &Settings) -> Result<LocaleRoutes, ConfigError> {
    let status = settings
        .root_redirect_status
        .map_or(Some(StatusCode::FOUND), redirect_status)
        .ok_or(ConfigError::Value(
            "root_redirect_status",
            "must be 301, 302, 303, 307 or 308",
        ))?;
    let strategy = settings.locale_strategy.as_deref();
    let strategy = strategy.map_or(Ok(LocaleStrategy::PrefixAndDefault), str::parse);
    let root = match &settings.root_redirect {
        None => None,
        Some(path) if is_own_path(path) && path != "/" => Some(RootRedirect {
            path: path.clone(),
            status,
        }),
        Some(_) => return Err(ConfigError::Value("root_redirect", "must be a path like /en-US")),
    };
    let routes = LocaleRoutes {
        strategy: strategy.map_err(|_| {
            ConfigError::Value(
                "locale_strategy",
                "must be no_prefix, prefix, prefix_except_default or prefix_and_default",
            )
        })?,
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
fn dynamic_environment_suffix(settings: &Settings) -> Result<Option<String>, ConfigError> {
    let suffix = settings.dynamic_environment_suffix.as_deref();
    match suffix.map(str::to_ascii_lowercase) {
        Some(suffix) if !is_host(&suffix) => Err(ConfigError::Value(
            "dynamic_environment_suffix",
            "must be a host of two parts at least, like dev.example.com",
        )),
        suffix => Ok(suffix),
    }
}

/// The redirects of the settings file.
fn route_rules(given: BTreeMap<String, RouteRule>) -> Result<RouteRules, ConfigError> {
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
