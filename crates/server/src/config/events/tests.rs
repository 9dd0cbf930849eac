use super::*;

#[test]
fn a_topic_name_that_brokers_refuse_is_refused() {
    let topic = |name: &str| {
        let settings = Settings {
            event_topic: Some(name.to_owned()),
            ..Settings::default()
        };
        event_settings(&settings).map(|events| events.topic)
    };
    assert_eq!(topic("pay.events_1").unwrap(), "pay.events_1");
    for bad in ["", ".", "..", "a/b", "ä", &"a".repeat(250)] {
        assert!(
            topic(bad).unwrap_err().to_string().contains("event_topic"),
            "{bad}"
        );
    }
}
