//! Experiments: which features a shopper gets. The server decides it from a features document in GrowthBook's format
//! (docs/experiments.md), so that the page is the same before and after hydration.

mod attributes;
mod brands;
mod decryption;
mod document;
mod evaluation;
pub mod experiment_token;
mod explanation;
pub mod features;
mod publication;
mod refresh;
mod rule;
mod source;

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError, RwLock};

use protocol::Features;
use rules::RuleExperiments;

pub use attributes::Attributes;
pub use decryption::DecryptionKey;
pub use document::{DOCUMENT_BYTES_MAX, Document, DocumentError};
pub use evaluation::{Assigned, Outcome};
pub use explanation::{Explanation, SkippedRule};
pub use publication::Published;
pub use refresh::{FeaturesSettings, Refresher};
pub use source::FeaturesSource;

/// So many charges with forced features are remembered, because a demo may run for long. Then all are forgotten.
const FORCED_CHARGES_MAX: usize = 10_000;

/// The features document in use. Cheap to clone; all clones see a replaced document.
#[derive(Clone)]
pub struct Experiments {
    document: Arc<RwLock<Arc<Document>>>,
    /// By charge: the rules of its page, if the page's options forced features. Only a demo has any.
    forced: Arc<Mutex<HashMap<String, RuleExperiments>>>,
}

impl Experiments {
    /// Starts with `document`.
    pub fn new(document: Document) -> Self {
        Self {
            document: Arc::new(RwLock::new(Arc::new(document))),
            forced: Arc::default(),
        }
    }

    /// Uses `document` from now on.
    pub fn replace(&self, document: Document) {
        *self.document.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(document);
    }

    /// The document in use. Two calls may return different documents.
    pub fn document(&self) -> Arc<Document> {
        Arc::clone(&self.document.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Checks the charge's card with the rules of these features, which its page's options forced. `None` ends that.
    pub fn force(&self, charge_id: &str, features: Option<Features>) {
        let mut forced = self.forced.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(features) = features else {
            forced.remove(charge_id);
            return;
        };
        if forced.len() >= FORCED_CHARGES_MAX {
            forced.clear();
        }
        let rules = RuleExperiments {
            luhn: features.card_form_card_number_luhn_alg_validation,
            security_code_length: features.card_form_card_security_length_limit_validation,
            expiry_limit: features.card_form_card_expiry_date_limit_validation,
        };
        forced.insert(charge_id.to_owned(), rules);
    }

    /// Which checks the card of this charge must pass: the same as on its page.
    pub fn validation(&self, charge_id: &str, attributes: &Attributes) -> RuleExperiments {
        let forced = self.forced.lock().unwrap_or_else(PoisonError::into_inner);
        let rules = forced.get(charge_id).copied();
        drop(forced);
        rules.unwrap_or_else(|| self.document().validation(attributes))
    }
}

#[cfg(test)]
mod tests;
