//! What is wrong with the service as it arrives here: the way to it, and what stands before it.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use model::ids::sha256_hex;
use reqwest::Method;
use serde_json::Value;
use url::Url;
use wire::Sensitive;

use super::DoctorTargets;
use super::finding::{Diagnosis, FindingCode};
use super::probe::{Probe, ProbedAnswer, seen};
use super::settings::{origin_of, skewed};
use crate::evidence::Inventory;
use page::headers_of_every_page;

/// A certificate that ends sooner is reported.
const CERTIFICATE_DAYS_MIN: i64 = 21;
const DAY_SECONDS: i64 = 86_400;
/// Longer than the service allows, so that it refuses the header if it arrives.
const TOO_LONG_KEY: usize = 300;
/// The script that merchants' pages load.
const SDK: &str = "/sdk/cardform.js";

/// Looks at the service. Returns whether it answers as ours.
pub(super) async fn examine(
    url: &Url,
    targets: &DoctorTargets,
    probe: &Probe,
    found: &mut Diagnosis,
) -> bool {
    let name = origin_of(url);
    let health = match probe.get(at(url, "/healthz")).await {
        Ok(seen) => seen,
        Err(no) if no.is_certificate => {
            found.add(FindingCode::CertificateRefused, format!("{name}: {}", no.why));
            return false;
        }
        Err(no) => {
            found.add(
                FindingCode::ServiceUnreachable,
                format!("{name} does not answer: {}", no.why),
            );
            return false;
        }
    };
    if let Some(end) = health.certificate_end {
        let days = (end - probe.now_seconds()) / DAY_SECONDS;
        if days < CERTIFICATE_DAYS_MIN {
            found.add(
                FindingCode::CertificateEnds,
                format!("the certificate of {name} ends in {days} days"),
            );
        }
    }
    if health.status != 200 || health.text() != "ok" {
        found.add(
            FindingCode::NotCardform,
            format!("{name}/healthz answers {} and not `ok`", health.status),
        );
        return false;
    }
    if let Some(ahead) = probe.skew(&health) {
        found.add(FindingCode::ClockSkew, skewed(&name, ahead));
    }
    if let Ok(ready) = probe.get(at(url, "/readyz")).await
        && ready.status != 200
    {
        let reason: String = ready.text().chars().take(200).collect();
        found.add(
            FindingCode::NotReady,
            format!("{name}/readyz answers {}: {reason}", ready.status),
        );
    }
    let is_same_version = version(url, &name, probe, found).await;
    page(url, &name, targets.payload.as_deref(), probe, found).await;
    if is_same_version {
        script(url, &name, probe, found).await;
    }
    request_headers(url, &name, probe, found).await;
    if let Some(secret) = &targets.client_secret {
        client_secret(url, &name, secret, probe, found).await;
    }
    true
}

/// An address of the service.
pub(super) fn at(url: &Url, path: &str) -> Url {
    let mut address = url.clone();
    address.set_path(path);
    address.set_query(None);
    address.set_fragment(None);
    address
}

async fn version(url: &Url, name: &str, probe: &Probe, found: &mut Diagnosis) -> bool {
    let ours = env!("CARGO_PKG_VERSION");
    let Ok(seen) = probe.get(at(url, "/builds/latest.json")).await else {
        return false;
    };
    let latest: Value = serde_json::from_slice(&seen.body).unwrap_or_default();
    match latest["version"].as_str() {
        Some(version) if version == ours => true,
        Some(version) => {
            found.add(
                FindingCode::OtherVersion,
                format!("{name} runs {version}, and this is the doctor of {ours}"),
            );
            false
        }
        None => {
            found.add(
                FindingCode::PageRewritten,
                format!("{name}/builds/latest.json does not arrive as the service answers it"),
            );
            false
        }
    }
}

/// The form's page, or without a payload the page that says so: both have the same headers.
async fn page(url: &Url, name: &str, payload: Option<&str>, probe: &Probe, found: &mut Diagnosis) {
    let mut address = at(url, "/");
    if let Some(payload) = payload {
        address.query_pairs_mut().append_pair("payload", payload);
    }
    let asked = probe
        .request(Method::GET, address)
        .header("accept", "text/html")
        .header("sec-fetch-dest", "iframe");
    let Ok(seen) = seen(asked).await else {
        found.add(FindingCode::NotCardform, format!("{name}/ does not answer"));
        return;
    };
    let policy = joined(&seen, "content-security-policy");
    if !policy.contains("frame-ancestors") || !policy.contains("script-src") {
        found.add(
            FindingCode::PolicyMissing,
            format!("{name}/ has the content-security-policy `{}`", shortened(&policy)),
        );
    }
    let options = joined(&seen, "x-frame-options");
    if !options.is_empty() {
        found.add(
            FindingCode::FrameBlocked,
            format!("{name}/ has x-frame-options: {}", shortened(&options)),
        );
    }
    for (header, value) in &headers_of_every_page().1 {
        let expected = String::from_utf8_lossy(value.as_bytes());
        let served = joined(&seen, header.as_str());
        if served != expected {
            found.add(
                FindingCode::HeaderChanged,
                format!(
                    "{name}/ has {header}: `{}` instead of `{expected}`",
                    shortened(&served)
                ),
            );
        }
    }
    let age = joined(&seen, "age");
    if !age.is_empty() && age != "0" {
        found.add(
            FindingCode::PageCached,
            format!("{name}/ comes from a cache, {} seconds old", shortened(&age)),
        );
    }
}

