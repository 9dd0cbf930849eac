use serde_json::Value;

use super::*;

fn charge() -> ChargeView {
    ChargeView {
        id: "ch_1".to_owned(),
        status: ChargeStatus::Succeeded,
        item_code: "gems".to_owned(),
        item_name: "Gems {\"sequence\":7}".to_owned(),
        amount_value: "1.00".to_owned(),
        amount_currency: "USD".to_owned(),
        partner_reference: "order-1".to_owned(),
        ..ChargeView::example(0)
    }
}

#[test]
fn an_example_is_an_event_with_a_mark() {
    let sent = sent_body(&EventSubject::Charge(&charge()).stored_body(0).unwrap(), 1);
    let sent: Value = serde_json::from_str(&sent).unwrap();
    let example = EventSubject::Charge(&charge()).example_body(0).unwrap();
    let mut example: Value = serde_json::from_str(&example).unwrap();
    let mark = example["data"].as_object_mut().unwrap().remove("test");
    assert_eq!(mark, Some(Value::Bool(true)));
    assert_eq!(sent, example);
    assert_eq!(sent["sequence"], 1);
}
