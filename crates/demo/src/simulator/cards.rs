//! The test cards, and what the simulator does with each. Every future expiry date and every security code is accepted.

use protocol::{DeclineCode, DisputeStatus, PaymentFacts, ThreeDsRequest};
use providers::Authentication;
use uuid::Uuid;

use super::disputes::PlannedDispute;

/// A test card.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TestCard {
    /// The card number.
    pub number: &'static str,
    /// The card's name; empty if its decline code says enough.
    name: &'static str,
    /// Why it is declined, after the challenge if there is one; `None` if it pays.
    pub decline: Option<DeclineCode>,
    /// Why it is declined when the merchant pays without the shopper, although it pays with the shopper.
    pub declined_later: Option<DeclineCode>,
    /// Whether the shopper must pass a 3-D Secure challenge first.
    pub challenge: bool,
    /// Whether the issuer declines a payment without a challenge. The simulator then asks for the challenge.
    pub soft_decline: bool,
    /// Whether the bank authenticates the shopper without a challenge.
    pub frictionless: bool,
    /// `credit`, `debit` or `prepaid`.
    pub funding: &'static str,
    /// The issuer's country, ISO 3166-1 alpha-2.
    pub country: &'static str,
    /// Whether a postal code is wrong for the issuer.
    pub postal_code_fails: bool,
    /// The reason of the dispute that follows, and how that ends.
    dispute: Option<(&'static str, DisputeStatus)>,
}

impl TestCard {
    /// The card's text in the list of test cards.
    pub fn label(&self) -> String {
        match self.decline {
            Some(code) if self.name.is_empty() => {
                let reason = code.as_str().replace('_', " ").replace("cvc", "security code");
                format!("Declined: {reason}")
            }
            _ => self.name.to_owned(),
        }
    }

    /// Whether the shopper must pass a challenge, as the merchant asks for it. An exemption does not help with a soft decline.
    pub(super) fn wants_challenge(&self, three_ds: &Authentication) -> bool {
        self.soft_decline
            || three_ds.request == ThreeDsRequest::Challenge
            || (self.challenge && three_ds.exemption.is_none())
    }

    /// The dispute that follows a payment with the card.
    pub(super) fn planned_dispute(&self) -> Option<PlannedDispute> {
        let (reason, ends) = self.dispute?;
        Some(PlannedDispute {
            reason: reason.to_owned(),
            ends,
        })
    }

    /// What the simulator tells of the card, and of a new payment that the issuer accepts.
    pub(super) fn facts(&self, has_postal_code: bool, is_challenged: bool) -> PaymentFacts {
        let flow = match (is_challenged, self.frictionless) {
            (true, _) => Some("challenge"),
            (false, true) => Some("frictionless"),
            (false, false) => None,
        };
        let postal_code = match (has_postal_code, self.postal_code_fails) {
            (false, _) => "unchecked",
            (true, true) => "fail",
            (true, false) => "pass",
        };
        PaymentFacts {
            funding: Some(self.funding.to_owned()),
            country: Some(self.country.to_owned()),
            network_transaction_id: Some(new_network_transaction_id()),
            security_code_check: Some("pass".to_owned()),
            postal_code_check: Some(postal_code.to_owned()),
            three_ds_outcome: flow.map(|_| "authenticated".to_owned()),
            three_ds_flow: flow.map(str::to_owned),
            ..PaymentFacts::default()
        }
    }
}

/// Fifteen digits, as Visa's.
fn new_network_transaction_id() -> String {
    const IDS: u128 = 1_000_000_000_000_000;
    format!("{:015}", Uuid::new_v4().as_u128() % IDS)
}

const fn pays(number: &'static str, name: &'static str) -> TestCard {
    TestCard {
        number,
        name,
        decline: None,
        declined_later: None,
        challenge: false,
        soft_decline: false,
        frictionless: false,
        funding: "credit",
        country: "US",
        postal_code_fails: false,
        dispute: None,
    }
}

const fn declines(number: &'static str, code: DeclineCode) -> TestCard {
    TestCard {
        decline: Some(code),
        ..pays(number, "")
    }
}

const fn debit(card: TestCard) -> TestCard {
    TestCard {
        funding: "debit",
        ..card
    }
}

const fn from(country: &'static str, card: TestCard) -> TestCard {
    TestCard { country, ..card }
}

