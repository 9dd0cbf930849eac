//! The tokens whose signature this process has made or checked lately. A shopper's page sends the same client secret
//! with each call, and checking its signature would take an eighth of a charge's processor time.
//!
//! Only digests are kept. They say nothing about a token's key, expiry and claims, which are checked each time.

use std::sync::Arc;

use aws_lc_rs::digest::{SHA256, SHA256_OUTPUT_LEN, digest};
use quick_cache::sync::Cache;

/// How many: as many as charges are usually begun within some minutes; together about 2 MB.
const KEPT_MAX: usize = 16_384;

/// The tokens. Cheap to clone.
#[derive(Debug, Clone)]
pub(super) struct CheckedTokens(Arc<Cache<[u8; SHA256_OUTPUT_LEN], ()>>);

impl Default for CheckedTokens {
    fn default() -> Self {
        Self(Arc::new(Cache::new(KEPT_MAX)))
    }
}

impl CheckedTokens {
    /// Whether the token's signature is valid: known, or checked now by `is_signed`.
    pub(super) fn check(&self, token: &str, is_signed: impl FnOnce() -> bool) -> bool {
        let key = key(token);
        if self.0.contains_key(&key) {
            return true;
        }
        let is_signed = is_signed();
        if is_signed {
            self.0.insert(key, ());
        }
        is_signed
    }

    /// Notes a token that this process has signed.
    pub(super) fn note(&self, token: &str) {
        self.0.insert(key(token), ());
    }
}

fn key(token: &str) -> [u8; SHA256_OUTPUT_LEN] {
    let mut key = [0; SHA256_OUTPUT_LEN];
    key.copy_from_slice(digest(&SHA256, token.as_bytes()).as_ref());
    key
}

#[cfg(test)]
mod tests;
