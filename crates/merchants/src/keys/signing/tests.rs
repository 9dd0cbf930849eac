use super::*;

#[tokio::test]
async fn calls_that_waited_for_a_failed_read_share_its_failure() {
    let dir = tempfile::tempdir().unwrap();
    let store = Store::open(&dir.path().join("books.db")).await.unwrap();
    let keys = SigningKeys::new(store, Clock::system(), None);
    let mut failed_at = keys.reading.lock().await;
    let failing = async {
        *failed_at = Some(Instant::now());
        drop(failed_at);
    };
    let (first, second, ()) = tokio::join!(keys.read_again(), keys.read_again(), failing);
    for waited in [first, second] {
        assert!(matches!(waited, Err(SigningError::Store(cause)) if cause.is_outage()));
    }
    assert!(keys.read_again().await.is_ok(), "a later call reads again");
}