/// Every test card: the usual test numbers of each brand, and one per decline.
pub const TEST_CARDS: &[TestCard] = &[
    pays("4242424242424242", "Visa"),
    pays("4111111111111111", "Visa"),
    pays("4012888888881881", "Visa"),
    debit(pays("4000056655665556", "Visa debit")),
    pays("5555555555554444", "Mastercard"),
    pays("5105105105105100", "Mastercard"),
    debit(pays("5200828282828210", "Mastercard debit")),
    pays("2223003122003222", "Mastercard, 2-series"),
    pays("378282246310005", "American Express"),
    pays("371449635398431", "American Express"),
    pays("3056930009020004", "Diners Club"),
    pays("36227206271667", "Diners Club, 14 digits"),
    pays("6011111111111117", "Discover"),
    pays("6011000990139424", "Discover"),
    from("JP", pays("3566002020360505", "JCB")),
    from("JP", pays("3530111333300000", "JCB")),
    from("CN", pays("6200000000000005", "UnionPay")),
    from("CN", debit(pays("6205500000000000004", "UnionPay, 19 digits"))),
    from("GB", debit(pays("6759649826438453", "Maestro"))),
    from("BR", pays("6362970000457013", "Elo")),
    from("RU", debit(pays("2200000000000004", "Mir"))),
    from("BR", pays("6370950000000005", "Hiper")),
    from("BR", pays("6062826786276634", "Hipercard")),
    from("FR", pays("4000002500001001", "Cartes Bancaires and Visa")),
    from("FR", pays("5555552500001001", "Cartes Bancaires and Mastercard")),
    from("BE", debit(pays("6703444444444449", "Bancontact and Maestro"))),
    from("DK", debit(pays("4571000000000001", "Dankort and Visa"))),
    from("SA", debit(pays("4464040000000007", "mada and Visa"))),
    from("AU", debit(pays("4000050360000001", "eftpos and Visa"))),
    declines("4000000000000002", DeclineCode::GenericDecline),
    declines("4000000000009995", DeclineCode::InsufficientFunds),
    declines("4000000000000069", DeclineCode::ExpiredCard),
    declines("4000000000000127", DeclineCode::IncorrectCvc),
    declines("4000000000000119", DeclineCode::ProcessingError),
    declines("4000000000010019", DeclineCode::InvalidCvc),
    declines("4000000000010027", DeclineCode::IncorrectNumber),
    declines("4000000000010035", DeclineCode::InvalidNumber),
    declines("4000000000010043", DeclineCode::InvalidExpiryMonth),
    declines("4000000000010050", DeclineCode::InvalidExpiryYear),
    declines("4000000000010068", DeclineCode::DoNotHonor),
    declines("4000000000010076", DeclineCode::CallIssuer),
    declines("4000000000010084", DeclineCode::TransactionNotAllowed),
    declines("4000000000010092", DeclineCode::ServiceNotAllowed),
    declines("4000000000006975", DeclineCode::CardVelocityExceeded),
    declines("4000000000010100", DeclineCode::RevocationOfAuthorization),
    declines("4000000000010118", DeclineCode::InvalidAccount),
    declines("4000000000010126", DeclineCode::CardNotSupported),
    declines("4000000000010134", DeclineCode::CurrencyNotSupported),
    declines("4000000000010142", DeclineCode::IncorrectZip),
    declines("4000000000010159", DeclineCode::DuplicateTransaction),
    declines("4000000000009987", DeclineCode::LostCard),
    declines("4000000000009979", DeclineCode::StolenCard),
    declines("4000000000010167", DeclineCode::PickupCard),
    declines("4000000000010175", DeclineCode::RestrictedCard),
    declines("4100000000000019", DeclineCode::Fraudulent),
    declines("4000000000010183", DeclineCode::TryAgainLater),
    declines("4000000000010191", DeclineCode::IssuerUnavailable),
    declines("4000000000010209", DeclineCode::AuthenticationRequired),
    TestCard {
        challenge: true,
        ..pays("4000000000003220", "3-D Secure, challenge")
    },
    TestCard {
        name: "3-D Secure, challenge, then declined",
        challenge: true,
        ..declines("4000008400001629", DeclineCode::GenericDecline)
    },
    TestCard {
        soft_decline: true,
        ..pays("4000002500003155", "3-D Secure, challenge after a soft decline")
    },
    TestCard {
        frictionless: true,
        ..pays("4000000000003055", "3-D Secure, frictionless")
    },
    TestCard {
        postal_code_fails: true,
        ..pays("4000000000000036", "Visa, its postal code is never right")
    },
    TestCard {
        declined_later: Some(DeclineCode::InsufficientFunds),
        ..pays("4000000000000341", "Visa, later without enough funds")
    },
    TestCard {
        declined_later: Some(DeclineCode::LostCard),
        ..pays("4000000000000366", "Visa, later reported lost")
    },
    TestCard {
        dispute: Some(("fraudulent", DisputeStatus::Lost)),
        ..pays("4000000000000259", "Visa, disputed as fraud, and you lose")
    },
    TestCard {
        dispute: Some(("product_not_received", DisputeStatus::Won)),
        ..pays("4000000000002685", "Visa, disputed as not received, and you win")
    },
];

/// The treatment of numbers that are not test cards. They are declined, so that no merchant mistakes the simulator for a
/// service where real cards pay.
const UNKNOWN_CARD: TestCard = declines("", DeclineCode::GenericDecline);

/// The test card with this number, or a card that is declined.
pub fn card_with(number: &str) -> &'static TestCard {
    let known = TEST_CARDS.iter().find(|card| card.number == number);
    known.unwrap_or(&UNKNOWN_CARD)
}

/// The card network's code of a decline; `None` if the decline is not the issuer's, or has no reason.
pub fn network_code(code: DeclineCode) -> Option<&'static str> {
    Some(match code {
        DeclineCode::CallIssuer => "01",
        DeclineCode::PickupCard => "04",
        DeclineCode::DoNotHonor => "05",
        DeclineCode::IncorrectNumber | DeclineCode::InvalidNumber => "14",
        DeclineCode::TryAgainLater => "19",
        DeclineCode::LostCard => "41",
        DeclineCode::StolenCard => "43",
        DeclineCode::InvalidAccount => "46",
        DeclineCode::InsufficientFunds => "51",
        DeclineCode::ExpiredCard => "54",
        DeclineCode::TransactionNotAllowed => "57",
        DeclineCode::ServiceNotAllowed => "58",
        DeclineCode::Fraudulent => "59",
        DeclineCode::RestrictedCard => "62",
        DeclineCode::CardVelocityExceeded => "65",
        DeclineCode::IssuerUnavailable => "91",
        DeclineCode::DuplicateTransaction => "94",
        DeclineCode::AuthenticationRequired => "1A",
        DeclineCode::IncorrectCvc => "N7",
        DeclineCode::RevocationOfAuthorization => "R1",
        _ => return None,
    })
}

#[cfg(test)]
mod tests;
