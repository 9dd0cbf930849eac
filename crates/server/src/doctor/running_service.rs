//! Finds mistakes in the running service as this machine sees it, and in the proxies before it.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use page::headers_of_every_page;
use protocol::Sensitive;
use protocol::ids::sha256_hex;
use reqwest::{Method, RequestBuilder};
use serde_json::Value;
use url::Url;

use super::DoctorTargets;
use super::finding::{Diagnosis, FindingCode};
use super::settings::{origin_of, skewed};
use crate::evidence::Inventory;
use crate::evidence::probe::{Probe, ProbedAnswer, seen};

/// A certificate that ends sooner is reported.
const CERTIFICATE_DAYS_MIN: i64 = 21;
const DAY_SECONDS: i64 = 86_400;
/// Longer than the service allows, so that the service refuses the header if it arrives.
const TOO_LONG_KEY: usize = 300;
/// The script that merchants' pages load.
const SDK: &str = "/sdk/cardform.js";

/// The service that is examined.
struct Examined<'a> {
    url: &'a Url,
    /// Its origin.
    name: String,
    probe: &'a Probe,
    found: &'a mut Diagnosis,
}

/// Examines the service. Returns whether Cardform answers at its address.
pub(super) async fn examine(
    url: &Url,
    targets: &DoctorTargets,
    probe: &Probe,
    found: &mut Diagnosis,
) -> bool {
    let name = origin_of(url);
    let mut service = Examined {
        url,
        name,
        probe,
        found,
    };
    if !service.is_alive().await {
        return false;
    }
    service.readiness().await;
    let is_same_version = service.is_same_version().await;
    service.page(targets.payload.as_deref()).await;
    if let Some(payload) = &targets.payload {
        service.payload(payload).await;
    }
    if is_same_version {
        service.script().await;
    }
    service.request_headers().await;
    if let Some(secret) = &targets.client_secret {
        service.client_secret(secret).await;
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

impl Examined<'_> {
    /// Adds a finding whose text begins with the service's origin.
    fn add(&mut self, code: FindingCode, what: &str) {
        self.found.add(code, format!("{}{what}", self.name));
    }

    fn add_dropped(&mut self, code: FindingCode, header: &str) {
        self.add(code, &format!(" does not get the header {header}"));
    }

    fn request(&self, method: Method, path: &str) -> RequestBuilder {
        self.probe.request(method, at(self.url, path))
    }

    /// The code of the error that the service answers, if it answers with an error.
    async fn error_of(&self, request: RequestBuilder) -> Option<String> {
        seen(request).await.ok()?.error_code()
    }

    async fn is_alive(&mut self) -> bool {
        let health = match self.probe.get(at(self.url, "/healthz")).await {
            Ok(seen) => seen,
            Err(no) if no.is_certificate => {
                self.add(FindingCode::CertificateRefused, &format!(": {}", no.why));
                return false;
            }
            Err(no) => {
                let what = format!(" does not answer: {}", no.why);
                self.add(FindingCode::ServiceUnreachable, &what);
                return false;
            }
        };
        if let Some(end) = health.certificate_end {
            let days = (end - self.probe.now_seconds()) / DAY_SECONDS;
            if days < CERTIFICATE_DAYS_MIN {
                let what = format!("'s certificate ends in {days} days");
                self.add(FindingCode::CertificateEnds, &what);
            }
        }
        if health.status != 200 || health.text() != "ok" {
            let what = format!("/healthz answers {} and not `ok`", health.status);
            self.add(FindingCode::NotCardform, &what);
            return false;
        }
        if let Some(ahead) = self.probe.skew(&health) {
            let what = skewed(&self.name, ahead);
            self.found.add(FindingCode::ClockSkew, what);
        }
        true
    }

    async fn readiness(&mut self) {
        if let Ok(ready) = self.probe.get(at(self.url, "/readyz")).await
            && ready.status != 200
        {
            let what = format!("/readyz answers {}: {}", ready.status, shortened(&ready.text()));
            self.add(FindingCode::NotReady, &what);
        }
    }

    async fn is_same_version(&mut self) -> bool {
        let ours = env!("CARGO_PKG_VERSION");
        let Ok(seen) = self.probe.get(at(self.url, "/builds/latest.json")).await else {
            return false;
        };
        let latest: Value = serde_json::from_slice(&seen.body).unwrap_or_default();
        let Some(version) = latest["version"].as_str() else {
            let what = "/builds/latest.json does not arrive as the service answers it";
            self.add(FindingCode::PageRewritten, what);
            return false;
        };
        if version != ours {
            let what = format!(" runs {version}, and this is the doctor of {ours}");
            self.add(FindingCode::OtherVersion, &what);
        }
        version == ours
    }

    /// Checks the headers of the form's page. Without a payload it is an error page, which has the same headers.
    async fn page(&mut self, payload: Option<&str>) {
        let mut address = at(self.url, "/");
        if let Some(payload) = payload {
            address.query_pairs_mut().append_pair("payload", payload);
        }
        let Ok(seen) = self.probe.page(address, "iframe").await else {
            self.add(FindingCode::NotCardform, "/ does not answer");
            return;
        };
        let header = |name: &str| shortened(&joined(&seen, name));
        let policy = joined(&seen, "content-security-policy");
        if !policy.contains("frame-ancestors") || !policy.contains("script-src") {
            let what = format!("/ has the content-security-policy `{}`", shortened(&policy));
            self.add(FindingCode::PolicyMissing, &what);
        }
        let options = header("x-frame-options");
        if !options.is_empty() {
            let what = format!("/ has x-frame-options: {options}");
            self.add(FindingCode::FrameBlocked, &what);
        }
        for (name, value) in &headers_of_every_page().1 {
            let expected = String::from_utf8_lossy(value.as_bytes());
            if joined(&seen, name.as_str()) != expected {
                let served = header(name.as_str());
                let what = format!("/ has {name}: `{served}` instead of `{expected}`");
                self.add(FindingCode::HeaderChanged, &what);
            }
        }
        let age = header("age");
        if !age.is_empty() && age != "0" {
            let what = format!("/ comes from a cache, {age} seconds old");
            self.add(FindingCode::PageCached, &what);
        }
    }

    /// Asks whether the form shows for the payload.
    async fn payload(&mut self, payload: &str) {
        let mut address = at(self.url, "/v1/pub/embedding");
        address.query_pairs_mut().append_pair("payload", payload);
        let Ok(answer) = self.probe.get(address).await else {
            return;
        };
        let answer: Value = serde_json::from_slice(&answer.body).unwrap_or_default();
        if answer["result"] == "payload-refused" {
            self.found
                .add(FindingCode::PayloadRefused, "the payload is refused");
        }
    }

    async fn script(&mut self) {
        let Ok(inventory) = Inventory::of_this_build(None) else {
            return;
        };
        let Some(file) = inventory.files.get(SDK) else {
            return;
        };
        if let Ok(seen) = self.probe.get(at(self.url, SDK)).await
            && (seen.status != 200 || sha256_hex(&seen.body) != file.sha256)
        {
            let (served, status, bytes) = (seen.body.len(), seen.status, file.bytes);
            let what = format!("{SDK} arrives with {served} bytes, status {status}; the service has {bytes}");
            self.add(FindingCode::PageRewritten, &what);
        }
    }

    /// Checks that the headers of requests arrive at the service. Its errors differ with and without them, and the requests
    /// change nothing.
    async fn request_headers(&mut self) {
        let request = self.request(Method::GET, "/v1/pub/charges/ch_doctor");
        let error = self.error_of(request.bearer_auth("doctor")).await;
        if error.as_deref() == Some("client_secret_missing") {
            self.add_dropped(FindingCode::AuthorizationDropped, "Authorization");
        }
        let request = self.request(Method::POST, "/v1/charges");
        let request = request.header("idempotency-key", "k".repeat(TOO_LONG_KEY));
        if self.error_of(request).await.as_deref() == Some("secret_key_invalid") {
            self.add_dropped(FindingCode::IdempotencyKeyDropped, "Idempotency-Key");
        }
    }

    async fn client_secret(&mut self, secret: &Sensitive) {
        let Some((charge, partner)) = claims_of(secret) else {
            let what = "the client secret cannot be read";
            self.found.add(FindingCode::ClientSecretRefused, what);
            return;
        };
        let path = format!("/v1/pub/charges/{charge}");
        let asked = self.request(Method::GET, &path).bearer_auth(secret.expose());
        let Ok(answer) = seen(asked).await else { return };
        let code = match answer.error_code().as_deref() {
            Some("client_secret_expired") => FindingCode::ClientSecretExpired,
            Some("client_secret_invalid") => FindingCode::ClientSecretRefused,
            Some(_) => return,
            None => return self.headers_of_the_form(secret, &path, &partner).await,
        };
        self.found
            .add(code, format!("the client secret of {charge} is not accepted"));
    }

    /// Checks that the form's own headers arrive. The client secret is valid.
    async fn headers_of_the_form(&mut self, secret: &Sensitive, path: &str, partner: &str) {
        // The service refuses another partner if the header arrives.
        let asked = self.request(Method::GET, path).bearer_auth(secret.expose());
        if let Ok(answer) = seen(asked.header("partner-id", "doctor")).await
            && answer.error_code().is_none()
        {
            self.add_dropped(FindingCode::PartnerIdDropped, "partner-id");
            return;
        }
        // The headers are read before the body. Without a body nothing is paid.
        let asked = self
            .request(Method::POST, "/v1/pub/direct/charges")
            .bearer_auth(secret.expose())
            .header("partner-id", partner)
            .header("cookie-id", "k".repeat(TOO_LONG_KEY));
        if self.error_of(asked).await.as_deref() == Some("unsupported_media_type") {
            self.add_dropped(FindingCode::CookieIdDropped, "cookie-id");
        }
    }
}

/// The charge and the partner in a client secret's claims. Its signature is not checked.
fn claims_of(secret: &Sensitive) -> Option<(String, String)> {
    let claims = secret.expose().split('.').nth(1)?;
    let claims: Value = serde_json::from_slice(&URL_SAFE_NO_PAD.decode(claims).ok()?).ok()?;
    let id = |name: &str| {
        let id = claims[name].as_str()?;
        let is_id = id.len() < 100 && id.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
        is_id.then(|| id.to_owned())
    };
    Some((id("charge_id")?, id("sub")?))
}

fn joined(seen: &ProbedAnswer, name: &str) -> String {
    let values = seen.headers.get_all(name).iter();
    let texts: Vec<_> = values
        .map(|value| String::from_utf8_lossy(value.as_bytes()))
        .collect();
    texts.join(", ")
}

/// The beginning of a server's text, without control characters.
fn shortened(text: &str) -> String {
    let plain = text.chars().filter(|c| !c.is_control());
    plain.take(120).collect()
}
