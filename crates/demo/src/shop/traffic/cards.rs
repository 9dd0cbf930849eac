//! The simulator's test cards that simulated shoppers pay with.

/// The simulator's cards that pay, and how often each is used.
pub(super) const GOOD_CARDS: [(u64, TrafficCard); 5] = [
    (50, card("visa", "4242424242424242")),
    (32, card("mastercard", "5555555555554444")),
    (9, card("american-express", "378282246310005")),
    (5, card("jcb", "3566002020360505")),
    (4, card("unionpay", "6200000000000005")),
];

/// The simulator's cards that are declined.
pub(super) const BAD_CARDS: [(u64, TrafficCard); 5] = [
    (45, card("visa", "4000000000009995")),
    (25, card("visa", "4000000000010068")),
    (15, card("visa", "4000000000000127")),
    (10, card("visa", "4000000000000069")),
    (5, card("visa", "4100000000000019")),
];

/// The simulator's card that needs a 3-D Secure challenge.
pub(super) const CHALLENGED_CARD: TrafficCard = card("visa", "4000000000003220");

/// A test card.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct TrafficCard {
    pub(super) brand: &'static str,
    pub(super) number: &'static str,
}

const fn card(brand: &'static str, number: &'static str) -> TrafficCard {
    TrafficCard { brand, number }
}
