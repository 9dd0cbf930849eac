//! Decides which payloads get a card form, and which sites may embed it.

use std::sync::Arc;

use protocol::{Payload, PayloadError};
use store::StoreError;
use thiserror::Error;

use super::state::ServedPages;
use merchants::accounts::CachedMerchant;
use merchants::keys::signing::SigningError;

/// Why a payload gets no card form.
#[derive(Debug, Error)]
pub(super) enum NotAdmitted {
    /// The payload cannot be used.
    #[error(transparent)]
    Payload(#[from] PayloadError),
    /// The database could not be read.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The signing keys could not be read.
    #[error(transparent)]
    Keys(#[from] SigningError),
}

/// The merchant that the payload names, with the settings that its form needs. In demo mode the merchant need not exist.
///
/// Only this service's signature proves that the payload belongs to the merchant that it names. Where unsigned payloads
/// are accepted a signature is not checked, because a forger could leave it out.
pub(super) async fn admit(
    served: &ServedPages,
    payload: &Payload,
) -> Result<Arc<CachedMerchant>, NotAdmitted> {
    if !served.settings().accept_unsigned_payloads {
        served.charges.client_secrets.check_payload(payload).await??;
    }
    match served.merchants.of(&payload.intent.partner_id).await? {
        Some(merchant) if merchant.is_active => Ok(merchant),
        None if served.is_demo => Ok(Arc::default()),
        _ => Err(PayloadError::UnknownPartner.into()),
    }
}
