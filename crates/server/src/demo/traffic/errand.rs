//! What a simulated shopper is going to do, drawn at random before the visit begins: country, cards, and when the
//! shopper gives up. The numbers are invented, so that the operator's report shows differences.

use rules::Field;

use super::cards::{BAD_CARDS, CHALLENGED_CARD, GOOD_CARDS, TrafficCard};
use super::chance::TrafficRandom;

/// A field, its error when something wrong is typed, and how many percent give up in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct FieldAt {
    pub(super) id: &'static str,
    pub(super) error_id: &'static str,
    gives_up: u64,
}

/// In the order of the form.
pub(super) const FIELDS: [FieldAt; 3] = [
    FieldAt {
        id: Field::CardNumber.id(),
        error_id: "CardNumber_Invalid",
        gives_up: 9,
    },
    FieldAt {
        id: Field::Expiry.id(),
        error_id: "CardExpiry_Expired",
        gives_up: 3,
    },
    FieldAt {
        id: Field::SecurityCode.id(),
        error_id: "CardSecurityCode_IncompleteSecurityCode",
        gives_up: 6,
    },
];

/// Locales with their country, and how many percent more give up there.
const HOMES: [(u64, Home); 10] = [
    (30, home("en-US", "US", 0)),
    (14, home("th-TH", "TH", 4)),
    (12, home("ja-JP", "JP", 0)),
    (10, home("de-DE", "DE", 2)),
    (8, home("fr-FR", "FR", 2)),
    (7, home("es-ES", "ES", 3)),
    (6, home("in-ID", "ID", 6)),
    (5, home("ar-SA", "SA", 12)),
    (4, home("ko-KR", "KR", 0)),
    (4, home("vi-VN", "VN", 8)),
];

/// What is bought: code, name, amount and currency.
const GOODS: [(u64, [&str; 4]); 3] = [
    (6, ["gems-100", "100 gems", "12.50", "USD"]),
    (3, ["season-pass", "Season pass", "24.00", "USD"]),
    (1, ["aurora-lantern", "Aurora lantern", "39.90", "EUR"]),
];

/// How many shoppers have an account at the shop, which can save their cards.
const KNOWN_SHOPPERS: u64 = 12;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Home {
    pub(super) locale: &'static str,
    pub(super) country: &'static str,
    gives_up: u64,
}

const fn home(locale: &'static str, country: &'static str, gives_up: u64) -> Home {
    Home {
        locale,
        country,
        gives_up,
    }
}

/// When a shopper gives up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Patience {
    /// After a look at the page.
    Looks,
    /// In the field with this place in [`FIELDS`].
    UpTo(usize),
    /// After all fields are filled in.
    Fills,
    /// Never: the shopper pays.
    Pays,
}

/// What a shopper is going to do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Errand {
    pub(super) home: Home,
    /// 1 for the redesigned layout, 0 for the earlier one.
    pub(super) variation: u32,
    pub(super) goods: [&'static str; 4],
    pub(super) patience: Patience,
    /// The field in which something wrong is typed first, by its place in [`FIELDS`].
    pub(super) errs_in: Option<usize>,
    /// The cards that are tried, in this order.
    pub(super) cards: Vec<TrafficCard>,
    /// The shopper's number at the shop, if the shopper has an account.
    pub(super) known_as: Option<u64>,
    pub(super) is_on_phone: bool,
    /// How long the shopper takes, in percent of the usual time.
    pub(super) tempo: u64,
}

impl Errand {
    /// Draws one at random.
    pub(super) fn draw(chance: &mut TrafficRandom) -> Self {
        let home = chance.weighted(&HOMES);
        let variation = u32::from(chance.happens(50));
        let errs_in = chance
            .happens(22)
            .then(|| chance.weighted(&[(60, 0), (15, 1), (25, 2)]));
        let patience = patience(chance, home, variation, errs_in);
        Self {
            home,
            variation,
            goods: chance.weighted(&GOODS),
            patience,
            errs_in,
            cards: cards(chance),
            known_as: chance.happens(20).then(|| chance.below(KNOWN_SHOPPERS)),
            is_on_phone: chance.happens(65),
            tempo: 60 + chance.below(80),
        }
    }
}

fn patience(chance: &mut TrafficRandom, home: Home, variation: u32, errs_in: Option<usize>) -> Patience {
    // With the redesign fewer shoppers leave after a look.
    let looks_only = if variation == 0 { 27 } else { 19 };
    if chance.happens(looks_only + home.gives_up) {
        return Patience::Looks;
    }
    for (place, field) in FIELDS.iter().enumerate() {
        let after_error = if errs_in == Some(place) { 25 } else { 0 };
        if chance.happens(field.gives_up + after_error) {
            return Patience::UpTo(place);
        }
    }
    if chance.happens(4) {
        Patience::Fills
    } else {
        Patience::Pays
    }
}

/// Most shoppers have one card that pays. After a decline, more than half try another one.
fn cards(chance: &mut TrafficRandom) -> Vec<TrafficCard> {
    if chance.happens(2) {
        return vec![CHALLENGED_CARD];
    }
    let mut cards = Vec::new();
    while cards.len() < 2 && chance.happens(16) {
        cards.push(chance.weighted(&BAD_CARDS));
    }
    if cards.is_empty() || chance.happens(55) {
        cards.push(chance.weighted(&GOOD_CARDS));
    }
    cards
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simulator::cards::TEST_CARDS;

    fn errands(seed: u64) -> Vec<Errand> {
        (0..2_000)
            .map(|number| Errand::draw(&mut TrafficRandom::of(seed, number)))
            .collect()
    }

    #[test]
    fn the_same_seed_brings_the_same_shoppers() {
        assert_eq!(errands(7), errands(7));
        assert_ne!(errands(7), errands(8));
    }

    #[test]
    fn every_way_to_leave_is_taken_and_most_pay() {
        let errands = errands(1);
        let share = |is: &dyn Fn(&Errand) -> bool| errands.iter().filter(|errand| is(errand)).count() / 20;
        assert!((40..70).contains(&share(&|errand| errand.patience == Patience::Pays)));
        for patience in [
            Patience::Looks,
            Patience::UpTo(0),
            Patience::UpTo(1),
            Patience::UpTo(2),
            Patience::Fills,
        ] {
            assert!(share(&|errand| errand.patience == patience) >= 1, "{patience:?}");
        }
        for variation in 0..2 {
            assert!((40..60).contains(&share(&|errand| errand.variation == variation)));
        }
    }

    #[test]
    fn cards_locales_and_errors_are_ones_that_there_are() {
        for card in GOOD_CARDS
            .iter()
            .map(|(_, card)| (card, true))
            .chain(BAD_CARDS.iter().map(|(_, card)| (card, false)))
        {
            let (card, pays) = card;
            let known = TEST_CARDS
                .iter()
                .find(|known| known.number == card.number)
                .unwrap();
            assert_eq!(
                known.decline.is_none() && !known.challenge,
                pays,
                "{}",
                card.number
            );
            assert_eq!(rules::Brand::detect(card.number).unwrap().name(), card.brand);
        }
        let challenged = TEST_CARDS
            .iter()
            .find(|known| known.number == CHALLENGED_CARD.number);
        assert!(challenged.unwrap().challenge);
        for (_, home) in HOMES {
            assert!(rules::locale::by_code(home.locale).is_some(), "{}", home.locale);
        }
        for field in FIELDS {
            assert!(rules::ErrorId::ALL.iter().any(|id| id.as_str() == field.error_id));
        }
    }
}
