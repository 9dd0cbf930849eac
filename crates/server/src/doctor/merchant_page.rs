//! Whether a merchant's page may show the form, as far as the page's address tells. The SDK's doctor, which runs in the
//! page, finds policies that block the form (docs/doctor.md#in-your-page).

use reqwest::Method;
use serde_json::Value;
use url::Url;

use super::DoctorTargets;
use super::finding::{Diagnosis, FindingCode};
use super::running_service::at;
use super::settings::origin_of;
use crate::config::is_unencrypted;
use crate::evidence::probe::{Probe, seen};

/// How many redirects of the page are followed.
const REDIRECTS_MAX: usize = 5;

/// Looks at the page; `answers` says whether the service does.
pub(super) async fn examine(
    page: &Url,
    service: &Url,
    targets: &DoctorTargets,
    answers: bool,
    probe: &Probe,
    found: &mut Diagnosis,
) {
    match last_address(page, probe).await {
        Err(why) => found.add(FindingCode::PageUnreachable, format!("{}: {why}", named(page))),
        Ok(page) if is_unencrypted(&page) => found.add(FindingCode::PageNotHttps, named(&page)),
        Ok(page) if page.scheme() == "https" && is_unencrypted(service) => found.add(
            FindingCode::MixedContent,
            format!("{} is https, and {} is not", named(&page), origin_of(service)),
        ),
        Ok(_) => {}
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

/// The address of the page after redirects.
async fn last_address(page: &Url, probe: &Probe) -> Result<Url, String> {
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
            (200, _) => return Ok(address),
            (status, _) => return Err(format!("it answers {status}")),
        }
    }
    Err(format!("it leads on more than {REDIRECTS_MAX} times"))
}

/// An address without query and fragment.
fn named(page: &Url) -> String {
    format!("{}{}", origin_of(page), page.path())
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
