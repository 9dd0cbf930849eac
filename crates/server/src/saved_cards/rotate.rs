//! The rotation of keys, while the service serves: every saved card's data key is wrapped anew by the active key. It
//! may end at any moment and be started again; it takes up what is left.

use store::{Actor, CardUnderOldKey, RewrappedCard, SealedNumber, Store, StoreError};
use thiserror::Error;
use vault::{KeyRing, SealError, Sealed};

use super::save::record;

/// How many cards change over in one transaction: few enough that a payment waits for it only a moment.
const CARDS_PER_BATCH: i64 = 200;

/// What a rotation has done so far.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct Rotated {
    /// Cards that the active key wraps now.
    pub rewrapped: u64,
    /// Cards that no key of the ring opens, by `pm_…`, the first few of them.
    pub unusable: Vec<String>,
    /// How many those are in all.
    pub unusable_count: u64,
}

/// How many unusable cards are named.
const UNUSABLE_NAMED_MAX: usize = 10;

/// Why a rotation broke off. It can be started again.
#[derive(Debug, Error)]
pub enum RotateError {
    /// The database.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The cryptographic library.
    #[error(transparent)]
    Library(SealError),
}

/// Changes over every card, of which each leaves a line in the audit log, and tells after each batch. Cards that nodes with the old ring save meanwhile are found by
/// another pass.
pub async fn rotate(
    store: &Store,
    ring: &KeyRing,
    by: &Actor,
    mut progress: impl FnMut(&Rotated),
) -> Result<Rotated, RotateError> {
    let mut rotated = Rotated::default();
    loop {
        let before = rotated.rewrapped;
        // Each pass counts them again.
        rotated.unusable.clear();
        rotated.unusable_count = 0;
        pass(store, ring, by, &mut rotated, &mut progress).await?;
        if rotated.rewrapped == before {
            return Ok(rotated);
        }
    }
}

async fn pass(
    store: &Store,
    ring: &KeyRing,
    by: &Actor,
    rotated: &mut Rotated,
    progress: &mut impl FnMut(&Rotated),
) -> Result<(), RotateError> {
    let mut after = String::new();
    loop {
        let cards = store
            .cards_of_other_keys(ring.active_id(), &after, CARDS_PER_BATCH)
            .await?;
        let Some(last) = cards.last() else {
            return Ok(());
        };
        after.clone_from(&last.id);
        let mut changes = Vec::new();
        for card in cards {
            let id = card.id.clone();
            match rewrap(ring, card) {
                Ok(change) => changes.push(change),
                Err(SealError::Library) => return Err(RotateError::Library(SealError::Library)),
                Err(SealError::UnknownKey | SealError::Unusable) => {
                    rotated.unusable_count += 1;
                    if rotated.unusable.len() < UNUSABLE_NAMED_MAX {
                        rotated.unusable.push(id);
                    }
                }
            }
        }
        store.rewrap_cards(&changes, by).await?;
        rotated.rewrapped += changes.len() as u64;
        progress(rotated);
    }
}

/// The number is opened for its fingerprint: one by a key that is being given up would still tell it.
fn rewrap(ring: &KeyRing, card: CardUnderOldKey) -> Result<RewrappedCard, SealError> {
    let owner = card.owner();
    let record = record(&owner, &card.id);
    let before = Sealed {
        key_id: card.sealed.key_id.clone(),
        wrapped_key: card.sealed.wrapped_key.clone(),
        number: card.sealed.sealed_number.clone(),
    };
    let fingerprint = ring.fingerprints(&ring.open(&before, record)?, record).active;
    let sealed = ring.rewrap(&before, record)?;
    Ok(RewrappedCard {
        sealed: SealedNumber {
            key_id: sealed.key_id,
            wrapped_key: sealed.wrapped_key,
            sealed_number: sealed.number,
        },
        fingerprint,
        before: card,
    })
}
