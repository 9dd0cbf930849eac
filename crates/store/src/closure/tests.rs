use std::time::Duration;

use tokio::time::timeout;

use super::super::Database;
use super::super::write::Readers;
use super::*;
use crate::tests::database::TestDatabase;

/// A node with long reports would not be ready, although its database is well.
#[tokio::test]
async fn closed_payments_are_known_while_all_readers_are_taken() {
    let database = TestDatabase::sqlite();
    let database = Database::Sqlite(database.file());
    let store = Store::connect_with(&database, Some(1)).await.unwrap();
    let Readers::Sqlite(readers) = &store.readers else {
        panic!("a file")
    };
    let _taken = readers.take().await.unwrap();
    let asked = timeout(Duration::from_secs(5), store.payment_closure()).await;
    assert_eq!(asked.expect("it waits").unwrap(), None);
    let actor = Actor::service(1);
    store.close_payments(7, &actor).await.unwrap();
    let closed = timeout(Duration::from_secs(5), store.payment_closure()).await;
    let closed = closed.expect("it waits").unwrap();
    assert_eq!(closed.map(|closed| closed.since), Some(7));
}
