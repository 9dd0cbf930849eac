//! Rotates keys while the service runs: wraps every saved card's data key with the active key. A rotation may be
//! stopped at any moment; the next one does what is left.

use store::{Actor, CardUnderOldKey, RewrappedCard, Store, StoreError};
use thiserror::Error;
use vault::{KeyRing, SealError};

use super::save::card_record;

/// How many cards change in one transaction: few, so that a payment waits for it only a moment.
const CARDS_PER_BATCH: i64 = 200;

/// The result of a rotation so far.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct Rotated {
    /// How many cards the active key has wrapped.
    pub rewrapped: u64,
    /// The ids (`pm_…`) of the first cards that no key of the ring opens.
    pub unusable: Vec<String>,
    /// How many such cards there are.
    pub unusable_count: u64,
}

/// How many such cards are named.
const UNUSABLE_NAMED_MAX: usize = 10;

/// Why a rotation stopped. It can be started again.
#[derive(Debug, Error)]
pub enum RotateError {
    /// The database failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The cryptographic library failed.
    #[error(transparent)]
    Library(SealError),
}

/// Wraps every card's data key with the active key, writes a line to the audit log for each card, and calls `progress`
/// after each batch. Repeats until a pass changes no card, because nodes with the old ring may save cards meanwhile.
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

/// Also makes a new fingerprint, because the old key and the old fingerprint together would reveal the number.
fn rewrap(ring: &KeyRing, card: CardUnderOldKey) -> Result<RewrappedCard, SealError> {
    let record = card_record(&card.owner, &card.id);
    Ok(RewrappedCard {
        fingerprint: ring
            .fingerprints(&ring.open(&card.sealed, record)?, record)
            .active,
        sealed: ring.rewrap(&card.sealed, record)?,
        before: card,
    })
}
