//! Decides which payloads get a card form, and which sites may embed it.

use std::sync::Arc;

use store::StoreError;
use thiserror::Error;
use wire::{Payload, PayloadError};

use super::embedding_merchants::{EmbeddingMerchant, MerchantState};
use super::state::ServedPages;
use crate::signing::SigningError;

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

/// The merchant that the payload names, with the settings that its form needs.
///
/// Only this service's signature proves that the payload belongs to the merchant that it names. Where unsigned payloads
/// are accepted a signature is not checked, because a forger could leave it out.
pub(super) async fn admit(
    served: &ServedPages,
    payload: &Payload,
) -> Result<Arc<EmbeddingMerchant>, NotAdmitted> {
    if !served.settings().accept_unsigned_payloads {
        served.charges.client_secrets.check_payload(payload).await??;
    }
    let partner_id = &payload.intent.partner_id;
    match served
        .known
        .embedding_merchants
        .of(&served.store, partner_id)
        .await?
    {
        // In demo mode any site of the fraud prevention may be named, and the merchant need not exist.
        MerchantState::Active(merchant) if served.is_demo => Ok(Arc::new(EmbeddingMerchant {
            allowed_origins: merchant.allowed_origins.clone(),
            site_ids: None,
        })),
        MerchantState::Unknown if served.is_demo => Ok(Arc::default()),
        MerchantState::Active(merchant) => Ok(merchant),
        MerchantState::Unknown | MerchantState::Inactive => Err(PayloadError::UnknownPartner.into()),
    }
}
