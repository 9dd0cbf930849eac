//! How PostgreSQL runs the statements that presses share.

use super::{NewAttempt, press, started, unpaid_charges};
use crate::Store;
use crate::sql::query;

/// PostgreSQL chooses a plan once for many calls. With the statistics of an empty table it would read all unpaid charges
/// and all attempts for each statement. And where a charge stands is in no index, so it changes within its page.
#[tokio::test]
async fn a_press_reads_no_other_charge_and_changes_its_own_in_place() {
    const PRESSES: usize = 600;
    const CHANGES: i64 = 1_200;
    let mut books = unpaid_charges(PRESSES).await;
    books.store = Store::connect_with(&books.database, Some(1)).await.unwrap();
    let presses: Vec<NewAttempt> = (0..PRESSES).map(press).collect();
    for (number, some) in presses.chunks(15).enumerate() {
        // Half of them without events, half of them with.
        if number == PRESSES / 30 {
            books.tell_merchant(None).await;
        }
        let attempts = started(books.press_all(some).await);
        books.approve_all(&attempts).await;
    }
    // What a session has read is known after its next transaction.
    let flush = query("SELECT CAST(1 AS BIGINT) FROM pg_stat_force_next_flush()");
    flush.fetch_one::<i64>(&books.store.readers).await.unwrap();
    let scans = "SELECT idx_scan FROM pg_stat_user_indexes WHERE indexrelname = 'attempts_to_reconcile'";
    let scans: i64 = query(scans).fetch_one(&books.store.readers).await.unwrap();
    assert_eq!(scans, 0);
    let told = async |table: &str| {
        let told =
            "SELECT seq_tup_read, n_tup_upd, n_tup_hot_upd FROM pg_stat_user_tables WHERE relname = $1";
        let told: (i64, i64, i64) = query(told)
            .bind(table)
            .fetch_one(&books.store.readers)
            .await
            .unwrap();
        told
    };
    assert_eq!(told("charges").await, (0, CHANGES, CHANGES));
    let (read, ..) = told("attempts").await;
    assert_eq!(read, 0);
    // Each statement was planned once, not for the values of each call.
    let plans = "SELECT CAST(SUM(custom_plans) AS BIGINT) FROM pg_prepared_statements WHERE NOT from_sql";
    let planned_again: i64 = query(plans).fetch_one(&books.store.readers).await.unwrap();
    assert_eq!(planned_again, 0);
}
