//! Fetches a page as a shopper's browser does, by itself and in a frame, and compares headers, policy, document, data,
//! scripts and styles with the expected ones (PCI DSS 4.0.1, 11.6.1).

use std::io::Read;
use std::time::Duration;

use axum::http::{HeaderMap, HeaderValue};
use flate2::read::GzDecoder;
use model::ids::sha256_hex;
use page::{AssetsError, Pages, RenderLimits};
use reqwest::Client;
use reqwest::redirect::Policy;
use serde::Deserialize;
use serde_json::Value;
use thiserror::Error;
use url::Url;

use super::difference::{Difference, NotCompared, compare_values, difference};
use super::document::{DATA_ELEMENT, compare_documents, page_data};
use super::expected::Expected;
use super::headers::{compare_file_headers, compare_headers, compare_policy};
use super::inventory::{Inventory, PageFile, integrity};
use super::sources::EvidenceSources;
use crate::config::Config;
use crate::pages::{FormRequest, ServiceDecisions, expected_form};

/// How long each answer may take.
const TIMEOUT: Duration = Duration::from_secs(15);
/// How long rendering the page may take here, on a machine that may be busy.
const RENDER_TIMEOUT: Duration = Duration::from_secs(15);
/// How many bytes are unpacked of a compressed answer; all our files are much smaller.
const BODY_BYTES_MAX: u64 = 16 * 1024 * 1024;

/// Why nothing could be compared.
#[derive(Debug, Error)]
pub enum VerifyError {
    /// The text is not the address of a page.
    #[error("the page's address must be an http(s) URL")]
    Address,
    /// The page cannot be fetched. The address is left out, because it may have a payload.
    #[error("the page cannot be fetched: {0}")]
    Unreachable(String),
    /// This binary cannot render the page.
    #[error(transparent)]
    Assets(#[from] AssetsError),
}

/// The result of the comparison.
#[derive(Debug, Default)]
pub struct Verified {
    /// What differs from what must be served.
    pub differences: Vec<Difference>,
    /// What was not compared.
    pub not_compared: Vec<NotCompared>,
}

impl Verified {
    /// Adds the findings of the page in a frame; those that are the same are reported once.
    fn add(&mut self, more: Self) {
        for difference in more.differences {
            if !self.differences.contains(&difference) {
                self.differences.push(difference);
            }
        }
        for skipped in more.not_compared {
            if !self
                .not_compared
                .iter()
                .any(|sources| sources.what == skipped.what)
            {
                self.not_compared.push(skipped);
            }
        }
    }
}

/// What the pages of a service with these settings must match.
struct ExpectedService<'a> {
    sources: &'a EvidenceSources,
    expected: Expected,
    pages: Pages,
    client: Client,
}

/// Compares the page at `address` and its files with what must be served.
pub async fn verify(
    address: &str,
    config: &Config,
    inventory: &Inventory,
    sources: &EvidenceSources,
) -> Result<Verified, VerifyError> {
    let page = Url::parse(address).map_err(|_| VerifyError::Address)?;
    if !matches!(page.scheme(), "http" | "https") {
        return Err(VerifyError::Address);
    }
    let limits = RenderLimits {
        engines: 1,
        time: RENDER_TIMEOUT,
        ..RenderLimits::default()
    };
    let mut settings = config.pages.clone();
    if config.public_url.is_none() {
        settings.is_https = page.scheme() == "https";
    }
    let service = ExpectedService {
        sources,
        expected: Expected::of(config, page.scheme() == "https"),
        pages: Pages::start(settings, limits)?,
        client: Client::builder()
            .timeout(TIMEOUT)
            .redirect(Policy::none())
            .build()
            .map_err(unreachable)?,
    };
    let mut verified = service.page(&page, true).await?;
    verified.add(service.page(&page, false).await?);
    for (path, file) in &inventory.files {
        service.file(&page, path, file, &mut verified.differences).await;
    }
    Ok(verified)
}

