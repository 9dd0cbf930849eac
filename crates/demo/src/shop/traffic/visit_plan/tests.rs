use super::*;
use crate::simulator::cards::card_with;

fn plans(seed: u64) -> Vec<VisitPlan> {
    (0..2_000).map(|number| VisitPlan::draw(seed, number)).collect()
}

#[test]
fn the_same_seed_brings_the_same_shoppers() {
    assert_eq!(plans(7), plans(7));
    assert_ne!(plans(7), plans(8));
    assert_ne!(VisitPlan::draw(7, 1), VisitPlan::draw(7, 2));
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
    for (_, number) in GOOD_CARDS {
        let card = card_with(number);
        assert!(card.decline.is_none() && !card.challenge, "{number}");
    }
    for (_, number) in BAD_CARDS {
        assert!(card_with(number).decline.is_some(), "{number}");
    }
    assert!(card_with(CHALLENGED_CARD).challenge);
    for (_, country) in COUNTRIES {
        assert!(rules::locale::by_code(country.locale).is_some(), "{country:?}");
    }
    for field in FIELDS {
        assert!(rules::ErrorId::ALL.iter().any(|id| id.as_str() == field.error_id));
    }
}
