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
mod tests {
    use super::*;

    fn read(change: impl FnOnce(&mut Settings)) -> Result<super::super::Config, String> {
        let mut settings = Settings::default();
        change(&mut settings);
        settings.resolve().map_err(|error| error.to_string())
    }

    #[test]
    fn a_fraud_script_needs_https_and_the_site_in_its_path() {
        let template = "https://cdn.example/a/{site_id}/s.js";
        let config = read(|settings| settings.fraud_script_url = Some(template.into())).unwrap();
        let url = config.pages.fraud_scripts.unwrap().url("site-1");
        assert_eq!(url.as_deref(), Some("https://cdn.example/a/site-1/s.js"));
        for wrong in [
            "https://cdn.example/s.js",
            "http://cdn.example/{site_id}.js",
            "https://{site_id}.example/s.js",
            "https://cdn.example/s.js?site={site_id}",
            "https://cdn.example/{site_id}.js?v=1",
            "https://cdn.example/{site_id}.js#x",
            "https://cdn.example/{site_id};script-src *",
            "https://cdn.example/{site_id},https://x.example/",
            "cdn.example/{site_id}.js",
            "javascript:alert({site_id})",
        ] {
            let message = read(|settings| settings.fraud_script_url = Some(wrong.into())).unwrap_err();
            assert!(
                message.starts_with("the setting fraud_script_url"),
                "{wrong}: {message}"
            );
        }
    }

    #[test]
    fn only_origins_are_accepted_for_the_script() {
        let origins = |origins: &str| read(|settings| settings.fraud_script_origins = Some(origins.into()));
        assert!(origins("https://api.example https://*.example:8443 http://127.0.0.1:9").is_ok());
        for wrong in [
            "*",
            "https:",
            "https://*",
            "https://a.*.example",
            "http://api.example",
            "https://a.example/x",
            "'unsafe-inline'",
        ] {
            let message = origins(wrong).err().unwrap_or_default();
            assert!(
                message.starts_with("the setting fraud_script_origins"),
                "{wrong}: {message}"
            );
        }
        let message = read(|settings| settings.fraud_token_cookie = Some("a=b; c".into())).unwrap_err();
        assert!(message.starts_with("the setting fraud_token_cookie"), "{message}");
    }

    #[test]
    fn the_fraud_tokens_cookie_lasts_1_to_400_days() {
        let days = |days: u16| read(|settings| settings.fraud_token_cookie_days = Some(days));
        assert!(days(1).is_ok() && days(400).is_ok());
        for wrong in [0, 401] {
            let message = days(wrong).err().unwrap_or_default();
            assert!(
                message.starts_with("the setting fraud_token_cookie_days"),
                "{wrong}: {message}"
            );
        }
    }

    #[test]
    fn another_ip_lookup_needs_https() {
        assert_eq!(read(|_| ()).unwrap().pages.ip_lookup, IpLookup::default());
        let url = "https://ip.example/?format=text";
        let lookup = read(|settings| settings.ip_lookup_url = Some(url.into()))
            .unwrap()
            .pages
            .ip_lookup;
        assert_eq!(
            (lookup.url.as_str(), lookup.origin.as_deref()),
            (url, Some("https://ip.example"))
        );
        for wrong in ["http://ip.example/", "/ip", "https://", "ftp://ip.example/"] {
            let message = read(|settings| settings.ip_lookup_url = Some(wrong.into())).unwrap_err();
            assert!(
                message.starts_with("the setting ip_lookup_url"),
                "{wrong}: {message}"
            );
        }
    }
}
