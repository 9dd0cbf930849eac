//! The test cards, and what the simulator does with each. Any expiry date to come and any security code will do.

use super::payment::Outcome;
use crate::charges::decline::DeclineCode;

/// A test card.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TestCard {
    /// The card number.
    pub number: &'static str,
    /// What a person reads in the list of test cards.
    pub label: &'static str,
    /// Why it is declined; absent when it pays.
    pub decline: Option<DeclineCode>,
}

const fn pays(number: &'static str, label: &'static str) -> TestCard {
    TestCard {
        number,
        label,
        decline: None,
    }
}

const fn declines(number: &'static str, label: &'static str, code: DeclineCode) -> TestCard {
    TestCard {
        number,
        label,
        decline: Some(code),
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
];

/// What the simulator does with a card number. It knows its test cards and no others: another one is declined, so that
/// nobody takes it for a place where real cards pay.
pub fn outcome_of(number: &str) -> (Outcome, Option<DeclineCode>) {
    let decline = TEST_CARDS
        .iter()
        .find(|card| card.number == number)
        .map_or(Some(DeclineCode::GenericDecline), |card| card.decline);
    match decline {
        None => (Outcome::Approved, None),
        Some(code) => (Outcome::Declined, Some(code)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn luhn(number: &str) -> bool {
        let sum: u32 = number
            .bytes()
            .rev()
            .enumerate()
            .map(|(place, byte)| match (place % 2, u32::from(byte - b'0')) {
                (0, digit) => digit,
                (_, digit) if digit > 4 => digit * 2 - 9,
                (_, digit) => digit * 2,
            })
            .sum();
        sum.is_multiple_of(10)
    }

    #[test]
    fn every_test_card_has_a_right_check_digit_and_stands_once() {
        for card in TEST_CARDS {
            assert!(luhn(card.number), "{}", card.number);
            let same = TEST_CARDS.iter().filter(|other| other.number == card.number);
            assert_eq!(same.count(), 1, "{}", card.number);
        }
    }

    #[test]
    fn every_decline_has_its_card() {
        for code in DeclineCode::ALL {
            assert!(
                TEST_CARDS.iter().any(|card| card.decline == Some(code)),
                "{code:?}"
            );
        }
    }

    #[test]
    fn a_card_that_is_not_in_the_table_does_not_pay() {
        assert_eq!(
            outcome_of("4000000000000010"),
            (Outcome::Declined, Some(DeclineCode::GenericDecline))
        );
        assert_eq!(outcome_of("4242424242424242"), (Outcome::Approved, None));
    }
}
