//! How a page must be served according to the settings: its headers, and the allowed value of each directive of its
//! policy.

use std::collections::BTreeMap;

use page::{headers_of_every_page, style_source};
use serde::Serialize;
use url::Url;
use wire::FRAUD_SCRIPT_POLICY;

use crate::config::{Config, ProviderChoice};

/// Headers by name, with their exact values.
pub type ExpectedHeaders = BTreeMap<String, String>;

/// How a page must be served.
#[derive(Debug, Clone, Serialize)]
pub struct Expected {
    /// All headers except the policy.
    pub headers: ExpectedHeaders,
    /// The allowed value of each directive of the content security policy.
    pub policy: BTreeMap<String, Directive>,
}

/// The allowed value of a directive.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Directive {
    /// These words, in this order.
    Exactly(String),
    /// Some of these words and no others. A `*` in a word stands for any text.
    SomeOf(Vec<String>),
    /// Our own style sheets, and the page's theme, allowed by its hash.
    OwnStyles,
    /// The merchant's origins.
    MerchantsOrigins,
}

impl Expected {
    /// For a service with these settings that is reached over https or not.
    pub fn of(config: &Config, is_https: bool) -> Self {
        let (policy, headers) = headers_of_every_page();
        let mut headers: ExpectedHeaders = headers
            .iter()
            .map(|(name, value)| {
                let value = String::from_utf8_lossy(value.as_bytes()).into_owned();
                (name.as_str().to_owned(), value)
            })
            .collect();
        if is_https {
            headers.insert(
                "strict-transport-security".to_owned(),
                crate::service::routes::TWO_YEARS.to_owned(),
            );
        }
        let mut policy: BTreeMap<_, _> = directives(&policy)
            .into_iter()
            .map(|(name, value)| (name, Directive::Exactly(value)))
            .collect();
        policy.extend(named_by_settings(config));
        Self { headers, policy }
    }
}

/// The directives of a policy, by name.
pub(super) fn directives(policy: &str) -> BTreeMap<String, String> {
    let parts = policy.split(';').map(str::trim).filter(|part| !part.is_empty());
    parts
        .map(|part| {
            let (name, value) = part.split_once(char::is_whitespace).unwrap_or((part, ""));
            let words: Vec<_> = value.split_whitespace().collect();
            (name.to_ascii_lowercase(), words.join(" "))
        })
        .collect()
}

/// The directives whose value depends on the settings, the merchant or the theme.
fn named_by_settings(config: &Config) -> impl Iterator<Item = (String, Directive)> {
    let fraud = config.pages.fraud_scripts.as_ref();
    let fraud_origins: Vec<_> = fraud.map(|scripts| scripts.origins.clone()).unwrap_or_default();
    let fraud_script = fraud.map(|scripts| format!("{}*", scripts.before_site_id()));
    let frames = provider_sources(config);
    let some = |words: &[&str], more: [&[String]; 2]| {
        let words = words.iter().map(|word| (*word).to_owned());
        Directive::SomeOf(words.chain(more.concat()).collect())
    };
    let mut calls: Vec<String> = config.pages.ip_lookup.origin.clone().into_iter().collect();
    if let Some(suffix) = &config.pages.dynamic_environment_suffix {
        // Every subdomain of the suffix; a link names one of them.
        calls.push(format!("https://*.{suffix}:8092"));
    }
    let types = match fraud {
        None => Directive::Exactly("'none'".to_owned()),
        Some(_) => some(&["'none'", FRAUD_SCRIPT_POLICY], [&[], &[]]),
    };
    let scripts: Vec<String> = fraud_script.into_iter().collect();
    [
        ("script-src", some(&["'self'"], [&scripts, &[]])),
        ("style-src", Directive::OwnStyles),
        ("img-src", some(&["'self'", "data:"], [&fraud_origins, &[]])),
        ("connect-src", some(&["'self'"], [&fraud_origins, &calls])),
        (
            "frame-src",
            some(&["'none'", "'self'"], [&frames, &fraud_origins]),
        ),
        ("form-action", some(&["'none'"], [&frames, &[]])),
        ("frame-ancestors", Directive::MerchantsOrigins),
        ("trusted-types", types),
    ]
    .into_iter()
    .map(|(name, directive)| (name.to_owned(), directive))
}