async fn script(url: &Url, name: &str, probe: &Probe, found: &mut Diagnosis) {
    let Ok(inventory) = Inventory::of_this_build(None) else {
        return;
    };
    let Some(file) = inventory.files.get(SDK) else {
        return;
    };
    if let Ok(seen) = probe.get(at(url, SDK)).await
        && (seen.status != 200 || sha256_hex(&seen.body) != file.sha256)
    {
        found.add(
            FindingCode::PageRewritten,
            format!(
                "{name}{SDK} arrives with {} bytes, status {}; the service has {}",
                seen.body.len(),
                seen.status,
                file.bytes
            ),
        );
    }
}

/// Whether the headers of requests arrive at the service. It answers differently with and without them, and does
/// nothing.
async fn request_headers(url: &Url, name: &str, probe: &Probe, found: &mut Diagnosis) {
    let asked = probe
        .request(Method::GET, at(url, "/v1/pub/charges/ch_doctor"))
        .bearer_auth("doctor");
    if let Ok(seen) = seen(asked).await
        && seen.error_code().as_deref() == Some("client_secret_missing")
    {
        found.add(
            FindingCode::AuthorizationDropped,
            format!("{name} does not get the header Authorization"),
        );
    }
    let asked = probe
        .request(Method::POST, at(url, "/v1/charges"))
        .header("idempotency-key", "k".repeat(TOO_LONG_KEY));
    if let Ok(seen) = seen(asked).await
        && seen.error_code().as_deref() == Some("secret_key_invalid")
    {
        found.add(
            FindingCode::IdempotencyKeyDropped,
            format!("{name} does not get the header Idempotency-Key"),
        );
    }
}

async fn client_secret(url: &Url, name: &str, secret: &Sensitive, probe: &Probe, found: &mut Diagnosis) {
    let Some(ClaimedCharge { charge, partner }) = claims_of(secret) else {
        found.add(
            FindingCode::ClientSecretRefused,
            "the client secret cannot be read",
        );
        return;
    };
    let path = format!("/v1/pub/charges/{charge}");
    let asked = probe
        .request(Method::GET, at(url, &path))
        .bearer_auth(secret.expose());
    let Ok(answer) = seen(asked).await else { return };
    match answer.error_code().as_deref() {
        Some("client_secret_expired") => {
            found.add(
                FindingCode::ClientSecretExpired,
                format!("the client secret of {charge} is over"),
            );
            return;
        }
        Some("client_secret_invalid") => {
            found.add(
                FindingCode::ClientSecretRefused,
                format!("the client secret of {charge} is refused"),
            );
            return;
        }
        Some(_) => return,
        None => {}
    }
    // Another partner is refused, if the service hears of it.
    let asked = probe
        .request(Method::GET, at(url, &path))
        .bearer_auth(secret.expose())
        .header("partner-id", "doctor");
    if let Ok(answer) = seen(asked).await
        && answer.error_code().is_none()
    {
        found.add(
            FindingCode::PartnerIdDropped,
            format!("{name} does not get the header partner-id"),
        );
        return;
    }
    // The headers are read before the body. Without a body nothing is paid.
    let asked = probe
        .request(Method::POST, at(url, "/v1/pub/direct/charges"))
        .bearer_auth(secret.expose())
        .header("partner-id", partner)
        .header("cookie-id", "k".repeat(TOO_LONG_KEY));
    if let Ok(answer) = seen(asked).await
        && answer.error_code().as_deref() == Some("unsupported_media_type")
    {
        found.add(
            FindingCode::CookieIdDropped,
            format!("{name} does not get the header cookie-id"),
        );
    }
}

/// What a client secret claims, unproved.
struct ClaimedCharge {
    charge: String,
    partner: String,
}

fn claims_of(secret: &Sensitive) -> Option<ClaimedCharge> {
    let claims = secret.expose().split('.').nth(1)?;
    let claims: Value = serde_json::from_slice(&URL_SAFE_NO_PAD.decode(claims).ok()?).ok()?;
    let id = |name: &str| {
        let id = claims[name].as_str()?;
        let is_id = id.len() < 100 && id.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
        is_id.then(|| id.to_owned())
    };
    Some(ClaimedCharge {
        charge: id("charge_id")?,
        partner: id("sub")?,
    })
}

pub(super) fn joined(seen: &ProbedAnswer, name: &str) -> String {
    let values = seen.headers.get_all(name).iter();
    let texts: Vec<_> = values
        .map(|value| String::from_utf8_lossy(value.as_bytes()))
        .collect();
    texts.join(", ")
}

/// At most this much of what a server sent is repeated.
pub(super) fn shortened(text: &str) -> String {
    let plain = text.chars().filter(|c| !c.is_control());
    plain.take(120).collect()
}
