//! What in a merchant's page keeps the form from being shown.

use reqwest::Method;
use serde_json::Value;
use url::Url;

use super::DoctorTargets;
use super::content_policy::{AskedLoad, ContentPolicy};
use super::finding::{Diagnosis, FindingCode};
use super::markup::tags;
use super::probe::{Probe, ProbedAnswer, seen};
use super::running_service::at;
use super::settings::origin_of;
use crate::config::is_unencrypted;

/// How many redirects of the page are followed.
const REDIRECTS_MAX: usize = 5;
/// The paths of the SDK's script begin so.
const SDK: &str = "/sdk/";

/// Looks at the page; `answers` says whether the service does.
pub(super) async fn examine(
    page: &Url,
    service: &Url,
    targets: &DoctorTargets,
    answers: bool,
    probe: &Probe,
    found: &mut Diagnosis,
) {
    match fetched(page, probe).await {
        Err(why) => found.add(FindingCode::PageUnreachable, format!("{}: {why}", named(page))),
        Ok((page, seen)) => embedding(&page, &seen, service, found),
    }
    let Some(payload) = &targets.payload else {
        found.skip(
            "whether the merchant allows the page's origin",
            "no payload is given (--payload)",
        );
        return;
    };
    if answers {
        admission(page, service, payload, probe, found).await;
    }
}

/// The page, and where it is after redirects.
async fn fetched(page: &Url, probe: &Probe) -> Result<(Url, ProbedAnswer), String> {
    let mut address = page.clone();
    for _ in 0..=REDIRECTS_MAX {
        let asked = probe
            .request(Method::GET, address.clone())
            .header("accept", "text/html")
            .header("sec-fetch-dest", "document");
        let answer = seen(asked).await.map_err(|no| no.why)?;
        let next = answer.headers.get("location").and_then(|to| to.to_str().ok());
        match (answer.status, next) {
            (300..=399, Some(to)) => {
                address = address
                    .join(to)
                    .map_err(|_| "it leads to no address".to_owned())?;
                if !matches!(address.scheme(), "http" | "https") {
                    return Err("it leads to no page".to_owned());
                }
            }
            (200, _) => return Ok((address, answer)),
            (status, _) => return Err(format!("it answers {status}")),
        }
    }
    Err(format!("it leads on more than {REDIRECTS_MAX} times"))
}

/// An address without query and fragment.
fn named(page: &Url) -> String {
    format!("{}{}", origin_of(page), page.path())
}

/// What the page's answer says about our frame and script.
fn embedding(page: &Url, seen: &ProbedAnswer, service: &Url, found: &mut Diagnosis) {
    let html = seen.text();
    let name = named(page);
    if is_unencrypted(page) {
        found.add(FindingCode::PageNotHttps, name.clone());
    }
    let scripts = sdk_scripts(&html, page, service);
    let of_ours = scripts.iter().chain([service]);
    for plain in of_ours.filter(|url| page.scheme() == "https" && is_unencrypted(url)) {
        found.add(
            FindingCode::MixedContent,
            format!("{name} is https, and {} is not", origin_of(plain)),
        );
    }
    let frame = at(service, "/");
    let question = at(service, "/v1/pub/embedding");
    for (place, policy) in policies(seen, &html) {
        let mut report = |code, wanted, url: &Url| {
            if let Some(directive) = policy.forbids(wanted, url, page) {
                let directive: String = directive.chars().take(200).collect();
                found.add(code, format!("{name} has in its {place}: {directive}"));
            }
        };
        report(FindingCode::PageBlocksFrame, AskedLoad::Frame, &frame);
        report(FindingCode::PageBlocksConnect, AskedLoad::Connection, &question);
        for script in &scripts {
            report(FindingCode::PageBlocksScript, AskedLoad::Script, script);
        }
    }
}

