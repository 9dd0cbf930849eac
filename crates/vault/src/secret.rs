//! The service's own secrets in storage: wrapped by the ring's active key and bound to their purpose and their id.

use zeroize::Zeroizing;

use crate::SealError;
use crate::boxed::{close, open};
use crate::key_ring::KeyRing;
use crate::record::bytes_of;
use crate::stack::cleaned;

/// The longest secret: a private key in PKCS #8 has about a hundred bytes.
pub const SECRET_BYTES_MAX: usize = 512;

/// A secret of the service in storage.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WrappedSecret {
    /// The key of the ring that wraps it.
    pub key_id: String,
    /// The secret, wrapped: base64.
    pub text: String,
}

impl KeyRing {
    /// Wraps a secret with the active key. The secret unwraps only for this purpose and id.
    pub fn wrap_secret(&self, purpose: &str, id: &str, secret: &[u8]) -> Result<WrappedSecret, SealError> {
        if secret.len() > SECRET_BYTES_MAX {
            return Err(SealError::Unusable);
        }
        cleaned(|| {
            let key = self.active();
            Ok(WrappedSecret {
                key_id: key.id.clone(),
                text: close(&key.secrets, secret, &bytes_of(&[purpose, &key.id, id]))?,
            })
        })
    }

    /// Unwraps a secret that was wrapped for this purpose and id.
    pub fn unwrap_secret(
        &self,
        purpose: &str,
        id: &str,
        wrapped: &WrappedSecret,
    ) -> Result<Zeroizing<Vec<u8>>, SealError> {
        cleaned(|| {
            let key = self.key(&wrapped.key_id).ok_or(SealError::UnknownKey)?;
            let bound_to = bytes_of(&[purpose, &key.id, id]);
            open(&key.secrets, &wrapped.text, &bound_to, SECRET_BYTES_MAX)
        })
    }
}

#[cfg(test)]
mod tests;
