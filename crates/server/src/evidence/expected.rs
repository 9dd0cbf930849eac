//! The headers of a page according to the settings, and the allowed value of each directive of its policy. A proxy may add
//! headers that browsers ignore. Headers that change the page or send data about it are reported.

use std::collections::{BTreeMap, BTreeSet};

use axum::http::{HeaderMap, HeaderName};
use page::{FormPolicy, frame_ancestors, headers_of_every_page, style_source};
use protocol::LANGUAGE_COOKIE;
use rules::AllowedOrigin;
use serde::Serialize;
use url::Url;

use super::difference::{Difference, NamedTexts, compare_texts, difference};
use crate::config::Config;
use crate::pages::ExpectedForm;
use web::cookie_id::COOKIE;

/// The header with the policy.
const POLICY: &str = "content-security-policy";

/// Headers that our answers do not have and that make browsers act: load a file, open another page, send reports, or
/// give other origins access. A name that ends in `-` stands for every header that begins with it.
const UNWANTED: &str = "accept-ch access-control- activate-storage-access attribution-reporting- clear-site-data \
     content-disposition content-security-policy- critical-ch cross-origin-embedder- \
     cross-origin-opener-policy- document-policy feature-policy link nel observe-browsing-topics \
     permissions-policy- refresh report-to reporting-endpoints service-worker-allowed set-cookie \
     sourcemap speculation-rules use-as-dictionary x-sourcemap";

/// How a page must be served.
#[derive(Debug, Clone, Serialize)]
pub struct Expected {
    /// All headers except the policy.
    pub headers: BTreeMap<String, String>,
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
        let mut headers: NamedTexts = headers
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
        let every_page = directives(&policy);
        let policy = directives(&widest_policy(config)).into_iter();
        let policy = policy.map(|(name, widest)| {
            let narrowest = &every_page[&name];
            let directive = match name.as_str() {
                "style-src" => Directive::OwnStyles,
                "frame-ancestors" => Directive::MerchantsOrigins,
                _ if *narrowest == widest => Directive::Exactly(widest),
                _ => {
                    let words = &words_of(narrowest) | &words_of(&widest);
                    Directive::SomeOf(words.into_iter().map(str::to_owned).collect())
                }
            };
            (name, directive)
        });
        Self {
            headers,
            policy: policy.collect(),
        }
    }

    /// Compares the headers of a page, except its policy.
    pub(super) fn compare_page_headers(&self, headers: &HeaderMap, found: &mut Vec<Difference>) {
        let mut expected = self.headers.clone();
        expected.insert("content-type".to_owned(), "text/html;charset=utf-8".to_owned());
        let is_ours = |cookie: &str| [COOKIE, LANGUAGE_COOKIE].contains(&cookie);
        compare_texts(&expected, &compared(headers, &expected, is_ours), found);
    }

    /// Compares the page's policy. `origins` are those that may embed it, if they are known.
    pub(super) fn compare_policy(
        &self,
        headers: &HeaderMap,
        form: &ExpectedForm,
        origins: Option<&[String]>,
        found: &mut Vec<Difference>,
    ) {
        let policies: Vec<_> = headers.get_all(POLICY).iter().collect();
        let [policy] = policies[..] else {
            found.push(difference(POLICY, "one", policies.len().to_string()));
            return;
        };
        let mut served = directives(&String::from_utf8_lossy(policy.as_bytes()));
        let mut policy = self.policy.clone();
        if !form.font_origins.is_empty() {
            let fonts = Directive::Exactly(form.font_origins.join(" "));
            policy.insert("font-src".to_owned(), fonts);
        }
        for (name, directive) in policy {
            // An absent directive has no words.
            let words = served.remove(&name).unwrap_or_default();
            if directive == Directive::MerchantsOrigins {
                compare_ancestors(&words, origins, form, found);
            } else if !directive.allows(&words, &form.theme) {
                found.push(difference(&name, &directive, words));
            }
        }
        for (name, words) in &served {
            found.push(difference(name, "not in the policy", words));
        }
    }
}

/// Compares the headers of a script or style sheet that decide how browsers use the file.
pub(super) fn compare_file_headers(
    headers: &HeaderMap,
    path: &str,
    content_type: &str,
    found: &mut Vec<Difference>,
) {
    let mut expected = NamedTexts::from([
        ("content-type".to_owned(), bare_type(content_type)),
        ("x-content-type-options".to_owned(), "nosniff".to_owned()),
    ]);
    // Merchants' pages on other origins load the SDK.
    if path.starts_with("/sdk/") {
        expected.insert("access-control-allow-origin".to_owned(), "*".to_owned());
    }
    let before = found.len();
    compare_texts(&expected, &compared(headers, &expected, |_| false), found);
    for difference in &mut found[before..] {
        difference.what = format!("{} of {path}", difference.what);
    }
}

