//! Which payloads get a card form, and whose pages may embed it.

use std::sync::Arc;

use store::StoreError;
use thiserror::Error;
use wire::{Payload, PayloadError};

use super::embedders::{Embedder, EmbeddingMerchant};
use super::state::ServedPages;
use crate::signing::SigningError;

/// Why there is no card form.
#[derive(Debug, Error)]
pub(super) enum NotAdmitted {
    /// The payload is the reason.
    #[error(transparent)]
    Payload(#[from] PayloadError),
    /// The books could not be read.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The signing keys could not be read.
    #[error(transparent)]
    Keys(#[from] SigningError),
}

/// The merchant of the payload's form, as far as its page is concerned.
///
/// Only this service's signature proves that the payload names the merchant whose charge it is. Where unsigned payloads
/// are accepted a wrong signature is as good as none: whoever writes payloads can leave it out.
pub(super) async fn admit(
    served: &ServedPages,
    payload: &Payload,
) -> Result<Arc<EmbeddingMerchant>, NotAdmitted> {
    if !served.settings.accept_unsigned_payloads {
        served.charges.client_secrets.check_payload(payload).await??;
    }
    let partner_id = &payload.intent.partner_id;
    match served.known.embedders.of(&served.store, partner_id).await? {
        // To try things out, any site may be named, and a payload may name a merchant that is nowhere.
        Embedder::Active(merchant) if served.is_demo => Ok(Arc::new(EmbeddingMerchant {
            allowed_origins: merchant.allowed_origins.clone(),
            site_ids: None,
        })),
        Embedder::Unknown if served.is_demo => Ok(Arc::default()),
        Embedder::Active(merchant) => Ok(merchant),
        Embedder::Unknown | Embedder::Inactive => Err(PayloadError::UnknownPartner.into()),
    }
}
