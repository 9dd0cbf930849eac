//! The test cards, and what the simulator does with each. Every future expiry date and every security code is accepted.

use protocol::DeclineCode;

/// A test card.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TestCard {
    /// The card number.
    pub number: &'static str,
    /// The card's name; empty if its decline code says enough.
    name: &'static str,
    /// Why it is declined, after the challenge if there is one; `None` if it pays.
    pub decline: Option<DeclineCode>,
    /// Whether the shopper must pass a 3-D Secure challenge first.
    pub challenge: bool,
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
}

const fn pays(number: &'static str, name: &'static str) -> TestCard {
    TestCard {
        number,
        name,
        decline: None,
        challenge: false,
    }
}

const fn declines(number: &'static str, code: DeclineCode) -> TestCard {
    TestCard {
        number,
        name: "",
        decline: Some(code),
        challenge: false,
    }
}

/// Every test card: the usual test numbers of each brand, and one per decline.
pub const TEST_CARDS: &[TestCard] = &[
    pays("4242424242424242", "Visa"),
    pays("4111111111111111", "Visa"),
    pays("4012888888881881", "Visa"),
    pays("4000056655665556", "Visa debit"),
    pays("5555555555554444", "Mastercard"),
    pays("5105105105105100", "Mastercard"),
    pays("5200828282828210", "Mastercard debit"),
    pays("2223003122003222", "Mastercard, 2-series"),
    pays("378282246310005", "American Express"),
    pays("371449635398431", "American Express"),
    pays("3056930009020004", "Diners Club"),
    pays("36227206271667", "Diners Club, 14 digits"),
    pays("6011111111111117", "Discover"),
    pays("6011000990139424", "Discover"),
    pays("3566002020360505", "JCB"),
    pays("3530111333300000", "JCB"),
    pays("6200000000000005", "UnionPay"),
    pays("6205500000000000004", "UnionPay, 19 digits"),
    pays("6759649826438453", "Maestro"),
    pays("6362970000457013", "Elo"),
    pays("2200000000000004", "Mir"),
    pays("6370950000000005", "Hiper"),
    pays("6062826786276634", "Hipercard"),
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
    pays("4000000000003055", "3-D Secure, frictionless"),
];

/// The treatment of numbers that are not test cards. They are declined, so that no merchant mistakes the simulator for a
/// service where real cards pay.
const UNKNOWN_CARD: TestCard = declines("", DeclineCode::GenericDecline);

/// The test card with this number, or a card that is declined.
pub fn card_with(number: &str) -> &'static TestCard {
    let known = TEST_CARDS.iter().find(|card| card.number == number);
    known.unwrap_or(&UNKNOWN_CARD)
}

#[cfg(test)]
mod tests;
