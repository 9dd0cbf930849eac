//! Attempts are counted per charge, card, client address and merchant, as a defence against card testing.

use store::AttemptCount;
use vault::CardRecord;

use super::presses::Press;
use super::state::Charges;
use crate::http::client_ip::counted_network;

/// How many rows count a subject that many attempts may have at the same time. The attempt's id chooses the row.
const BUSY_PARTS: u8 = 64;

/// The subjects for which a new attempt of this press is counted. Every attempt locks their rows in this order, so
/// that two attempts do not wait for each other forever.
pub(super) fn counts(charges: &Charges, press: &Press) -> Vec<AttemptCount> {
    let limits = charges.settings.attempt_limits;
    let partner_id = &press.charge.partner_id;
    let named = |limit: Option<_>, parts, subject: Option<String>| {
        limit.zip(subject).map(|(limit, subject)| AttemptCount {
            subject,
            limit,
            parts,
        })
    };
    // Cards are counted only if the vault has keys: a fingerprint needs one, and a plain digest of a card number must
    // not be stored.
    let card = limits.card.and(charges.saved_cards.vault.as_ref()).map(|vault| {
        let record = CardRecord {
            partner_id,
            shopper_id: "",
            id: "",
        };
        format!(
            "card {}",
            vault.ring().fingerprints(&press.card.number, record).active
        )
    });
    [
        named(limits.charge, 1, Some(format!("charge {}", press.charge.id))),
        named(limits.card, 1, card),
        named(
            limits.address,
            BUSY_PARTS,
            counted_network(press.address).map(|network| format!("address {network}")),
        ),
        named(limits.partner, BUSY_PARTS, Some(format!("partner {partner_id}"))),
    ]
    .into_iter()
    .flatten()
    .collect()
}
