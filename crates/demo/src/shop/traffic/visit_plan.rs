//! What a simulated shopper is going to do, drawn at random before the visit begins: country, cards, and when the
//! shopper gives up. The numbers are invented, so that the operator's report shows differences.

use rules::Field;

use super::cards::{BAD_CARDS, CHALLENGED_CARD, GOOD_CARDS, TrafficCard};
use super::random::TrafficRandom;

/// A field, its error when something wrong is typed, and how many percent give up in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct TrafficField {
    pub(super) id: &'static str,
    pub(super) error_id: &'static str,
    gives_up_percent: u64,
}

/// In the order of the form.
pub(super) const FIELDS: [TrafficField; 3] = [
    TrafficField {
        id: Field::CardNumber.id(),
        error_id: "CardNumber_Invalid",
        gives_up_percent: 9,
    },
    TrafficField {
        id: Field::Expiry.id(),
        error_id: "CardExpiry_Expired",
        gives_up_percent: 3,
    },
    TrafficField {
        id: Field::SecurityCode.id(),
        error_id: "CardSecurityCode_IncompleteSecurityCode",
        gives_up_percent: 6,
    },
];

/// Locales with their country, and how many percent more give up there.
const COUNTRIES: [(u64, TrafficCountry); 10] = [
    (30, country("en-US", "US", 0)),
    (14, country("th-TH", "TH", 4)),
    (12, country("ja-JP", "JP", 0)),
    (10, country("de-DE", "DE", 2)),
    (8, country("fr-FR", "FR", 2)),
    (7, country("es-ES", "ES", 3)),
    (6, country("in-ID", "ID", 6)),
    (5, country("ar-SA", "SA", 12)),
    (4, country("ko-KR", "KR", 0)),
    (4, country("vi-VN", "VN", 8)),
];

/// What is bought: code, name, amount and currency.
const ITEMS: [(u64, [&str; 4]); 3] = [
    (6, ["gems-100", "100 gems", "12.50", "USD"]),
    (3, ["season-pass", "Season pass", "24.00", "USD"]),
    (1, ["aurora-lantern", "Aurora lantern", "39.90", "EUR"]),
];

/// How many shoppers have an account at the shop, which can save their cards.
const ACCOUNTS: u64 = 12;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct TrafficCountry {
    pub(super) locale: &'static str,
    pub(super) code: &'static str,
    gives_up_percent: u64,
}

const fn country(locale: &'static str, code: &'static str, gives_up_percent: u64) -> TrafficCountry {
    TrafficCountry {
        locale,
        code,
        gives_up_percent,
    }
}

/// When a shopper gives up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum GivesUp {
    /// After a look at the page.
    AfterLook,
    /// In the field with this place in [`FIELDS`].
    InField(usize),
    /// After all fields are filled in.
    WhenReady,
    /// Never: the shopper pays.
    Never,
}

/// What a shopper is going to do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct VisitPlan {
    pub(super) country: TrafficCountry,
    /// 1 for the redesigned layout, 0 for the earlier one.
    pub(super) variation: u32,
    pub(super) item: [&'static str; 4],
    pub(super) gives_up: GivesUp,
    /// The field in which something wrong is typed first, by its place in [`FIELDS`].
    pub(super) mistake_in: Option<usize>,
    /// The cards that are tried, in this order.
    pub(super) cards: Vec<TrafficCard>,
    /// The shopper's number at the shop, if the shopper has an account.
    pub(super) account: Option<u64>,
    pub(super) is_on_phone: bool,
    /// How long the shopper takes, in percent of the usual time.
    pub(super) pace_percent: u64,
}

impl VisitPlan {
    /// Draws one at random.
    pub(super) fn draw(random: &mut TrafficRandom) -> Self {
        let country = random.pick_weighted(&COUNTRIES);
        let variation = u32::from(random.happens(50));
        let mistake_in = random
            .happens(22)
            .then(|| random.pick_weighted(&[(60, 0), (15, 1), (25, 2)]));
        let gives_up = gives_up(random, country, variation, mistake_in);
        Self {
            country,
            variation,
            item: random.pick_weighted(&ITEMS),
            gives_up,
            mistake_in,
            cards: cards(random),
            account: random.happens(20).then(|| random.below(ACCOUNTS)),
            is_on_phone: random.happens(65),
            pace_percent: 60 + random.below(80),
        }
    }
}

fn gives_up(
    random: &mut TrafficRandom,
    country: TrafficCountry,
    variation: u32,
    mistake_in: Option<usize>,
) -> GivesUp {
    // With the redesign fewer shoppers leave after a look.
    let leaves_percent = if variation == 0 { 27 } else { 19 };
    if random.happens(leaves_percent + country.gives_up_percent) {
        return GivesUp::AfterLook;
    }
    for (place, field) in FIELDS.iter().enumerate() {
        let after_error = if mistake_in == Some(place) { 25 } else { 0 };
        if random.happens(field.gives_up_percent + after_error) {
            return GivesUp::InField(place);
        }
    }
    if random.happens(4) {
        GivesUp::WhenReady
    } else {
        GivesUp::Never
    }
}

/// Most shoppers have one card that pays. After a decline, more than half try another one.
fn cards(random: &mut TrafficRandom) -> Vec<TrafficCard> {
    if random.happens(2) {
        return vec![CHALLENGED_CARD];
    }
    let mut cards = Vec::new();
    while cards.len() < 2 && random.happens(16) {
        cards.push(random.pick_weighted(&BAD_CARDS));
    }
    if cards.is_empty() || random.happens(55) {
        cards.push(random.pick_weighted(&GOOD_CARDS));
    }
    cards
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simulator::cards::TEST_CARDS;

    fn plans(seed: u64) -> Vec<VisitPlan> {
        (0..2_000)
            .map(|number| VisitPlan::draw(&mut TrafficRandom::of(seed, number)))
            .collect()
    }

    #[test]
    fn the_same_seed_brings_the_same_shoppers() {
        assert_eq!(plans(7), plans(7));
        assert_ne!(plans(7), plans(8));
    }

    #[test]
    fn shoppers_give_up_at_every_place_and_most_pay() {
        let plans = plans(1);
        let share = |is: &dyn Fn(&VisitPlan) -> bool| plans.iter().filter(|plan| is(plan)).count() / 20;
        assert!((40..70).contains(&share(&|plan| plan.gives_up == GivesUp::Never)));
        for gives_up in [
            GivesUp::AfterLook,
            GivesUp::InField(0),
            GivesUp::InField(1),
            GivesUp::InField(2),
            GivesUp::WhenReady,
        ] {
            assert!(share(&|plan| plan.gives_up == gives_up) >= 1, "{gives_up:?}");
        }
        for variation in 0..2 {
            assert!((40..60).contains(&share(&|plan| plan.variation == variation)));
        }
    }

    #[test]
    fn cards_locales_and_error_ids_exist() {
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
        for (_, country) in COUNTRIES {
            assert!(
                rules::locale::by_code(country.locale).is_some(),
                "{}",
                country.locale
            );
        }
        for field in FIELDS {
            assert!(rules::ErrorId::ALL.iter().any(|id| id.as_str() == field.error_id));
        }
    }
}
