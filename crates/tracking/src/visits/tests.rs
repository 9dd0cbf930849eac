use experiments::Document;
use serde_json::json;

use super::*;

fn event(visit: u128, of: &str) -> String {
    format!(r#"{{"visit":"{}","at":1,{of}}}"#, Uuid::from_u128(visit))
}

fn experiment_event(visit: u128, id: &str) -> String {
    let of = format!(
        r#""type":"experiment-viewed","name":"ExperimentViewed","experimentId":"{id}","variationId":1"#
    );
    event(visit, &of)
}

/// No visits yet, and a features document with a feature whose rules have these keys.
fn visits(keys: &[&str]) -> Visits {
    let rules: Vec<_> = keys
        .iter()
        .map(|key| json!({"key": key, "variations": [0, 1]}))
        .collect();
    let document = json!({"features": {"a-feature": {"defaultValue": 0, "rules": rules}}});
    let document = Document::read(document.to_string().as_bytes(), None).unwrap();
    Visits::new(Experiments::new(document))
}

fn add(visits: &Visits, event: &str) {
    let (_, part) = read_event(event);
    visits.add_events(part.into_iter().collect(), 1, 1);
}

#[test]
fn new_visits_are_left_out_when_the_buffer_is_full() {
    let visits = visits(&[]);
    for visit in 0..=WAITING_MAX as u128 {
        add(&visits, &event(visit, r#""type":"page-view","name":"pageView""#));
    }
    add(&visits, &event(0, r#""type":"custom","name":"submit_success""#));
    let waiting = visits.locked();
    assert_eq!((waiting.visits.len(), waiting.left_out), (WAITING_MAX, 1));
    assert_eq!(
        waiting.visits[&Uuid::from_u128(0)].step,
        protocol::VisitStep::Paid
    );
}

#[test]
fn only_experiments_of_the_features_document_are_counted() {
    let visits = visits(&["of-the-document"]);
    let ids = ["of-the-document", "a-feature", "made-up"];
    for (visit, id) in ids.into_iter().enumerate() {
        add(&visits, &experiment_event(visit as u128, id));
    }
    let waiting = visits.locked();
    let experiments = [0, 1, 2].map(|visit| waiting.visits[&Uuid::from_u128(visit)].variations.len());
    assert_eq!(experiments, [1, 1, 0]);
}

#[test]
fn the_experiments_of_one_visit_are_limited() {
    let keys: Vec<String> = (0..40).map(|number| format!("e-{number}")).collect();
    let visits = visits(&keys.iter().map(String::as_str).collect::<Vec<_>>());
    for key in &keys {
        add(&visits, &experiment_event(1, key));
    }
    let waiting = visits.locked();
    assert_eq!(
        waiting.visits[&Uuid::from_u128(1)].variations.len(),
        EXPERIMENTS_OF_VISIT_MAX
    );
}
