//! Fetches a page as a shopper's browser does, by itself and in a frame. Compares headers, policy, document, data, scripts
//! and styles with the expected ones (PCI DSS 4.0.1, 11.6.1).

use std::collections::{BTreeSet, HashSet};
use std::time::Duration;

use page::{AssetsError, Pages, RenderLimits};
use protocol::clock::Clock;
use protocol::ids::sha256_hex;
use reqwest::Client;
use reqwest::redirect::Policy;
use serde::Deserialize;
use serde_json::Value;
use thiserror::Error;
use url::Url;

use super::difference::{Difference, SkippedCheck, compare_documents, compare_values, difference};
use super::expected::{Expected, compare_file_headers};
use super::inventory::{Inventory, PageFile, integrity};
use super::probe::{Probe, ProbedAnswer};
use super::sources::EvidenceSources;
use crate::config::Config;
use crate::pages::{FormRequest, ServiceDecisions, expected_form};

/// How long rendering the page may take here, on a machine that may be busy.
const RENDER_TIMEOUT: Duration = Duration::from_secs(15);
/// The tag before the page's data.
const DATA_ELEMENT: &str = "<script type=\"application/json\" id=\"page\">";

/// Why nothing could be compared.
#[derive(Debug, Error)]
pub enum VerifyError {
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
    /// Differences from the expected page and files.
    pub differences: Vec<Difference>,
    /// The parts that were not compared.
    pub not_compared: Vec<SkippedCheck>,
}

/// The expected pages of a service with these settings.
struct ExpectedService<'a> {
    sources: &'a EvidenceSources,
    expected: Expected,
    pages: Pages,
    probe: Probe,
}

/// Compares the page and its files with those that this binary serves.
pub async fn verify(
    page: &Url,
    config: &Config,
    inventory: &Inventory,
    sources: &EvidenceSources,
) -> Result<Verified, VerifyError> {
    let limits = RenderLimits {
        engines: 1,
        time: RENDER_TIMEOUT,
        ..RenderLimits::default()
    };
    let mut settings = config.pages.clone();
    if config.public_url.is_none() {
        settings.is_https = page.scheme() == "https";
    }
    let probe = Probe::new(Client::builder().redirect(Policy::none()), Clock::system());
    let service = ExpectedService {
        sources,
        expected: Expected::of(config, page.scheme() == "https"),
        pages: Pages::start(settings, limits)?,
        probe: probe.map_err(|error| VerifyError::Unreachable(error.to_string()))?,
    };
    let mut verified = Verified::default();
    service.page(page, true, &mut verified).await?;
    service.page(page, false, &mut verified).await?;
    for (path, file) in &inventory.files {
        service.file(page, path, file, &mut verified.differences).await;
    }
    // The page by itself and the page in a frame have most differences in common.
    let mut known = HashSet::new();
    let differences = &mut verified.differences;
    differences.retain(|difference| known.insert(difference.clone()));
    Ok(verified)
}

impl ExpectedService<'_> {
    /// The page at `address`, by itself or in a frame.
    async fn page(&self, address: &Url, standalone: bool, found: &mut Verified) -> Result<(), VerifyError> {
        let (destination, what) = if standalone {
            ("document", "document")
        } else {
            ("iframe", "document in a frame")
        };
        let served = self.probe.page(address.clone(), destination).await;
        let served = served.map_err(|no| VerifyError::Unreachable(no.why))?;
        let differences = &mut found.differences;
        self.expected.compare_page_headers(&served.headers, differences);
        if served.status != 200 {
            differences.push(difference("status", 200, served.status.to_string()));
            return Ok(());
        }
        let asked = match FormRequest::at(address, standalone) {
            Ok(asked) => asked,
            Err(error) => {
                differences.push(difference(what, format!("no card form: {error}"), "a page"));
                return Ok(());
            }
        };
        let data = page_data(&served.text()).unwrap_or_default();
        let Ok(of_service) = ServiceDecisions::deserialize(&data) else {
            let shape = format!("{DATA_ELEMENT} with the data of a form");
            differences.push(difference(what, shape, "no such data"));
            return Ok(());
        };
        self.form(what, &asked, &served, &data, of_service, found).await;
        Ok(())
    }

    async fn form(
        &self,
        what: &str,
        asked: &FormRequest<'_>,
        served: &ProbedAnswer,
        data: &Value,
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
        let known_key = self.sources.card_key_for(of_service.card_key.as_ref());
        of_service.card_key = known_key.or(of_service.card_key).filter(|_| calls_itself);
        let store = self.sources.store.as_ref().ok();
        let form = expected_form(&self.pages, store, asked, of_service).await;
        let differences = &mut found.differences;
        let known_origins = origins.as_deref().ok();
        self.expected
            .compare_policy(&served.headers, &form, known_origins, differences);
        let before = differences.len();
        compare_values(&form.data, data, differences);
        // Each differing value of the data is reported already.
        let reported = (differences.len() > before).then_some(DATA_ELEMENT);
        let html = served.text();
        let expected = if html.contains("<div id=\"root\"></div>") {
            &form.html_without_body
        } else {
            &form.html
        };
        compare_documents(what, expected, &html, reported, differences);
        // Other pages show no data of the database.
        let has_charge = form.has_charge || !asked.standalone || !calls_itself;
        for skipped in self.sources.not_compared(&origins, has_charge) {
            if found.not_compared.iter().all(|known| known.what != skipped.what) {
                found.not_compared.push(skipped);
            }
        }
    }

    /// Compares the file as a browser gets it from the page's origin.
    async fn file(&self, page: &Url, path: &str, file: &PageFile, found: &mut Vec<Difference>) {
        let Ok(address) = page.join(path) else { return };
        match self.probe.get(address).await {
            Err(no) => found.push(difference(path, &file.sha256, no.why)),
            Ok(served) if served.status != 200 => {
                let status = format!("status {}", served.status);
                found.push(difference(path, &file.sha256, status));
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

/// The page's data in a document, if there are any.
fn page_data(html: &str) -> Option<Value> {
    let (_, rest) = html.split_once(DATA_ELEMENT)?;
    let (data, _) = rest.split_once("</script>")?;
    serde_json::from_str(data).ok()
}

/// Whether both have the same texts, in any order.
fn are_same(some: &[String], others: &[String]) -> bool {
    let set = |texts: &[String]| texts.iter().cloned().collect::<BTreeSet<_>>();
    set(some) == set(others)
}

#[cfg(test)]
mod tests;
