//! Checks the address of a merchant's page, and whether its origin may embed the form. The SDK's doctor, which runs in the
//! page, finds policies that block the form (docs/doctor.md#in-your-page).

use reqwest::Method;
use serde_json::Value;
use url::Url;

use super::DoctorTargets;
use super::finding::{Diagnosis, FindingCode};
use super::running_service::at;
use super::settings::origin_of;
use crate::config::is_unencrypted;
use crate::evidence::probe::{Probe, ProbedAnswer, seen};

/// How many redirects of the page are followed.
pub(super) const REDIRECTS_MAX: usize = 5;

/// Examines the page. `answers`: the service answers, so it can be asked about the page's origin.
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
        Ok(answer) => {
            let page = &answer.url;
            if is_unencrypted(page) {
                found.add(FindingCode::PageNotHttps, named(page));
            } else if page.scheme() == "https" && is_unencrypted(service) {
                let what = format!("{} is https, and {} is not", named(page), origin_of(service));
                found.add(FindingCode::MixedContent, what);
            }
            if let Some((code, what)) = sandbox(&answer, service) {
                found.add(code, format!("{} has {what}", named(page)));
            }
        }
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

/// What takes from the form what it needs: a sandbox of the page, or of a frame that leads to the service.
fn sandbox(page: &ProbedAnswer, service: &Url) -> Option<(FindingCode, &'static str)> {
    let is_too_strict = |flags: &str| {
        let has = |flag: &str| {
            flags
                .split(|c: char| c != '-' && !c.is_ascii_alphabetic())
                .any(|one| one == flag)
        };
        has("sandbox") && !(has("allow-scripts") && has("allow-same-origin"))
    };
    let policies = page.headers.get_all("content-security-policy").iter();
    let mut policies = policies
        .filter_map(|policy| policy.to_str().ok())
        .flat_map(|policy| policy.split([';', ',']));
    if policies.any(|directive| is_too_strict(&directive.to_ascii_lowercase())) {
        return Some((
            FindingCode::PageSandboxed,
            "a content-security-policy with sandbox",
        ));
    }
    let html = page.text().to_ascii_lowercase();
    let tags = html
        .split("<iframe")
        .skip(1)
        .filter_map(|rest| rest.split('>').next());
    let mut frames = tags.filter(|tag| tag.contains(&origin_of(service)));
    frames
        .any(is_too_strict)
        .then_some((FindingCode::FrameSandboxed, "a frame with the attribute sandbox"))
}

/// The page after redirects.
async fn fetched(page: &Url, probe: &Probe) -> Result<ProbedAnswer, String> {
    let answer = probe.page(page.clone(), "document").await;
    let answer = answer.map_err(|no| no.why)?;
    match answer.status {
        200 => Ok(answer),
        status => Err(format!("it answers {status}")),
    }
}

/// An address without query and fragment.
fn named(page: &Url) -> String {
    format!("{}{}", origin_of(page), page.path())
}

/// Asks the service whether this page may embed the payload's form.
async fn admission(page: &Url, service: &Url, payload: &str, probe: &Probe, found: &mut Diagnosis) {
    let mut address = at(service, "/v1/pub/embedding");
    address.query_pairs_mut().append_pair("payload", payload);
    let origin = origin_of(page);
    let request = probe.request(Method::GET, address).header("origin", &origin);
    let Ok(answer) = seen(request).await else { return };
    let answer: Value = serde_json::from_slice(&answer.body).unwrap_or_default();
    // A refused payload is reported with the service.
    if answer["result"] == "origin-not-allowed" {
        found.add(FindingCode::OriginNotAllowed, origin);
    }
}
