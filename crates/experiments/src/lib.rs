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
mod outcome;
mod publication;
mod refresh;
mod rule;
mod source;

use std::sync::{Arc, PoisonError, RwLock};

pub use attributes::Attributes;
pub use decryption::DecryptionKey;
pub use document::{DOCUMENT_BYTES_MAX, Document, DocumentError};
pub use explanation::{Explanation, SkippedRule};
pub use outcome::{Assigned, DecidedBy, Outcome};
pub use publication::Published;
pub use refresh::{FeaturesSettings, Refresher};
pub use source::FeaturesSource;

/// The features document in use. Cheap to clone; all clones see a replaced document.
#[derive(Clone)]
pub struct Experiments(Arc<RwLock<Arc<Document>>>);

impl Experiments {
    /// Starts with `document`.
    pub fn new(document: Document) -> Self {
        Self(Arc::new(RwLock::new(Arc::new(document))))
    }

    /// Uses `document` from now on.
    pub fn replace(&self, document: Document) {
        *self.0.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(document);
    }

    /// The document in use. Two calls may return different documents.
    pub fn document(&self) -> Arc<Document> {
        Arc::clone(&self.0.read().unwrap_or_else(PoisonError::into_inner))
    }
}
