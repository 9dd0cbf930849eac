//! Signs and checks payloads, so that only this service can say which merchant's charge a page shows.

use protocol::{ChargeIntent, Payload, PayloadError, PayloadSignature};

use super::client_secret::ClientSecrets;
use crate::keys::signing::{SigningError, SigningKey};

/// The intent as a signed payload, for which this service shows a card form.
pub fn signed_payload(intent: &ChargeIntent, key: &SigningKey) -> String {
    intent.to_signed_payload(|bytes| PayloadSignature {
        key_id: key.id().to_owned(),
        value: key.sign_payload(bytes),
    })
}

impl ClientSecrets {
    /// Whether this service signed the payload; `Ok(Err(_))` is the fault of the signature.
    pub async fn check_payload(&self, payload: &Payload) -> Result<Result<(), PayloadError>, SigningError> {
        let Some(signature) = &payload.signature else {
            return Ok(Err(PayloadError::Unsigned));
        };
        let key = self.keys.key(&signature.key_id).await?;
        let is_ours = key.is_some_and(|key| key.signed_payload(&payload.signed, &signature.value));
        Ok(if is_ours {
            Ok(())
        } else {
            Err(PayloadError::NotOurs)
        })
    }
}
