//! Whose attempts are counted against card testing: the charge's, the card's, the client address's, the merchant's.

use std::net::{IpAddr, Ipv6Addr};

use vault::Record;

use super::press::Press;
use crate::app::App;
use crate::store::AttemptCount;
use crate::webhooks::destination::is_public;

/// Rows for a subject that many attempts at once may have. A power of two spreads ids' last digit, hexadecimal, evenly.
const BUSY_PARTS: u8 = 16;

/// What a new attempt of this press counts for, in the order in which the rows are locked by every attempt.
pub(super) fn counts(app: &App, press: &Press) -> Vec<AttemptCount> {
    let limits = app.config.attempt_limits;
    let partner_id = &press.charge.partner_id;
    let named = |limit: Option<_>, parts, subject: Option<String>| {
        limit.zip(subject).map(|(limit, subject)| AttemptCount {
            subject,
            limit,
            parts,
        })
    };
    // Without keys of the vault there are no fingerprints, and a plain digest of a card number must not be stored.
    let card = limits.card.and(app.vault.as_ref()).map(|vault| {
        let record = Record {
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

/// The address that stands for one client: the /64 network of an IPv6 address, which a client has to itself. An address
/// that is not public is a proxy's or the operator's own and stands for everybody, so it is not counted.
fn network(address: IpAddr) -> Option<IpAddr> {
    is_public(address).then(|| match address.to_canonical() {
        IpAddr::V6(address) => Ipv6Addr::from_bits(address.to_bits() >> 64 << 64).into(),
        address @ IpAddr::V4(_) => address,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_ipv6_client_is_its_network_and_a_private_address_is_nobody() {
        let of = |text: &str| network(text.parse().unwrap()).map(|network| network.to_string());
        assert_eq!(of("1.2.3.4").as_deref(), Some("1.2.3.4"));
        assert_eq!(of("::ffff:1.2.3.4").as_deref(), Some("1.2.3.4"));
        assert_eq!(of("2606:4700:1:2:3:4:5:6").as_deref(), Some("2606:4700:1:2::"));
        assert_eq!(
            (of("127.0.0.1"), of("10.0.0.1"), of("fd00::1")),
            (None, None, None)
        );
    }
}
