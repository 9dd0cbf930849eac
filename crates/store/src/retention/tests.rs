use super::*;
use std::time::Duration;

use harness::postgres::{Durability, Postgres};
use harness::waiting::happens_within;

use crate::Charge;
use crate::charge::hold_existing;
use crate::tests::database::{TestDatabase, creation, partner};

/// One charge of the merchant is made of another one, `count` times, each a millisecond later.
async fn paid_charges(store: &Store, count: i64) {
    let partner = partner("partner_1");
    store.put_partner(&partner, "sk_1").await.unwrap();
    let charge = Charge::unknown("ch_0".into(), "partner_1".into(), 0);
    let creation = creation(&charge.id);
    store.add_charge(&charge, &creation, None).await.unwrap();
    let mut tx = store.write().await.unwrap();
    query(
            "INSERT INTO charges (id, partner_id, status, item_code, item_name, amount_value, amount_currency, \
             partner_reference, partner_shopper_id, payment_method_country_code, partner_custom_data, shopper_id, \
             shopper_email, user_initiated, display_saved_payment_method_list, eligible_save_payment_methods, \
             created_at, updated_at) WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers \
             WHERE n < $1) SELECT 'ch_' || n, partner_id, 'succeeded', item_code, item_name, amount_value, \
             amount_currency, partner_reference, partner_shopper_id, payment_method_country_code, \
             partner_custom_data, shopper_id, shopper_email, user_initiated, display_saved_payment_method_list, \
             eligible_save_payment_methods, n, n FROM charges CROSS JOIN numbers WHERE id = 'ch_0'",
        )
        .bind(count)
        .execute(&mut tx)
        .await
        .unwrap();
    tx.commit().await.unwrap();
}

#[tokio::test]
async fn the_search_passes_over_many_charges_that_stay() {
    let database = TestDatabase::new();
    let store = database.connect().await;
    paid_charges(&store, 3 * LOOKED_AT_ONCE / 2).await;
    for canceled in ["ch_1", "ch_7400"] {
        query("UPDATE charges SET status = 'canceled' WHERE id = $1")
            .bind(canceled)
            .write(&store.writer)
            .await
            .unwrap();
    }
    let statuses = [ChargeStatus::Canceled, ChargeStatus::Expired];
    let mut from = RetentionCursor::default();
    let (mut found, mut steps) = (Vec::new(), 0);
    while let Some((ids, next)) = store.old_charges(&statuses, from, i64::MAX, 1).await.unwrap() {
        found.extend(ids);
        from = next;
        steps += 1;
    }
    found.dedup();
    assert_eq!(found, ["ch_1", "ch_7400"]);
    assert!(steps <= 6, "{steps}");
}

#[tokio::test]
async fn a_charge_whose_refund_begins_meanwhile_stays() {
    let postgres = Postgres::start(Durability::None).unwrap();
    let database = TestDatabase::on(&postgres);
    let store = database.connect().await;
    paid_charges(&store, 1).await;
    let mut refund = store.write().await.unwrap();
    hold_existing(&mut refund, "ch_1").await.unwrap();
    query(
        "INSERT INTO operations (id, kind, charge_id, partner_id, attempt_id, state, amount_value, provider_key, \
         body_sha256, created_at, updated_at, owner_until) \
         VALUES ('re_1', 'refund', 'ch_1', 'partner_1', 'att_1', 'processing', '1.00', 'pay_1', '', 1, 1, 1)",
    )
    .execute(&mut refund)
    .await
    .unwrap();
    let removal = tokio::spawn({
        let store = store.clone();
        async move { store.remove_charges(&["ch_1".into()], i64::MAX / 2).await }
    });
    let waits = "SELECT CAST(COUNT(*) AS BIGINT) FROM pg_stat_activity WHERE wait_event_type = 'Lock'";
    let has_waited = happens_within(Duration::from_secs(30), async || {
        let waiting: Option<i64> = query(waits).fetch_optional(&store.readers).await?;
        Ok(waiting > Some(0))
    });
    assert!(has_waited.await.unwrap());
    refund.commit().await.unwrap();
    assert_eq!(removal.await.unwrap().unwrap().charges, 0);
    let operations: Vec<String> = query("SELECT id FROM operations")
        .fetch_all(&store.readers)
        .await
        .unwrap();
    assert_eq!(operations, ["re_1"]);
}
