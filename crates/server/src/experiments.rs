//! Experiments: which features a shopper gets, decided on the server from a features document in GrowthBook's format
//! (docs/experiments.md), so that the rendered page and the hydrated one agree.

mod attributes;
mod brands;
pub mod cookie_id;
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
pub use explanation::{Explanation, PassedOver};
pub use outcome::{Assigned, DecidedBy, Outcome};
pub use publication::Published;
pub use refresh::{FeaturesSettings, Refresher};
pub use source::FeaturesSource;

/// The document of the moment, and what it says to whom. Cheap to clone.
#[derive(Clone)]
pub struct Experiments(Arc<RwLock<Arc<Document>>>);

impl Experiments {
    /// Decides by `document` until another one comes.
    pub fn new(document: Document) -> Self {
        Self(Arc::new(RwLock::new(Arc::new(document))))
    }

    /// Decides by `document` from now on.
    pub fn replace(&self, document: Document) {
        *self.0.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(document);
    }

    /// The document of the moment. Whoever asks twice may get two.
    pub fn document(&self) -> Arc<Document> {
        Arc::clone(&self.0.read().unwrap_or_else(PoisonError::into_inner))
    }
}
