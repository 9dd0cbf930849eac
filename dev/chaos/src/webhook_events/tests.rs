use super::*;
use serde_json::json;

pub(crate) fn signer() -> Webhook {
    Webhook::new("whsec_plJ3nmyCDGBKInavdOK15jsl").unwrap_or_else(|_| panic!("a secret"))
}

fn view(status: &str) -> Value {
    json!({"id": "ch_1", "status": status})
}

fn event(id: &str, status: &str) -> ReceivedEvent {
    let text = json!({"type": format!("charge.{status}"), "data": view(status)}).to_string();
    let signature = signer().sign(id, 1_784_116_800, text.as_bytes()).unwrap();
    signed(id, &signature, text)
}

fn signed(id: &str, signature: &str, text: String) -> ReceivedEvent {
    let headers = [
        ("webhook-id", id),
        ("webhook-timestamp", "1784116800"),
        ("webhook-signature", signature),
    ];
    let headers = headers.map(|(name, value)| (name.parse().unwrap(), value.parse().unwrap()));
    ReceivedEvent::new(headers.into_iter().collect(), text)
}

/// The events of a charge that reaches this status.
pub(crate) fn events_until(status: &str) -> Vec<ReceivedEvent> {
    let way: &[&str] = match status {
        "created" => &[],
        "processing" => &["processing"],
        "canceled" | "expired" => &[status],
        _ => &["processing", status],
    };
    let events = way.iter().enumerate();
    events
        .map(|(number, status)| event(&format!("evt_{number}"), status))
        .collect()
}

fn found(events: &[ReceivedEvent], status: &str) -> Vec<String> {
    contradictions(events, &view(status), &signer())
}

#[test]
fn events_in_order_and_repeated_events_are_fine() {
    let told = [
        event("a", "processing"),
        event("b", "failed"),
        event("b", "failed"),
        event("c", "processing"),
        event("d", "outcome_unknown"),
        event("e", "succeeded"),
        event("e", "succeeded"),
    ];
    assert_eq!(found(&told, "succeeded"), Vec::<String>::new());
    assert_eq!(found(&told[..3], "failed"), Vec::<String>::new());
    assert_eq!(found(&[], "created"), Vec::<String>::new());
}

#[test]
fn every_wrong_event_is_named() {
    let forged = signed("a", "v1,AAAA", event("a", "processing").text);
    let changed = event("a", "canceled");
    for (events, status, wrong) in [
        (vec![forged], "processing", "not signed"),
        (
            vec![
                event("a", "processing"),
                event("b", "failed"),
                event("a", "processing"),
            ],
            "processing",
            "came again",
        ),
        (
            vec![event("a", "succeeded")],
            "succeeded",
            "succeeded was told after created",
        ),
        (
            vec![
                event("a", "processing"),
                event("b", "succeeded"),
                event("c", "succeeded"),
            ],
            "succeeded",
            "told 2 times",
        ),
        (
            vec![event("a", "processing"), changed],
            "processing",
            "has changed",
        ),
        (vec![event("a", "processing")], "succeeded", "told 0 times"),
        (
            vec![event("a", "processing"), event("b", "failed")],
            "canceled",
            "told last",
        ),
        (vec![], "failed", "told last"),
    ] {
        let found = found(&events, status);
        assert!(found.last().unwrap().starts_with("its events: "));
        assert!(
            found.iter().any(|line| line.contains(wrong)),
            "{wrong}: {found:?}"
        );
    }
}
