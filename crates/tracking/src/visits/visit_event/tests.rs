//! The part of its visit that each event reports, and that nothing else of the event is stored.

use super::*;

const VISIT: &str = "6f7f3c1e-0a5b-4c55-9d0e-2f6c1b7a9e11";

fn event(at: u64, of: &str) -> String {
    format!(r#"{{"id":"x","visit":"{VISIT}","at":{at},"metadata":{{"userAgent":"u"}},{of}}}"#)
}

fn page_view(locale: &str) -> String {
    event(
        1,
        &format!(r#""type":"page-view","name":"pageView","title":"t","locale":"{locale}""#),
    )
}

fn custom(at: u64, name: &str, data: &str) -> String {
    event(
        at,
        &format!(r#""type":"custom","name":"{name}","data":{{"elapsed_ms":7{data}}}"#),
    )
}

fn visit(events: &[String]) -> Visit {
    let mut visit = Visit::new(0);
    for event in events {
        let (_, part) = read_event(event).1.unwrap();
        visit.merge(&part);
    }
    visit
}

/// The events of a shopper who makes an error, is declined, and pays with another card.
fn one_visits_events() -> Vec<String> {
    vec![
        page_view("th-TH"),
        event(
            2,
            r#""type":"experiment-viewed","name":"ExperimentViewed","experimentId":"enable-ddc","variationId":1,"variationKey":"on""#,
        ),
        custom(3, "form_ready", ""),
        custom(4, "field_focus", r#","field":"card-number""#),
        custom(5, "brand_detected", r#","brand":"visa""#),
        custom(
            6,
            "field_error",
            r#","field":"card-number","error_id":"CardNumber_Invalid""#,
        ),
        custom(7, "brand_detected", r#","brand":"mastercard""#),
        custom(8, "field_input", r#","field":"card-expiry""#),
        custom(9, "submit_invoked", r#","method":"new_card""#),
        custom(
            10,
            "submit_fail",
            r#","status":"failed","decline_code":"insufficient_funds""#,
        ),
        custom(11, "submit_invoked", r#","method":"saved_card""#),
        custom(12, "submit_success", ""),
        custom(13, "page_left", r#","field":"card-expiry","ready":false"#),
    ]
}

#[test]
fn a_visits_events_give_its_step_and_latest_words() {
    let visit = visit(&one_visits_events());
    assert_eq!(visit.step, VisitStep::Paid);
    let words = [
        visit.locale,
        visit.brand,
        visit.field,
        visit.error,
        visit.decline,
        visit.method,
    ]
    .map(|latest| latest.word);
    assert_eq!(
        words,
        [
            "th-TH",
            "mastercard",
            "card-expiry",
            "CardNumber_Invalid",
            "insufficient_funds",
            "saved_card"
        ]
    );
    assert_eq!(
        visit.variations.into_iter().collect::<Vec<_>>(),
        [("enable-ddc".to_owned(), 1)]
    );
}

#[test]
fn the_order_and_repetition_of_events_do_not_matter() {
    let expected = visit(&one_visits_events());
    let mut events = one_visits_events();
    for turn in 0..events.len() {
        events.rotate_left(turn + 1);
        let mut twice = events.clone();
        twice.extend(events.iter().rev().cloned());
        assert_eq!(visit(&twice), expected, "turn {turn}");
    }
    // Two halves that are merged later.
    let (first, second) = events.split_at(6);
    let mut whole = visit(second);
    whole.merge(&visit(first));
    assert_eq!(whole, expected);
}

#[test]
fn each_event_gives_its_step() {
    use VisitStep as S;
    for (event, step) in [
        (page_view("en-US"), S::Viewed),
        (custom(1, "form_ready", ""), S::Viewed),
        (custom(1, "saved_cards_loaded", r#","count":2"#), S::Viewed),
        (custom(1, "page_left", r#","field":"","ready":false"#), S::Viewed),
        (custom(1, "field_focus", r#","field":"card-number""#), S::Started),
        (custom(1, "saved_card_selected", ""), S::Started),
        (custom(1, "new_card_chosen", ""), S::Started),
        (
            custom(1, "page_left", r#","field":"card-expiry","ready":false"#),
            S::Started,
        ),
        (
            custom(1, "page_left", r#","field":"card-expiry","ready":true"#),
            S::Ready,
        ),
        (
            custom(1, "submit_invoked", r#","method":"new_card""#),
            S::Submitted,
        ),
        (
            custom(1, "submit_fail", r#","status":"unanswered""#),
            S::Submitted,
        ),
        (custom(1, "submit_success", ""), S::Paid),
    ] {
        assert_eq!(visit(std::slice::from_ref(&event)).step, step, "{event}");
    }
}

#[test]
fn unknown_words_are_not_stored() {
    let events = [
        page_view("4242424242424242"),
        page_view(&"x".repeat(10_000)),
        custom(1, "brand_detected", r#","brand":"<script>""#),
        custom(1, "field_error", r#","error_id":"4242 4242 4242 4242""#),
        custom(1, "field_focus", r#","field":"sam@example.com""#),
        custom(1, "submit_invoked", r#","method":"cash""#),
    ];
    let visit = visit(&events);
    for latest in [visit.locale, visit.brand, visit.field, visit.error, visit.method] {
        assert_eq!(latest, LatestWord::default());
    }
    // An unknown code is a decline, too, under the name by which the form shows it.
    let declined = super::tests::visit(&[custom(1, "submit_fail", r#","decline_code":"sam@example.com""#)]);
    assert_eq!(declined.decline.word, DeclineCode::from_code("").as_str());
}

#[test]
fn experiments_with_long_or_odd_names_are_not_stored() {
    let variations_of = |id: &str, variation: &str| {
        let of = format!(
            r#""type":"experiment-viewed","name":"ExperimentViewed","experimentId":"{id}","variationId":{variation}"#
        );
        visit(&[event(1, &of)]).variations.len()
    };
    assert_eq!(variations_of("pop-646-card-form-ui-redesign", "0"), 1);
    assert_eq!(variations_of(&"x".repeat(EXPERIMENT_BYTES_MAX), "31"), 1);
    for (id, variation) in [
        ("", "0"),
        ("a b", "0"),
        ("é", "0"),
        ("4242424242424242", "0"),
        ("x", "32"),
        (&"x".repeat(EXPERIMENT_BYTES_MAX + 1), "0"),
    ] {
        assert_eq!(variations_of(id, variation), 0, "{id} {variation}");
    }
}

#[test]
fn the_lower_of_two_variations_counts() {
    let experiment_viewed = |variation: u32| {
        event(
            1,
            &format!(
                r#""type":"experiment-viewed","name":"ExperimentViewed","experimentId":"a","variationId":{variation}"#
            ),
        )
    };
    for order in [[2, 1], [1, 2]] {
        assert_eq!(visit(&order.map(experiment_viewed)).variations["a"], 1);
    }
}

#[test]
fn an_event_without_a_visit_is_ignored() {
    for text in [
        "",
        "null",
        "[]",
        "7",
        "{}",
        r#"{"type":"page-view","name":"pageView"}"#,
        r#"{"type":"page-view","name":"pageView","visit":"1","at":1}"#,
        r#"{"type":"page-view","name":"pageView","visit":"{6f7f3c1e-0a5b-4c55-9d0e-2f6c1b7a9e11}","at":1}"#,
        r#"{"type":7,"name":"x","visit":"6f7f3c1e-0a5b-4c55-9d0e-2f6c1b7a9e11","at":1}"#,
        r#"{"type":"click","name":"click","visit":"6f7f3c1e-0a5b-4c55-9d0e-2f6c1b7a9e11","at":-1}"#,
        r#"{"type":"custom","name":"x","visit":"6f7f3c1e-0a5b-4c55-9d0e-2f6c1b7a9e11","at":1,"data":[]}"#,
        r#"{"type":"custom","name":"x","visit":"6f7f3c1e-0a5b-4c55-9d0e-2f6c1b7a9e11","at":1,"data":{"field":{}}}"#,
    ] {
        assert_eq!(read_event(text).1, None, "{text}");
    }
}

#[test]
fn a_time_out_of_range_becomes_the_latest_time() {
    let late = custom(u64::MAX, "brand_detected", r#","brand":"visa""#);
    assert_eq!(visit(&[late]).brand.at, i64::try_from(TIME_MAX).unwrap());
    let never = custom(0, "brand_detected", r#","brand":"visa""#);
    assert_eq!(visit(&[never]).brand.word, "visa");
}

#[test]
fn an_unknown_type_counts_as_other() {
    for (value, known) in [
        (r#"{"id":1,"type":"page-view"}"#, "page-view"),
        (r#"{"type":"se\u0073sion"}"#, "session"),
        (r#"{"type":"4242424242424242"}"#, "other"),
        (r#"{"type":7}"#, "other"),
        (r#"{"name":"click"}"#, "other"),
        ("[]", "other"),
    ] {
        assert_eq!(read_event(value).0, known, "{value}");
    }
}
