//! Every script and style sheet that the form's page may load, with its purpose and its hash (PCI DSS 4.0.1, 6.4.3).

use std::collections::BTreeMap;

use aws_lc_rs::digest::{SHA384, digest};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use protocol::ids::sha256_hex;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use page::{built, content_type_of, sdk_scripts};

/// The purpose of each file of the page, by the source that it is built from. A script that is missing here fails the
/// tests.
const PURPOSES: &str = "\
src/browser.tsx | The card form: fields, checks, messages with the merchant's page, the payment
src/card-page.tsx | The card page: lists, names and removes the shopper's saved cards, and adds one
src/challenge-return.ts | Tells the window that opened a 3-D Secure challenge that it is over
card-networks | The choice between the networks of a card, which paying and the saved cards share
src/charging.ts | Pays: seals card number and security code with the service's public key, sends the charge, watches its outcome
charges | The calls about a charge, which paying and the saved cards share
src/deferred.ts | Deferred work: tracking, newer builds, the report on the theme, fetching scripts ahead
src/i18n/load-language.ts | Fetches the texts of another language when the language is switched
late-views | Views after the first drawing: saved cards, the 3-D Secure challenge, the outcome, the payment page's foot
notes | Tells a merchant's developer about mistakes on the console, for two of the scripts
page-change | Changes the open form when the merchant's page asks: its look, options, amount
src/payments/device-data-collection.ts | Asks the provider for a device data session in a hidden frame
src/payments/shopper-agent.ts | Looks up the client's address, and loads the fraud prevention's script
saved-cards | Lists and removes the shopper's saved cards, for the form and the card page
src/view/error-page.tsx | The error pages
style.css | The look of the form";
/// The purpose of the SDK's scripts.
const SDK: &str =
    "The SDK: puts the form's frame into a merchant's page, and shows 3-D Secure challenges there";
/// The script that shows mistakes in embedding the form. No page for shoppers needs it.
const DOCTOR_PATH: &str = "sdk/doctor.js";
/// Its purpose.
const DOCTOR: &str =
    "For a merchant's page under development only: shows mistakes in how the form is embedded";
/// The authorisation of each file.
const AUTHORISED: &str = "the build of this version, whose commit was reviewed";
/// The purpose of a source that is missing in the table. A test of the service finds it.
const UNKNOWN: &str = "Unknown: this file has no stated purpose";
/// The purpose of the fraud prevention's script.
const FRAUD: &str = "Fraud prevention: a third party's script that the operator has configured";

/// Why there is no inventory.
#[derive(Debug, Error)]
pub enum InventoryError {
    /// The page is not built.
    #[error("the page is not built: run `cargo xtask build`")]
    NotBuilt,
    /// The build's manifest has an unexpected format.
    #[error("the page's build cannot be read: {0}")]
    Unreadable(#[from] serde_json::Error),
}

/// The scripts and style sheets that the page loads.
#[derive(Debug, Clone, Serialize)]
pub struct Inventory {
    /// Our own files, by their path.
    pub files: BTreeMap<String, PageFile>,
    /// Scripts of third parties, by the address in the settings.
    pub third_party_scripts: BTreeMap<String, &'static str>,
}

/// A script or style sheet of ours.
#[derive(Debug, Clone, Serialize)]
pub struct PageFile {
    /// `script` or `style`.
    pub kind: &'static str,
    /// Its purpose.
    pub purpose: &'static str,
    /// `first`: with the page; `deferred`: when it is needed; `other_page`: not by the form's page; `merchants_page`:
    /// by the pages that embed the form.
    pub loaded: &'static str,
    /// Its authorisation.
    pub authorised_by: &'static str,
    /// The content type with which it is served.
    pub content_type: String,
    /// Its SHA-256 in hexadecimal.
    pub sha256: String,
    /// Its SHA-384 as an `integrity` attribute has it.
    pub integrity: String,
    /// Its size.
    pub bytes: usize,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ManifestEntry {
    file: String,
    #[serde(default)]
    is_entry: bool,
}

impl Inventory {
    /// The inventory of this binary's build, with the fraud prevention's script if one is configured.
    pub fn of_this_build(fraud_script: Option<&str>) -> Result<Self, InventoryError> {
        let manifest = built("page/.vite/manifest.json").ok_or(InventoryError::NotBuilt)?;
        let manifest: BTreeMap<String, ManifestEntry> = serde_json::from_slice(&manifest)?;
        let mut files = BTreeMap::new();
        for (source, entry) in &manifest {
            let kind = match entry.file.rsplit('.').next() {
                Some("js") => "script",
                Some("css") => "style",
                _ => continue,
            };
            let loaded = match (source.as_str(), entry.is_entry, kind) {
                ("src/challenge-return.ts", ..) => "other_page",
                (_, true, _) | (_, _, "style") => "first",
                _ => "deferred",
            };
            let file = PageFile::of(&format!("page/{}", entry.file), kind, purpose(source), loaded)?;
            files.insert(format!("/{}", entry.file), file);
        }
        for path in sdk_scripts() {
            let purpose = if path == DOCTOR_PATH { DOCTOR } else { SDK };
            let file = PageFile::of(&path, "script", purpose, "merchants_page")?;
            files.insert(format!("/{path}"), file);
        }
        let third_party_scripts = fraud_script.map(|script| (script.to_owned(), FRAUD));
        Ok(Self {
            files,
            third_party_scripts: third_party_scripts.into_iter().collect(),
        })
    }
}

impl PageFile {
    fn of(
        path: &str,
        kind: &'static str,
        purpose: &'static str,
        loaded: &'static str,
    ) -> Result<Self, InventoryError> {
        let bytes = built(path).ok_or(InventoryError::NotBuilt)?;
        Ok(Self {
            kind,
            purpose,
            loaded,
            authorised_by: AUTHORISED,
            content_type: content_type_of(path),
            sha256: sha256_hex(&bytes),
            integrity: integrity(&bytes),
            bytes: bytes.len(),
        })
    }
}

fn purpose(source: &str) -> &'static str {
    let source = shared_name(source).unwrap_or(source);
    let mut rows = PURPOSES.lines().filter_map(|row| row.split_once(" | "));
    let purpose = rows.find(|(known, _)| *known == source);
    purpose.map_or(UNKNOWN, |(_, purpose)| purpose)
}

/// The name of a script that several others share. It has no source of its own; in the manifest it is `_name-hash.js`.
fn shared_name(source: &str) -> Option<&str> {
    const HASH_BYTES: usize = 8;
    let named = source.strip_prefix('_')?.strip_suffix(".js")?;
    named
        .get(..named.len().checked_sub(HASH_BYTES)?)?
        .strip_suffix('-')
}

/// The hash as an `integrity` attribute has it.
pub(super) fn integrity(bytes: &[u8]) -> String {
    format!("sha384-{}", STANDARD.encode(digest(&SHA384, bytes)))
}
