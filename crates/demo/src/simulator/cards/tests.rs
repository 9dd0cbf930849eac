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
    let unknown = card_with("4000000000000010");
    assert_eq!(unknown.decline, Some(DeclineCode::GenericDecline));
    let known = card_with("4242424242424242");
    assert_eq!((known.challenge, known.decline), (false, None));
}