/// The page's policies, and where each stands.
fn policies(seen: &ProbedAnswer, html: &str) -> Vec<(&'static str, ContentPolicy)> {
    let mut found = Vec::new();
    for value in seen.headers.get_all("content-security-policy") {
        let text = String::from_utf8_lossy(value.as_bytes());
        found.extend(
            ContentPolicy::all_of(&text)
                .into_iter()
                .map(|policy| ("header", policy)),
        );
    }
    for meta in tags(html, "meta") {
        let is_policy = meta
            .attribute("http-equiv")
            .is_some_and(|name| name.eq_ignore_ascii_case("content-security-policy"));
        if let Some(text) = meta.attribute("content").filter(|_| is_policy) {
            found.extend(
                ContentPolicy::all_of(text)
                    .into_iter()
                    .map(|policy| ("<meta>", policy)),
            );
        }
    }
    found
}

/// The page's `<script>`s that load the SDK from the service's host.
fn sdk_scripts(html: &str, page: &Url, service: &Url) -> Vec<Url> {
    let scripts = tags(html, "script");
    let sources = scripts.iter().filter_map(|script| script.attribute("src"));
    let urls = sources.filter_map(|source| page.join(source.trim()).ok());
    urls.filter(|url| url.host() == service.host() && url.path().starts_with(SDK))
        .collect()
}

/// Asks the service whether this page may embed the form of the payload.
async fn admission(page: &Url, service: &Url, payload: &str, probe: &Probe, found: &mut Diagnosis) {
    let mut address = at(service, "/v1/pub/embedding");
    address.query_pairs_mut().append_pair("payload", payload);
    let origin = origin_of(page);
    let asked = probe.request(Method::GET, address).header("origin", &origin);
    let Ok(answer) = seen(asked).await else { return };
    let answer: Value = serde_json::from_slice(&answer.body).unwrap_or_default();
    match answer["result"].as_str() {
        Some("origin-not-allowed") => found.add(FindingCode::OriginNotAllowed, origin),
        Some("payload-refused") => found.add(FindingCode::PayloadRefused, "the payload is refused"),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use axum::http::{HeaderMap, HeaderValue};

    use super::*;

    fn findings(page: &str, policy: &'static str, html: &str) -> Vec<FindingCode> {
        let mut headers = HeaderMap::new();
        if !policy.is_empty() {
            headers.insert("content-security-policy", HeaderValue::from_static(policy));
        }
        let seen = ProbedAnswer {
            status: 200,
            headers,
            body: html.as_bytes().to_vec(),
            certificate_end: None,
        };
        let mut found = Diagnosis::default();
        let service = Url::parse("http://pay.example").unwrap();
        let service = if html.contains("https://pay.example") {
            Url::parse("https://pay.example").unwrap()
        } else {
            service
        };
        embedding(&Url::parse(page).unwrap(), &seen, &service, &mut found);
        found.findings.iter().map(|finding| finding.code).collect()
    }

    const SCRIPT: &str = "<script src=\"https://pay.example/sdk/cardform.js\"></script>";

    #[test]
    fn a_page_that_allows_the_form_has_no_findings() {
        assert_eq!(findings("https://shop.example/", "", SCRIPT), []);
        let policy = "default-src 'none'; script-src https://pay.example; frame-src https://pay.example; \
                      connect-src https://pay.example";
        assert_eq!(findings("https://shop.example/", policy, SCRIPT), []);
    }

    #[test]
    fn http_in_https_is_mixed_and_a_plain_page_is_named() {
        let mixed = "<script src=\"http://pay.example/sdk/cardform.js\"></script>";
        assert_eq!(
            findings("https://shop.example/", "", mixed),
            [FindingCode::MixedContent]
        );
        assert_eq!(
            findings("http://shop.example/", "", SCRIPT),
            [FindingCode::PageNotHttps]
        );
    }

    #[test]
    fn a_policy_in_the_page_counts_as_one_in_its_header() {
        let html = format!(
            "<meta http-equiv=\"Content-Security-Policy\" content=\"frame-src &#39;self&#39;; connect-src *\">{SCRIPT}"
        );
        assert_eq!(
            findings("https://shop.example/", "", &html),
            [FindingCode::PageBlocksFrame]
        );
    }
}
