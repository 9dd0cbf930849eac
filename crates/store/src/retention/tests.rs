use super::*;
use crate::Charge;
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
