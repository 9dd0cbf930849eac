use experiments::{Document, Experiments};
use protocol::clock::Clock;
use store::Store;

use super::super::record::RecordError;
use super::super::settings::{EventSettings, SinkChoice};
use super::super::sink::append;
use super::*;
use crate::visits::Visits;

async fn events() -> (Events, tempfile::TempDir) {
    let dir = tempfile::tempdir().unwrap();
    let store = Store::open(&dir.path().join("cardform.db")).await.unwrap();
    let settings = EventSettings {
        sink: SinkChoice::Database,
        topic: "events".into(),
        retention: Duration::MAX,
        storage_bytes: i64::MAX,
        limit_per_address: None,
    };
    let visits = Arc::new(Visits::new(Experiments::new(Document::shipped())));
    (Events::new(store, Clock::system(), visits, settings), dir)
}

#[tokio::test]
async fn records_that_kafka_has_are_not_sent_again() {
    let (events, _dir) = events().await;
    let records: Vec<Record> = serde_json::from_str(r#"[{"value":1},{"value":2},{"value":3}]"#).unwrap();
    append(&events, records.iter(), true).await.unwrap();
    let waiting = async || events.store.events_for_kafka(9).await.unwrap();
    let stored = Some(RecordOutcome::Stored {
        partition: 0,
        offset: 0,
    });
    let refused = Some(RecordOutcome::Refused(RecordError::REFUSED_BY_KAFKA));

    let delivered = [stored, None, refused];
    let all = keep_unsent(&events, &waiting().await[0], &records, &delivered).await;
    assert!(!all.unwrap());
    let left = waiting().await;
    assert_eq!((left[0].events, left[0].body.as_str()), (1, r#"[{"value":2}]"#));

    let all = keep_unsent(&events, &left[0], &records[1..2], &[stored]).await;
    assert!(all.unwrap());
    assert_eq!(waiting().await, []);
}
