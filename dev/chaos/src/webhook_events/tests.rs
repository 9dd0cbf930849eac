use super::*;
use serde_json::json;

/// When the charges change, in unix seconds.
const CHANGED: i64 = 1_784_116_800;

fn signer() -> Webhook {
    Webhook::new("whsec_plJ3nmyCDGBKInavdOK15jsl").unwrap_or_else(|_| panic!("a secret"))
}

fn text(number: u64, status: &str) -> String {
    let changed = Timestamp::from_second(CHANGED).unwrap();
    json!({
        "type": format!("charge.{status}"), "timestamp": changed.to_string(),
        "data": {"id": "ch_1", "status": status}, "sequence": number,
    })
    .to_string()
}

/// The event with this number, sent at once.
fn event(number: u64, status: &str) -> ReceivedEvent {
    sent(number, status, 0)
}

/// The event with this number, sent this many seconds after the charge's change.
fn sent(number: u64, status: &str, after: i64) -> ReceivedEvent {
    let (id, text) = (format!("evt_{number}"), text(number, status));
    let signature = signer().sign(&id, CHANGED + after, text.as_bytes()).unwrap();
    signed(&id, &signature, after, text)
}

fn signed(id: &str, signature: &str, after: i64, text: String) -> ReceivedEvent {
    let sent_at = (CHANGED + after).to_string();
    let headers = [
        ("webhook-id", id),
        ("webhook-timestamp", &sent_at),
        ("webhook-signature", signature),
    ];
    let headers = headers.map(|(name, value)| (name.parse().unwrap(), value.parse().unwrap()));
    ReceivedEvent::new(headers.into_iter().collect(), text)
}

fn found(events: &[ReceivedEvent], status: &str, may_repeat: bool) -> Vec<String> {
    let charge = ChargeRecords {
        merchant: json!({"id": "ch_1", "status": status}),
        events: events.to_vec(),
        ..ChargeRecords::default()
    };
    contradictions(&charge, &signer(), may_repeat)
}

const NOTHING: [String; 0] = [];

#[test]
fn events_in_order_and_repeated_events_are_fine() {
    let told = [
        event(1, "processing"),
        event(2, "failed"),
        event(2, "failed"),
        event(3, "processing"),
        event(4, "outcome_unknown"),
        event(5, "succeeded"),
        event(5, "succeeded"),
    ];
    assert_eq!(found(&told, "succeeded", false), NOTHING);
    assert_eq!(found(&told[..3], "failed", false), NOTHING);
    assert_eq!(found(&[], "created", false), NOTHING);
}

#[test]
fn an_event_may_arrive_before_an_earlier_one_for_which_it_has_waited() {
    let overtaken = |after| {
        let told = [
            event(1, "processing"),
            sent(2, "succeeded", after),
            sent(1, "processing", after + 1),
        ];
        found(&told, "succeeded", false)
    };
    assert_eq!(overtaken(45), NOTHING);
    assert!(!overtaken(43).is_empty());
    // Neither may be missing.
    assert!(!found(&[sent(2, "succeeded", 45)], "succeeded", false).is_empty());
}

#[test]
fn an_event_may_arrive_late_if_it_was_sent_in_time() {
    let told = [
        sent(1, "processing", 5),
        sent(2, "succeeded", 6),
        event(1, "processing"),
    ];
    assert_eq!(found(&told, "succeeded", false), NOTHING);
}

#[test]
fn a_repeated_event_may_arrive_after_a_later_one_only_while_clocks_jump() {
    let told = [event(1, "processing"), event(2, "failed"), event(1, "processing")];
    assert!(!found(&told, "failed", false).is_empty());
    assert_eq!(found(&told, "failed", true), NOTHING);
    assert!(!found(&[event(2, "failed"), event(1, "processing")], "failed", true).is_empty());
}

#[test]
fn every_wrong_event_is_named() {
    let forged = signed("evt_1", "v1,AAAA", 0, text(1, "processing"));
    for (events, status, wrong) in [
        (vec![forged], "processing", "not signed"),
        (
            vec![event(1, "succeeded")],
            "succeeded",
            "succeeded was told after created",
        ),
        (
            vec![
                event(1, "processing"),
                event(2, "succeeded"),
                event(3, "succeeded"),
            ],
            "succeeded",
            "told 2 times",
        ),
        (
            vec![event(1, "processing"), event(1, "canceled")],
            "processing",
            "has changed",
        ),
        (vec![event(1, "processing")], "succeeded", "told 0 times"),
        (
            vec![event(1, "processing"), event(2, "failed")],
            "canceled",
            "is missing",
        ),
        (vec![], "failed", "is missing"),
    ] {
        let found = found(&events, status, false);
        assert!(found.last().unwrap().starts_with("its events: "));
        assert!(
            found.iter().any(|line| line.contains(wrong)),
            "{wrong}: {found:?}"
        );
    }
}
