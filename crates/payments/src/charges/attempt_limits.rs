//! Attempts are counted per charge, card, client address and merchant, as a defence against card testing. The attempts of
//! a charge are counted in the table of attempts.

use protocol::AttemptLimit;
use store::AttemptCount;
use vault::CardRecord;

use super::press::{Press, PressedCard};
use super::state::Charges;
use web::counted_network;

/// The most rows that count a subject with many attempts at the same time. The attempt's id chooses the row.
const PARTS_MAX: u32 = 64;
/// One row more for so many attempts of the limit: a low limit is counted exactly, and under a high one attempts do not
/// wait for each other.
const ATTEMPTS_PER_PART: u32 = 100;

/// How many rows count a busy subject with this limit.
fn parts(limit: AttemptLimit) -> u8 {
    let parts = (limit.attempts / ATTEMPTS_PER_PART).clamp(1, PARTS_MAX);
    u8::try_from(parts).unwrap_or(1)
}

/// The subjects for which a new attempt of this press is counted, besides its charge. A merchant's own payments are not
/// counted, because its server is no tester of cards.
pub(super) fn counts(charges: &Charges, press: &Press) -> Vec<AttemptCount> {
    let Some(address) = press.address else {
        return Vec::new();
    };
    let limits = charges.settings.attempt_limits;
    let partner_id = &press.charge.partner_id;
    let named = |limit: Option<AttemptLimit>, parts: fn(AttemptLimit) -> u8, subject: Option<String>| {
        limit.zip(subject).map(|(limit, subject)| AttemptCount {
            subject,
            limit,
            parts: parts(limit),
        })
    };
    // Cards are counted only if the vault has keys: a fingerprint needs one, and a plain digest of a card number must
    // not be stored.
    let card = limits.card.and(charges.saved_cards.vault.as_ref()).map(|vault| {
        let card = match &press.card {
            PressedCard::New(card) => &card.number,
            // A saved card is counted by its id, because its number is not opened before the attempt has begun.
            PressedCard::Saved(card) => return format!("card {}", card.id()),
        };
        // One fingerprint for all shoppers: a tester of cards can invent as many shoppers as needed.
        let record = CardRecord {
            partner_id,
            shopper_id: "",
            id: "",
        };
        format!("card {}", vault.ring().fingerprints(card, record).active)
    });
    [
        named(limits.card, |_| 1, card),
        named(
            limits.address,
            parts,
            counted_network(address).map(|network| format!("address {network}")),
        ),
        named(limits.partner, parts, Some(format!("partner {partner_id}"))),
    ]
    .into_iter()
    .flatten()
    .collect()
}
