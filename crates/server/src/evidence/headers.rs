//! Compares the headers of an answer and its policy with the expected ones. A proxy may add headers that browsers
//! ignore; those that change the page or send data about it are reported.

use axum::http::HeaderMap;
use page::frame_ancestors;
use rules::AllowedOrigin;
use wire::LANGUAGE_COOKIE;

use super::difference::{Difference, difference, shortened};
use super::expected::{Directive, Expected, directives};
use crate::experiments::cookie_id::COOKIE;
use crate::pages::ExpectedForm;

const POLICY: &str = "content-security-policy";

/// Headers that our answers do not have and that make browsers act: load a file, open another page, send reports, or
/// give other origins access.
const UNWANTED: [&str; 32] = [
    "accept-ch",
    "activate-storage-access",
    "attribution-reporting-register-os-source",
    "attribution-reporting-register-os-trigger",
    "attribution-reporting-register-source",
    "attribution-reporting-register-trigger",
    "access-control-allow-credentials",
    "access-control-allow-headers",
    "access-control-allow-methods",
    "access-control-allow-origin",
    "access-control-expose-headers",
    "clear-site-data",
    "content-disposition",
    "content-security-policy-report-only",
    "critical-ch",
    "cross-origin-embedder-policy",
    "cross-origin-embedder-policy-report-only",
    "cross-origin-opener-policy-report-only",
    "document-policy",
    "feature-policy",
    "link",
    "nel",
    "observe-browsing-topics",
    "permissions-policy-report-only",
    "refresh",
    "report-to",
    "reporting-endpoints",
    "service-worker-allowed",
    "sourcemap",
    "speculation-rules",
    "use-as-dictionary",
    "x-sourcemap",
];

fn served(headers: &HeaderMap, name: &str) -> String {
    let values: Vec<_> = headers
        .get_all(name)
        .iter()
        .map(|value| String::from_utf8_lossy(value.as_bytes()))
        .collect();
    values.join(", ")
}

/// Compares the headers of a page, except its policy.
pub(super) fn compare_headers(headers: &HeaderMap, expected: &Expected, found: &mut Vec<Difference>) {
    for (name, value) in &expected.headers {
        let served = served(headers, name);
        if served != *value {
            found.push(difference(name, value, served));
        }
    }
    compare_type(headers, "content-type", "text/html; charset=utf-8", found);
    compare_unwanted(headers, &UNWANTED, str::to_owned, found);
    for cookie in headers.get_all("set-cookie") {
        let cookie = String::from_utf8_lossy(cookie.as_bytes());
        let name = cookie.split('=').next().unwrap_or_default().trim();
        if ![COOKIE, LANGUAGE_COOKIE].contains(&name) {
            found.push(difference(
                "set-cookie",
                format!("{COOKIE} or {LANGUAGE_COOKIE}"),
                shortened(name),
            ));
        }
    }
}

/// Compares the headers of a script or a style sheet, which decide whether browsers use the file and only the file.
pub(super) fn compare_file_headers(
    headers: &HeaderMap,
    path: &str,
    content_type: &str,
    found: &mut Vec<Difference>,
) {
    compare_type(headers, &format!("content-type of {path}"), content_type, found);
    let sniffed = served(headers, "x-content-type-options");
    if sniffed != "nosniff" {
        found.push(difference(
            &format!("x-content-type-options of {path}"),
            "nosniff",
            sniffed,
        ));
    }
    // Merchants' pages on other origins load the SDK.
    let is_sdk = path.starts_with("/sdk/");
    let unwanted: Vec<_> = UNWANTED
        .into_iter()
        .filter(|name| !(is_sdk && *name == "access-control-allow-origin"))
        .chain(["set-cookie"])
        .collect();
    compare_unwanted(headers, &unwanted, |name| format!("{name} of {path}"), found);
}

fn compare_unwanted(
    headers: &HeaderMap,
    unwanted: &[&str],
    what: impl Fn(&str) -> String,
    found: &mut Vec<Difference>,
) {
    for name in unwanted {
        if headers.contains_key(*name) {
            found.push(difference(
                &what(name),
                "not there",
                shortened(&served(headers, name)),
            ));
        }
    }
}

/// Compares a content type. Proxies may write it with other spaces and in other case.
fn compare_type(headers: &HeaderMap, what: &str, expected: &str, found: &mut Vec<Difference>) {
    let served = served(headers, "content-type");
    let bare = |text: &str| text.to_ascii_lowercase().replace(' ', "");
    if bare(&served) != bare(expected) {
        found.push(difference(what, expected, served));
    }
}

/// Compares the page's policy. `origins` are those that may embed it, if they are known.
pub(super) fn compare_policy(
    headers: &HeaderMap,
    expected: &Expected,
    form: &ExpectedForm,
    origins: Option<&[String]>,
    found: &mut Vec<Difference>,
) {
    let policies = headers.get_all(POLICY);
    let mut policies = policies.iter();
    let (Some(policy), None) = (policies.next(), policies.next()) else {
        found.push(difference(POLICY, "one", headers.get_all(POLICY).iter().count()));
        return;
    };
    let served = directives(&String::from_utf8_lossy(policy.as_bytes()));
    let fonts = (!form.font_origins.is_empty()).then(|| Directive::Exactly(form.font_origins.join(" ")));
    let fonts = fonts.map(|fonts| ("font-src".to_owned(), fonts));
    for (name, directive) in expected.policy.clone().into_iter().chain(fonts.clone()) {
        let words = served.get(&name).map_or("", String::as_str);
        if directive == Directive::MerchantsOrigins {
            compare_ancestors(words, origins, form, found);
        } else if !served.contains_key(&name) || !directive.allows(words, &form.theme) {
            found.push(difference(&name, &directive, words));
        }
    }
    for (name, words) in &served {
        let is_fonts = fonts.as_ref().is_some_and(|(fonts, _)| fonts == name);
        if !expected.policy.contains_key(name) && !is_fonts {
            found.push(difference(name, "not in the policy", words));
        }
    }
}

/// Compares who may embed the page: exactly the merchant's origins. If these are not known, the policy must agree with
/// the page's own data and must not allow everybody.
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
    if sorted(words) != sorted(&expected) {
        found.push(difference(NAME, expected, words));
    }
}

fn sorted(words: &str) -> Vec<&str> {
    let mut words: Vec<_> = words.split(' ').collect();
    words.sort_unstable();
    words
}
