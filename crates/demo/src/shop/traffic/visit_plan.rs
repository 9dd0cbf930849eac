//! The plan of a simulated shopper, drawn at random before the visit begins: country, cards, and when the shopper gives
//! up. The numbers are invented, so that the operator's report shows differences.

use rand::rngs::StdRng;
use rand::seq::IndexedRandom;
use rand::{RngExt, SeedableRng};
use rules::Field;

/// The simulator's cards that pay, and how often each is used.
const GOOD_CARDS: [(u32, &str); 5] = [
    (50, "4242424242424242"),
    (32, "5555555555554444"),
    (9, "378282246310005"),
    (5, "3566002020360505"),
    (4, "6200000000000005"),
];

/// The simulator's cards that are declined, and how often each is used.
const BAD_CARDS: [(u32, &str); 5] = [
    (45, "4000000000009995"),
    (25, "4000000000010068"),
    (15, "4000000000000127"),
    (10, "4000000000000069"),
    (5, "4100000000000019"),
];

/// The simulator's card that needs a 3-D Secure challenge.
const CHALLENGED_CARD: &str = "4000000000003220";

/// A field, its error when something wrong is typed, and how many percent give up in it.
#[derive(Debug)]
pub(super) struct TrafficField {
    pub(super) id: &'static str,
    pub(super) error_id: &'static str,
    gives_up_percent: u32,
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
const COUNTRIES: [(u32, TrafficCountry); 10] = [
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

/// The items on sale: code, name, amount and currency.
const ITEMS: [(u32, [&str; 4]); 3] = [
    (6, ["gems-100", "100 gems", "12.50", "USD"]),
    (3, ["season-pass", "Season pass", "24.00", "USD"]),
    (1, ["aurora-lantern", "Aurora lantern", "39.90", "EUR"]),
];

/// How many shoppers have an account at the shop, which can save their cards.
const ACCOUNTS: u32 = 12;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct TrafficCountry {
    pub(super) locale: &'static str,
    pub(super) code: &'static str,
    gives_up_percent: u32,
}

const fn country(locale: &'static str, code: &'static str, gives_up_percent: u32) -> TrafficCountry {
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

/// The plan of a shopper.
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
    pub(super) cards: Vec<&'static str>,
    /// The shopper's id in the shop, if the shopper has an account.
    pub(super) shopper_id: Option<String>,
    /// How long the shopper takes, in percent of the usual time.
    pub(super) pace_percent: u64,
}

impl VisitPlan {
    /// Draws the plan of the shopper with this number. It depends only on seed and number, not on other shoppers.
    pub(super) fn draw(seed: u64, number: u64) -> Self {
        let mut seeds = [0; 32];
        seeds[..8].copy_from_slice(&seed.to_le_bytes());
        seeds[8..16].copy_from_slice(&number.to_le_bytes());
        let random = &mut StdRng::from_seed(seeds);
        let country = pick(random, &COUNTRIES);
        let variation = random.random_range(0..2);
        let mistake_in = happens(random, 22).then(|| pick(random, &[(60, 0), (15, 1), (25, 2)]));
        Self {
            country,
            variation,
            item: pick(random, &ITEMS),
            gives_up: gives_up(random, country, variation, mistake_in),
            mistake_in,
            cards: cards(random),
            shopper_id: happens(random, 20)
                .then(|| format!("simulated-{}", random.random_range(0..ACCOUNTS))),
            pace_percent: random.random_range(60..140),
        }
    }
}

/// Whether something happens whose chance is `percent`.
fn happens(random: &mut StdRng, percent: u32) -> bool {
    random.random_ratio(percent, 100)
}

/// One of these, with a chance in proportion to its weight.
fn pick<T: Copy>(random: &mut StdRng, these: &[(u32, T)]) -> T {
    let picked = these.choose_weighted(random, |(weight, _)| *weight);
    picked.expect("weights above 0").1
}

fn gives_up(
    random: &mut StdRng,
    country: TrafficCountry,
    variation: u32,
    mistake_in: Option<usize>,
) -> GivesUp {
    // With the redesign fewer shoppers leave after a look.
    let leaves_percent = if variation == 0 { 27 } else { 19 };
    if happens(random, leaves_percent + country.gives_up_percent) {
        return GivesUp::AfterLook;
    }
    for (place, field) in FIELDS.iter().enumerate() {
        let after_error = if mistake_in == Some(place) { 25 } else { 0 };
        if happens(random, field.gives_up_percent + after_error) {
            return GivesUp::InField(place);
        }
    }
    if happens(random, 4) {
        GivesUp::WhenReady
    } else {
        GivesUp::Never
    }
}

/// Most shoppers have one card that pays. After a decline, more than half try another one.
fn cards(random: &mut StdRng) -> Vec<&'static str> {
    if happens(random, 2) {
        return vec![CHALLENGED_CARD];
    }
    let mut cards = Vec::new();
    while cards.len() < 2 && happens(random, 16) {
        cards.push(pick(random, &BAD_CARDS));
    }
    if cards.is_empty() || happens(random, 55) {
        cards.push(pick(random, &GOOD_CARDS));
    }
    cards
}

#[cfg(test)]
mod tests;
