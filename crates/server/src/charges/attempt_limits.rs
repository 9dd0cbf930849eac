//! Whose attempts are counted against card testing: the charge's, the card's, the client address's, the merchant's.

use store::AttemptCount;
use vault::CardRecord;

use super::presses::Press;
use super::state::Charges;
use crate::http::client_ip::network;

/// Rows for a subject that many attempts at once may have. A power of two spreads ids' last digit, hexadecimal, evenly.
const BUSY_PARTS: u8 = 16;

/// What a new attempt of this press counts for, in the order in which the rows are locked by every attempt.
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
    // Without keys of the vault there are no fingerprints, and a plain digest of a card number must not be stored.
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
            network(press.address).map(|network| format!("address {network}")),
        ),
        named(limits.partner, BUSY_PARTS, Some(format!("partner {partner_id}"))),
    ]
    .into_iter()
    .flatten()
    .collect()
}