/// The origins of the provider's pages.
fn provider_sources(config: &Config) -> Vec<String> {
    let origin = |url: &Url| url.origin().ascii_serialization();
    let mut sources: Vec<String> = config.provider_public_url.iter().map(origin).collect();
    match &config.provider {
        ProviderChoice::Simulator(url) => sources.extend(url.iter().map(origin)),
        // A bank's challenge may be at any address.
        ProviderChoice::Stripe(url, _) => sources.extend(["https:".to_owned(), origin(url)]),
    }
    sources
}

impl Directive {
    /// Whether the served value is allowed in a document with this theme.
    pub(super) fn allows(&self, served: &str, theme: &str) -> bool {
        match self {
            Self::Exactly(words) => served == words,
            Self::OwnStyles => served == style_source(theme),
            // The origins are compared for each page separately.
            Self::MerchantsOrigins => !served.is_empty(),
            Self::SomeOf(words) => {
                !served.is_empty()
                    && served.split(' ').all(|word| {
                        words.iter().any(|allowed| match allowed.split_once('*') {
                            Some((before, after)) => {
                                word.len() >= before.len() + after.len()
                                    && word.starts_with(before)
                                    && word.ends_with(after)
                            }
                            None => word == allowed,
                        })
                    })
            }
        }
    }
}

/// The expected value, for the operator.
impl std::fmt::Display for Directive {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Exactly(words) => f.write_str(words),
            Self::SomeOf(words) => write!(f, "some of {}", words.join(" ")),
            Self::OwnStyles => f.write_str("'self' and the theme's hash"),
            Self::MerchantsOrigins => f.write_str("the merchant's origins"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Settings;

    fn expected(change: impl FnOnce(&mut Settings)) -> Expected {
        let mut settings = Settings {
            provider_url: Some("https://provider.example".into()),
            ..Settings::default()
        };
        change(&mut settings);
        Expected::of(&settings.resolve().unwrap(), true)
    }

    #[test]
    fn policy_and_headers_without_settings_must_match_exactly() {
        let expected = expected(|_| ());
        let allows = |name: &str, served: &str| expected.policy[name].allows(served, "");
        assert!(allows("default-src", "'none'") && !allows("default-src", "'self'"));
        assert!(allows("script-src", "'self'"));
        assert!(!allows("script-src", "'self' 'unsafe-inline'"));
        assert!(!allows("script-src", "'self' https://evil.example"));
        assert!(allows("frame-src", "'self' https://provider.example"));
        assert!(!allows("frame-src", "https://provider.example.evil.example"));
        assert_eq!(expected.headers["x-content-type-options"], "nosniff");
        assert!(expected.headers["strict-transport-security"].starts_with("max-age="));
    }

    #[test]
    fn a_fraud_script_is_allowed_only_from_its_configured_origin() {
        let expected = expected(|settings| {
            settings.fraud_script_url = Some("https://fraud.example/{site_id}/script.js".into());
        });
        let allows = |served: &str| expected.policy["script-src"].allows(served, "");
        assert!(allows("'self' https://fraud.example/abc/script.js"));
        assert!(!allows("'self' https://fraud.example.evil.example/abc/script.js"));
    }

    #[test]
    fn a_theme_is_allowed_only_by_its_own_hash() {
        let own = Directive::OwnStyles;
        assert!(own.allows("'self'", ""));
        assert!(own.allows(&style_source("p{color:red}"), "p{color:red}"));
        assert!(!own.allows(&style_source("p{color:red}"), "p{color:blue}"));
        assert!(!own.allows("'self' 'unsafe-inline'", ""));
    }
}
