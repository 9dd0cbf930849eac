//! Fetches a page as a shopper's browser does, and compares headers, scripts and styles with what they must be (PCI DSS
//! 4.0.1, 11.6.1).

use std::time::Duration;

use reqwest::redirect::Policy;
use reqwest::{Client, Response};
use serde::Serialize;
use thiserror::Error;
use url::Url;

use super::document::loads;
use super::expected::{Expected, directives};
use super::inventory::{Inventory, integrity};
use crate::ids::sha256_hex;

/// How long each answer may take.
const TIMEOUT: Duration = Duration::from_secs(15);
const POLICY: &str = "content-security-policy";

/// Why nothing could be compared.
#[derive(Debug, Error)]
pub enum VerifyError {
    /// What was given is no page's address.
    #[error("the page's address must be an http(s) URL")]
    Address,
    /// The page does not come. The address is not repeated: it may hold a payload.
    #[error("the page cannot be fetched: {0}")]
    Unreachable(String),
}

/// Something that is served otherwise than it must be.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Difference {
    /// A header, a directive of the policy, or a file's path.
    pub what: String,
    /// What it must be.
    pub expected: String,
    /// What it is; empty when it is not there.
    pub served: String,
}

#[expect(
    clippy::needless_pass_by_value,
    reason = "numbers and texts are given as they are"
)]
fn difference(what: &str, expected: impl ToString, served: impl ToString) -> Difference {
    Difference {
        what: what.to_owned(),
        expected: expected.to_string(),
        served: served.to_string(),
    }
}

/// What differs at `address`.
pub async fn verify(
    address: &str,
    expected: &Expected,
    inventory: &Inventory,
) -> Result<Vec<Difference>, VerifyError> {
    let page = Url::parse(address).map_err(|_| VerifyError::Address)?;
    if !matches!(page.scheme(), "http" | "https") {
        return Err(VerifyError::Address);
    }
    let client = Client::builder()
        .timeout(TIMEOUT)
        .redirect(Policy::none())
        .build()
        .map_err(unreachable)?;
    let answer = client
        .get(page.clone())
        .header("accept", "text/html")
        .header("sec-fetch-dest", "document")
        .send()
        .await
        .map_err(unreachable)?;
    let mut found = Vec::new();
    if answer.status() != 200 {
        found.push(difference("status", 200, answer.status().as_u16()));
    }
    compare_headers(&answer, expected, &mut found);
    let policies: Vec<_> = answer.headers().get_all(POLICY).iter().cloned().collect();
    let html = answer.text().await.map_err(unreachable)?;
    let loads = loads(&html);
    compare_policy(&policies, expected, &loads.inline_styles.concat(), &mut found);
    if loads.inline_scripts > 0 {
        found.push(difference("inline scripts", 0, loads.inline_scripts));
    }
    if loads.inline_styles.len() > 1 {
        found.push(difference(
            "inline style sheets",
            "the theme's alone",
            loads.inline_styles.len(),
        ));
    }
    let references = loads
        .scripts
        .iter()
        .map(|script| ("script", script))
        .chain(loads.styles.iter().map(|style| ("style", style)));
    let mut first = Vec::new();
    for (kind, (address, claimed)) in references {
        let known = inventory.files.get(address).filter(|file| file.kind == kind);
        match known {
            None => found.push(difference(
                address,
                format!("no {kind} of this build"),
                "in the page",
            )),
            Some(file) => {
                first.push(address.as_str());
                if let Some(claimed) = claimed
                    && *claimed != file.integrity
                {
                    found.push(difference(
                        &format!("integrity of {address}"),
                        &file.integrity,
                        claimed,
                    ));
                }
            }
        }
    }
    for (path, file) in &inventory.files {
        if file.loaded == "first" && !first.contains(&path.as_str()) {
            found.push(difference(
                path,
                format!("a {} of the page", file.kind),
                "not in the page",
            ));
        }
        compare_file(&client, &page, path, &file.sha256, &mut found).await;
    }
    Ok(found)
}

fn compare_headers(answer: &Response, expected: &Expected, found: &mut Vec<Difference>) {
    for (name, value) in &expected.headers {
        let served: Vec<_> = answer
            .headers()
            .get_all(name)
            .iter()
            .map(|value| String::from_utf8_lossy(value.as_bytes()).into_owned())
            .collect();
        let served = served.join(", ");
        if served != *value {
            found.push(difference(name, value, served));
        }
    }
}

fn compare_policy(
    served: &[reqwest::header::HeaderValue],
    expected: &Expected,
    theme: &str,
    found: &mut Vec<Difference>,
) {
    let [served] = served else {
        found.push(difference(POLICY, "one", served.len()));
        return;
    };
    let served = directives(&String::from_utf8_lossy(served.as_bytes()));
    for (name, directive) in &expected.policy {
        let words = served.get(name).map(String::as_str);
        if !words.is_some_and(|words| directive.allows(words, theme)) {
            found.push(difference(name, directive, words.unwrap_or_default()));
        }
    }
    for (name, words) in &served {
        if !expected.policy.contains_key(name) {
            found.push(difference(name, "not in the policy", words));
        }
    }
}

/// The file as a browser gets it from where the page is.
async fn compare_file(client: &Client, page: &Url, path: &str, sha256: &str, found: &mut Vec<Difference>) {
    let Ok(address) = page.join(path) else { return };
    let served = async {
        let answer = client
            .get(address)
            .send()
            .await
            .map_err(|_| "no answer".to_owned())?;
        if answer.status() != 200 {
            return Err(format!("status {}", answer.status().as_u16()));
        }
        answer.bytes().await.map_err(|_| "no answer".to_owned())
    };
    match served.await {
        Err(served) => found.push(difference(path, sha256, served)),
        Ok(bytes) if sha256_hex(&bytes) == sha256 => {}
        Ok(bytes) => found.push(difference(
            path,
            sha256,
            format!("{} ({})", sha256_hex(&bytes), integrity(&bytes)),
        )),
    }
}

#[allow(clippy::needless_pass_by_value, reason = "it is given to map_err")]
fn unreachable(cause: reqwest::Error) -> VerifyError {
    VerifyError::Unreachable(cause.without_url().to_string())
}