/// The headers of an answer that are expected or unwanted. A cookie of ours is neither.
fn compared(headers: &HeaderMap, expected: &NamedTexts, is_our_cookie: impl Fn(&str) -> bool) -> NamedTexts {
    let is_unwanted = |name: &str| {
        let mut unwanted = UNWANTED.split_whitespace();
        unwanted.any(|known| known == name || known.ends_with('-') && name.starts_with(known))
    };
    let mut found = NamedTexts::new();
    for name in headers.keys().map(HeaderName::as_str) {
        let values = headers.get_all(name).iter();
        let texts = values.map(|value| String::from_utf8_lossy(value.as_bytes()).into_owned());
        let text: Vec<_> = match name {
            // Only the name, because the value may be a secret.
            "set-cookie" => texts
                .map(|cookie| cookie.split('=').next().unwrap_or_default().trim().to_owned())
                .filter(|cookie| !is_our_cookie(cookie))
                .collect(),
            "content-type" => texts.map(|text| bare_type(&text)).collect(),
            _ => texts.collect(),
        };
        if !text.is_empty() && (expected.contains_key(name) || is_unwanted(name)) {
            found.insert(name.to_owned(), text.join(", "));
        }
    }
    found
}

/// A content type without spaces and in small letters, because proxies may write it otherwise.
fn bare_type(text: &str) -> String {
    text.to_ascii_lowercase().replace(' ', "")
}

/// Compares the origins that may embed the page: exactly the merchant's. If these are not known, the policy must agree
/// with the page's own data and must not allow every origin.
fn compare_ancestors(
    words: &str,
    origins: Option<&[String]>,
    form: &ExpectedForm,
    found: &mut Vec<Difference>,
) {
    const NAME: &str = "frame-ancestors";
    let is_origin = |word: &str| AllowedOrigin::parse(word).is_some();
    if origins.is_none() && words != "'none'" && !words.split(' ').all(is_origin) {
        let how = "the merchant's origins: name each with --allowed-origin ORIGIN, or say --any-origin for a merchant \
                   that has none";
        found.push(difference(NAME, how, words));
        return;
    }
    let named: Vec<String> = serde_json::from_value(form.data["allowed_origins"].clone()).unwrap_or_default();
    let expected = frame_ancestors(origins.unwrap_or(&named));
    if words_of(words) != words_of(&expected) {
        found.push(difference(NAME, expected, words));
    }
}

fn words_of(text: &str) -> BTreeSet<&str> {
    text.split(' ').collect()
}

/// The directives of a policy, by name. Browsers use the first of two with the same name.
fn directives(policy: &str) -> BTreeMap<String, String> {
    let parts = policy.split(';').map(str::trim).filter(|part| !part.is_empty());
    parts
        .rev()
        .map(|part| {
            let (name, value) = part.split_once(char::is_whitespace).unwrap_or((part, ""));
            let words: Vec<_> = value.split_whitespace().collect();
            (name.to_ascii_lowercase(), words.join(" "))
        })
        .collect()
}

/// The policy of a page that uses everything that the settings allow, and a web font.
fn widest_policy(config: &Config) -> String {
    let origin = |url: &Url| url.origin().ascii_serialization();
    let settings = &config.pages;
    let of_settings = config.provider_public_url.iter().chain(&config.provider.url);
    let of_connector = config.provider.page_sources().iter();
    let of_connector = of_connector.map(|source| (*source).to_owned());
    let provider: Vec<String> = of_settings.map(origin).chain(of_connector).collect();
    let provider = provider.join(" ");
    let fraud = settings.fraud_scripts.as_ref();
    let fraud_script = fraud.map(|scripts| format!("{}*", scripts.before_site_id()));
    let suffix = settings.dynamic_environment_suffix.as_deref();
    FormPolicy {
        ancestors: String::new(),
        challenges: &provider,
        device_data: Some(&provider),
        // Every subdomain of the suffix; a link names one of them.
        service: &suffix.map_or(String::new(), |suffix| format!("https://*.{suffix}:8092")),
        shows_challenges: true,
        style: "",
        fonts: &[],
        fraud_script: fraud_script.as_deref(),
        fraud_origins: fraud.map_or(&[], |scripts| &scripts.origins),
        ip_lookup: settings.ip_lookup.origin.as_deref(),
    }
    .to_text()
}

impl Directive {
    /// Whether the served value is allowed in a document with this theme.
    fn allows(&self, served: &str, theme: &str) -> bool {
        match self {
            Self::Exactly(words) => served == words,
            Self::OwnStyles => served == style_source(theme),
            // The origins are compared for each page separately.
            Self::MerchantsOrigins => !served.is_empty(),
            Self::SomeOf(words) => {
                let is_allowed = |word: &str| words.iter().any(|allowed| matches_pattern(word, allowed));
                !served.is_empty() && served.split(' ').all(is_allowed)
            }
        }
    }
}

/// Whether it is the pattern's text. A `*` stands for any text.
fn matches_pattern(word: &str, pattern: &str) -> bool {
    match pattern.split_once('*') {
        Some((before, after)) => word
            .strip_prefix(before)
            .is_some_and(|rest| rest.ends_with(after)),
        None => word == pattern,
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
mod tests;
