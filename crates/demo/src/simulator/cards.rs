//! The test cards, and what the simulator does with each. Every future expiry date and every security code is accepted.

use protocol::DeclineCode;

/// A test card.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TestCard {
    /// The card number.
    pub number: &'static str,
    /// Its text in the list of test cards.
    pub label: &'static str,
    /// Why it is declined, after the challenge if there is one; `None` if it pays.
    pub decline: Option<DeclineCode>,
    /// Whether the shopper must pass a 3-D Secure challenge first.
    pub challenge: bool,
}

const fn pays(number: &'static str, label: &'static str) -> TestCard {
    TestCard {
        number,
        label,
        decline: None,
        challenge: false,
    }
}

const fn declines(number: &'static str, label: &'static str, code: DeclineCode) -> TestCard {
    TestCard {
        number,
        label,
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
    declines("4000000000000002", "Declined", DeclineCode::GenericDecline),
    declines(
        "4000000000009995",
        "Declined: insufficient funds",
        DeclineCode::InsufficientFunds,
    ),
    declines(
        "4000000000000069",
        "Declined: expired card",
        DeclineCode::ExpiredCard,
    ),
    declines(
        "4000000000000127",
        "Declined: incorrect security code",
        DeclineCode::IncorrectCvc,
    ),
    declines(
        "4000000000000119",
        "Declined: processing error",
        DeclineCode::ProcessingError,
    ),
    declines(
        "4000000000010019",
        "Declined: invalid security code",
        DeclineCode::InvalidCvc,
    ),
    declines(
        "4000000000010027",
        "Declined: incorrect card number",
        DeclineCode::IncorrectNumber,
    ),
    declines(
        "4000000000010035",
        "Declined: invalid card number",
        DeclineCode::InvalidNumber,
    ),
    declines(
        "4000000000010043",
        "Declined: invalid expiry month",
        DeclineCode::InvalidExpiryMonth,
    ),
    declines(
        "4000000000010050",
        "Declined: invalid expiry year",
        DeclineCode::InvalidExpiryYear,
    ),
    declines(
        "4000000000010068",
        "Declined: do not honor",
        DeclineCode::DoNotHonor,
    ),
    declines(
        "4000000000010076",
        "Declined: call the issuer",
        DeclineCode::CallIssuer,
    ),
    declines(
        "4000000000010084",
        "Declined: payment not allowed",
        DeclineCode::TransactionNotAllowed,
    ),
    declines(
        "4000000000010092",
        "Declined: service not allowed",
        DeclineCode::ServiceNotAllowed,
    ),
    declines(
        "4000000000006975",
        "Declined: limit exceeded",
        DeclineCode::CardVelocityExceeded,
    ),
    declines(
        "4000000000010100",
        "Declined: payments stopped",
        DeclineCode::RevocationOfAuthorization,
    ),
    declines(
        "4000000000010118",
        "Declined: account closed",
        DeclineCode::InvalidAccount,
    ),
    declines(
        "4000000000010126",
        "Declined: card not supported",
        DeclineCode::CardNotSupported,
    ),
    declines(
        "4000000000010134",
        "Declined: currency not supported",
        DeclineCode::CurrencyNotSupported,
    ),
    declines(
        "4000000000010142",
        "Declined: incorrect zip code",
        DeclineCode::IncorrectZip,
    ),
    declines(
        "4000000000010159",
        "Declined: paid twice",
        DeclineCode::DuplicateTransaction,
    ),
    declines("4000000000009987", "Declined: lost card", DeclineCode::LostCard),
    declines(
        "4000000000009979",
        "Declined: stolen card",
        DeclineCode::StolenCard,
    ),
    declines(
        "4000000000010167",
        "Declined: pick up card",
        DeclineCode::PickupCard,
    ),
    declines(
        "4000000000010175",
        "Declined: restricted card",
        DeclineCode::RestrictedCard,
    ),
    declines(
        "4100000000000019",
        "Declined: suspected fraud",
        DeclineCode::Fraudulent,
    ),
    declines(
        "4000000000010183",
        "Declined: try again later",
        DeclineCode::TryAgainLater,
    ),
    declines(
        "4000000000010191",
        "Declined: issuer unavailable",
        DeclineCode::IssuerUnavailable,
    ),
    declines(
        "4000000000010209",
        "Declined: authentication required",
        DeclineCode::AuthenticationRequired,
    ),
    TestCard {
        challenge: true,
        ..pays("4000000000003220", "3-D Secure, challenge")
    },
    TestCard {
        challenge: true,
        ..declines(
            "4000008400001629",
            "3-D Secure, challenge, then declined",
            DeclineCode::GenericDecline,
        )
    },
    pays("4000000000003055", "3-D Secure, frictionless"),
];

/// What the simulator does with a card number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Behaviour {
    /// Whether the shopper must pass a challenge first.
    pub challenge: bool,
    /// Why it is declined, after the challenge if there is one; `None` if it pays.
    pub decline: Option<DeclineCode>,
}

/// What the simulator does with a card number. Every number that is not a test card is declined, so that nobody takes
/// the simulator for a service where real cards pay.
pub fn behaviour_of(number: &str) -> Behaviour {
    TEST_CARDS.iter().find(|card| card.number == number).map_or(
        Behaviour {
            challenge: false,
            decline: Some(DeclineCode::GenericDecline),
        },
        |card| Behaviour {
            challenge: card.challenge,
            decline: card.decline,
        },
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use rules::number::luhn_holds;

    #[test]
    fn every_test_card_has_a_valid_checksum_and_is_listed_once() {
        for card in TEST_CARDS {
            assert!(luhn_holds(card.number), "{}", card.number);
            let same = TEST_CARDS.iter().filter(|other| other.number == card.number);
            assert_eq!(same.count(), 1, "{}", card.number);
        }
    }

    #[test]
    fn every_decline_except_of_challenges_has_a_test_card() {
        let of_challenges = [
            DeclineCode::AuthenticationFailed,
            DeclineCode::AuthenticationCanceled,
            DeclineCode::AuthenticationTimedOut,
        ];
        for code in DeclineCode::ALL {
            let has_card = TEST_CARDS.iter().any(|card| card.decline == Some(*code));
            assert_eq!(has_card, !of_challenges.contains(code), "{code:?}");
        }
    }

    #[test]
    fn an_unknown_card_is_declined() {
        let unknown = behaviour_of("4000000000000010");
        assert_eq!(unknown.decline, Some(DeclineCode::GenericDecline));
        let known = behaviour_of("4242424242424242");
        assert_eq!((known.challenge, known.decline), (false, None));
    }
}
