//! The settings of third parties that the page calls: the fraud prevention's script, and a look-up of addresses.

use page::{COOKIE_DAYS_MAX, FraudScripts, IpLookup};
use url::Url;

use super::values::{is_unencrypted, within};
use super::{ConfigError, Settings};

/// The default name of the cookie that keeps the fraud prevention's token.
const FRAUD_TOKEN_COOKIE: &str = "forterToken";

/// The fraud prevention's scripts, if there are any.
pub(super) fn fraud_scripts(settings: &Settings) -> Result<Option<FraudScripts>, ConfigError> {
    let cookie = settings
        .fraud_token_cookie
        .as_deref()
        .unwrap_or(FRAUD_TOKEN_COOKIE);
    if cookie.is_empty()
        || !cookie
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte))
    {
        return Err(ConfigError::Value(
            "fraud_token_cookie",
            "must be letters, digits, hyphens, underscores and dots",
        ));
    }
    let cookie_days = settings.fraud_token_cookie_days.unwrap_or(COOKIE_DAYS_MAX);
    let cookie_days = within("fraud_token_cookie_days", cookie_days, 1..=COOKIE_DAYS_MAX)?;
    let origins = settings.fraud_script_origins.as_deref().unwrap_or_default();
    let origins: Vec<String> = origins.split_whitespace().map(str::to_owned).collect();
    if !origins.iter().all(|origin| is_source(origin)) {
        return Err(ConfigError::Value(
            "fraud_script_origins",
            "must be origins like https://api.example or https://*.example, with spaces between",
        ));
    }
    let Some(template) = &settings.fraud_script_url else {
        return Ok(None);
    };
    FraudScripts::new(template, origins, cookie, cookie_days)
        .filter(|scripts| scripts.url("x").is_some_and(|url| is_safe(&url)))
        .map(Some)
        .ok_or(ConfigError::Value(
            "fraud_script_url",
            "must be an https URL with {site_id} in its path, without a query",
        ))
}

/// The service that tells the client's address.
pub(super) fn ip_lookup(settings: &Settings) -> Result<IpLookup, ConfigError> {
    let Some(url) = &settings.ip_lookup_url else {
        return Ok(IpLookup::default());
    };
    IpLookup::at(url)
        .filter(|_| is_safe(url))
        .ok_or(ConfigError::Value("ip_lookup_url", "must be an https URL"))
}

/// Whether no machine on the network can change the answer.
fn is_safe(url: &str) -> bool {
    Url::parse(url).is_ok_and(|url| matches!(url.scheme(), "http" | "https") && !is_unencrypted(&url))
}

/// Whether it is an origin as a content security policy writes it; its host may begin with `*.`.
fn is_source(text: &str) -> bool {
    let (scheme, host) = text.split_once("://").unwrap_or_default();
    let host = host.strip_prefix("*.").unwrap_or(host);
    let whole = format!("{scheme}://{host}");
    !host.contains('*') && is_safe(&whole) && super::origin(&whole).is_some()
}

#[cfg(test)]
mod tests;