impl ExpectedService<'_> {
    /// The page at `address`, by itself or in a frame.
    async fn page(&self, address: &Url, standalone: bool) -> Result<Verified, VerifyError> {
        let mut found = Verified::default();
        let destination = if standalone { "document" } else { "iframe" };
        let request = self.client.get(address.clone()).header("accept", "text/html");
        let served = fetched(request.header("sec-fetch-dest", destination))
            .await
            .map_err(VerifyError::Unreachable)?;
        compare_headers(&served.headers, &self.expected, &mut found.differences);
        if served.status != 200 {
            found.differences.push(difference("status", 200, served.status));
            return Ok(found);
        }
        let html = String::from_utf8_lossy(&served.body);
        let what = if standalone {
            "document"
        } else {
            "document in a frame"
        };
        let asked = match FormRequest::at(address, standalone) {
            Ok(asked) => asked,
            Err(error) => {
                let refused = difference(what, format!("no card form: {error}"), "a page");
                found.differences.push(refused);
                return Ok(found);
            }
        };
        let data = page_data(&html).unwrap_or_default();
        let Ok(of_service) = ServiceDecisions::deserialize(&data) else {
            let shape = format!("{DATA_ELEMENT} with the data of a form");
            found.differences.push(difference(what, shape, "no such data"));
            return Ok(found);
        };
        self.form(&asked, &served.headers, (&html, &data), of_service, &mut found)
            .await;
        Ok(found)
    }

    async fn form(
        &self,
        asked: &FormRequest<'_>,
        headers: &HeaderMap,
        (html, data): (&str, &Value),
        mut of_service: ServiceDecisions,
        found: &mut Verified,
    ) {
        let origins = self.sources.origins_of(&asked.payload.intent.partner_id).await;
        if let Ok(origins) = &origins
            && !are_same(origins, &of_service.allowed_origins)
        {
            of_service.allowed_origins.clone_from(origins);
        }
        // The key of another service is not known to this one.
        let calls_itself = asked.calls_itself(self.pages.settings());
        if calls_itself {
            let key = self.sources.card_key_for(of_service.card_key.as_ref());
            of_service.card_key = key.or(of_service.card_key);
        } else {
            of_service.card_key = None;
        }
        let store = self.sources.store.as_ref();
        let form = expected_form(&self.pages, store, asked, of_service).await;
        let differences = &mut found.differences;
        compare_policy(
            headers,
            &self.expected,
            &form,
            origins.as_deref().ok(),
            differences,
        );
        let before = differences.len();
        compare_values("", &form.data, data, differences);
        let data_differ = differences.len() > before;
        let has_body = !html.contains("<div id=\"root\"></div>");
        let (what, expected) = match (asked.standalone, has_body) {
            (true, true) => ("document", &form.html),
            (true, false) => ("document", &form.html_without_body),
            (false, true) => ("document in a frame", &form.html),
            (false, false) => ("document in a frame", &form.html_without_body),
        };
        compare_documents(what, expected, html, data_differ, differences);
        // Otherwise the page shows nothing that is in the database.
        let has_charge = form.has_charge || !asked.standalone || !calls_itself;
        found.not_compared = self.sources.not_compared(&origins, has_charge);
    }

    /// Compares the file as a browser gets it from the page's origin.
    async fn file(&self, page: &Url, path: &str, file: &PageFile, found: &mut Vec<Difference>) {
        let Ok(address) = page.join(path) else { return };
        match fetched(self.client.get(address)).await {
            Err(why) => found.push(difference(path, &file.sha256, why)),
            Ok(served) if served.status != 200 => {
                found.push(difference(
                    path,
                    &file.sha256,
                    format!("status {}", served.status),
                ));
            }
            Ok(served) => {
                let sha256 = sha256_hex(&served.body);
                if sha256 != file.sha256 {
                    let served = format!("{sha256} ({})", integrity(&served.body));
                    found.push(difference(path, &file.sha256, served));
                }
                compare_file_headers(&served.headers, path, &file.content_type, found);
            }
        }
    }
}

fn are_same(some: &[String], others: &[String]) -> bool {
    let sorted = |texts: &[String]| {
        let mut texts = texts.to_vec();
        texts.sort_unstable();
        texts
    };
    sorted(some) == sorted(others)
}

struct Served {
    status: u16,
    headers: HeaderMap,
    body: Vec<u8>,
}

/// The answer, unpacked if a proxy has compressed it although this was not asked for; otherwise why there is none.
async fn fetched(request: reqwest::RequestBuilder) -> Result<Served, String> {
    let with_operator_values = |cause: reqwest::Error| cause.without_url().to_string();
    let answer = request.send().await.map_err(with_operator_values)?;
    let status = answer.status().as_u16();
    let headers = answer.headers().clone();
    let mut body = answer.bytes().await.map_err(with_operator_values)?.to_vec();
    match headers.get("content-encoding").map(HeaderValue::as_bytes) {
        None | Some(b"identity") => {}
        Some(b"gzip") => {
            let mut plain = Vec::new();
            let mut unpacked = GzDecoder::new(&*body).take(BODY_BYTES_MAX);
            unpacked
                .read_to_end(&mut plain)
                .map_err(|error| format!("no gzip: {error}"))?;
            body = plain;
        }
        Some(_) => return Err("packed in a way that was not asked for".to_owned()),
    }
    Ok(Served {
        status,
        headers,
        body,
    })
}

#[allow(clippy::needless_pass_by_value, reason = "it is given to map_err")]
fn unreachable(cause: reqwest::Error) -> VerifyError {
    VerifyError::Unreachable(cause.without_url().to_string())
}
