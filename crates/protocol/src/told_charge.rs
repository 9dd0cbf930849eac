//! What a provider is told of a charge.

use serde::{Deserialize, Serialize};

/// What a provider is told of a charge, so that the charge can be brought back after an earlier database was restored.
/// Nothing of the shopper.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToldCharge {
    /// The merchant.
    pub partner_id: String,
    /// The merchant's reference.
    pub partner_reference: String,
    /// The merchant's code of what is bought.
    pub item_code: String,
    /// Its name.
    pub item_name: String,
}
