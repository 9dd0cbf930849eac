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
    /// Wraps a secret with the active key. It unwraps for the same purpose and id, and for no other.
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

    /// Unwraps what was wrapped for this purpose and id.
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
mod tests {
    use super::*;
    use crate::generate_key;

    fn ring(id: &str) -> KeyRing {
        KeyRing::parse(&generate_key(id).unwrap()).unwrap()
    }

    #[test]
    fn a_secret_unwraps_only_for_its_own_purpose_and_id() {
        let ring = ring("a");
        for secret in [&b""[..], b"private", &[7; SECRET_BYTES_MAX]] {
            let wrapped = ring.wrap_secret("signing", "sig_1", secret).unwrap();
            assert_eq!(*ring.unwrap_secret("signing", "sig_1", &wrapped).unwrap(), secret);
            for (purpose, id) in [("webhook", "sig_1"), ("signing", "sig_2"), ("signings", "ig_1")] {
                let refused = ring.unwrap_secret(purpose, id, &wrapped).map(|_| ());
                assert_eq!(refused, Err(SealError::Unusable));
            }
        }
        let too_long = ring.wrap_secret("signing", "sig_1", &[7; SECRET_BYTES_MAX + 1]);
        assert_eq!(too_long, Err(SealError::Unusable));
    }

    #[test]
    fn another_ring_does_not_unwrap_a_secret() {
        let wrapped = ring("a").wrap_secret("signing", "sig_1", b"private").unwrap();
        let by = |ring: &KeyRing| ring.unwrap_secret("signing", "sig_1", &wrapped).map(|_| ());
        assert_eq!(by(&ring("b")), Err(SealError::UnknownKey));
        assert_eq!(by(&ring("a")), Err(SealError::Unusable));
    }

    #[test]
    fn wrapping_a_secret_twice_gives_different_texts() {
        let ring = ring("a");
        let wrap = || ring.wrap_secret("signing", "sig_1", b"private").unwrap().text;
        assert_ne!(wrap(), wrap());
    }
}
