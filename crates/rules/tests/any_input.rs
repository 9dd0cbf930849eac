//! The rules never panic for any text, and give the same result for the same text.

use proptest::prelude::*;
use proptest::test_runner::FileFailurePersistence;
use rules::{
    Brand, CardRefusal, Context, ErrorId, Field, Month, NewCard, RuleExperiments, Verdict, amount, brand,
    check_card, judge, locale, postal_code,
};

/// Texts that are nearly valid, and random texts.
fn texts() -> impl Strategy<Value = String> {
    prop_oneof![
        any::<String>(),
        "[0-9 ]{0,24}",
        "[0-9/ ]{0,9}",
        "[0-9a-z@. '-]{0,40}",
        "[0-9０-９٠-٩\u{301}\u{200f}\u{202e} ]{0,24}",
        "[0-9]{9000,10000}",
        "[\\p{L}\\p{M}' -]{0,30}",
        "[0-9A-Za-z -]{0,12}",
    ]
}

fn contexts() -> impl Strategy<Value = Context> {
    let brands = any::<prop::sample::Index>().prop_map(|index| index.get(brand::TABLE).brand);
    let countries = any::<prop::sample::Index>().prop_map(|index| index.get(&postal_code::TABLE).country);
    let months = (prop_oneof![2000_u16..=2099, any::<u16>()], 1_u8..=12)
        .prop_map(|(year, month)| Month { year, month });
    let experiments =
        any::<(bool, bool, bool)>().prop_map(|(luhn, security_code_length, expiry_limit)| RuleExperiments {
            luhn,
            security_code_length,
            expiry_limit,
        });
    let options = (prop::option::of(brands), prop::option::of(countries));
    (experiments, months, options).prop_map(|(experiments, today, (brand, postal_country))| Context {
        experiments,
        today,
        brand,
        postal_country,
    })
}

/// Stores failed seeds beside the crate's sources, and tries them first at the next run. For a file in `tests`,
/// proptest needs this path.
fn kept_seeds() -> ProptestConfig {
    ProptestConfig {
        failure_persistence: Some(Box::new(FileFailurePersistence::Direct(
            "proptest-regressions/any_input.txt",
        ))),
        ..ProptestConfig::default()
    }
}

proptest! {
    #![proptest_config(kept_seeds())]

    #[test]
    fn every_text_can_be_checked_by_every_field(text in texts(), context in contexts()) {
        for field in Field::ALL {
            let verdict = judge(field, &text, context);
            prop_assert_eq!(verdict.error().is_none(), verdict == Verdict::Valid);
            prop_assert_eq!(verdict, judge(field, &text, context));
        }
        let _ = (Brand::detect(&text), Brand::from_name(&text), locale::nearest(&text), amount::parse(&text, "USD"));
    }

    #[test]
    fn every_card_can_be_checked(
        number in texts(), month in texts(), year in texts(), security_code in texts(), context in contexts(),
    ) {
        let card = NewCard {
            number: &number,
            expiration_month: &month,
            expiration_year: &year,
            security_code: &security_code,
        };
        let _ = check_card(card, context.today, context.experiments);
    }

    #[test]
    fn the_server_accepts_exactly_what_the_form_accepts(
        number in "(4[0-9]{15}|3[47][0-9]{13}|67[0-9]{10}|9[0-9]{15})",
        month in "(0[0-9]|1[0-3])", year in "20[0-9]{2}", security_code in "[0-9]{3,4}", context in contexts(),
    ) {
        let context = Context { brand: Brand::detect(&number), ..context };
        let card = NewCard {
            number: &number,
            expiration_month: &month,
            expiration_year: &year,
            security_code: &security_code,
        };
        let typed = [
            (Field::CardNumber, number.clone()),
            (Field::Expiry, format!("{month} / {}", &year[2..])),
            (Field::SecurityCode, security_code.clone()),
        ];
        let refused = typed.iter().find_map(|(field, text)| {
            judge(*field, text, context).error().map(|error_id| CardRefusal { field: *field, error_id })
        });
        let judged = check_card(card, context.today, context.experiments);
        prop_assert_eq!(judged, refused.map_or(Ok(context.brand), Err));
    }

    #[test]
    fn luhn_finds_every_single_wrong_digit(
        digits in prop::collection::vec(0_u8..10, 12..19), place in any::<prop::sample::Index>(), change in 1_u8..10,
    ) {
        let text = |digits: &[u8]| digits.iter().map(|digit| char::from(b'0' + digit)).collect::<String>();
        let mut number = digits;
        let place = place.index(number.len());
        let holds = rules::number::luhn_holds(&text(&number));
        number[place] = (number[place] + change) % 10;
        prop_assert!(!(holds && rules::number::luhn_holds(&text(&number))));
    }

    #[test]
    fn a_card_expires_after_its_month(month in 1_u8..=12, year in 2000_u16..=2099) {
        let context = |year, month| Context {
            experiments: RuleExperiments { luhn: true, security_code_length: true, expiry_limit: true },
            today: Month { year, month },
            brand: None,
            postal_country: None,
        };
        let text = format!("{month:02} / {:02}", year % 100);
        prop_assert_eq!(judge(Field::Expiry, &text, context(year, month)), Verdict::Valid);
        let next = if month == 12 { context(year + 1, 1) } else { context(year, month + 1) };
        prop_assert_eq!(judge(Field::Expiry, &text, next), Verdict::Wrong(ErrorId::CardExpiryExpired));
    }
}
