//! How the rows of charges and of counts are read.

use harness::postgres::{Durability, Postgres};

use super::super::super::Database;
use super::super::super::report_change::{CountedKind, MINUTE_MS};
use super::super::counted_rows::{WordsRead, bind_spans, counted_sql};
use super::super::counted_time::{CountedSpans, SPANS_MS};
use super::super::place::place_of;
use super::super::*;

/// One row for each node of the statement's plan.
async fn plan(store: &Store, statement: String, spans: &[CountedSpans]) -> String {
    let explained = bind_spans(CountedKind::Charges, query(format!("EXPLAIN {statement}")), spans);
    let lines: Vec<String> = explained.fetch_all(&store.readers).await.unwrap();
    lines.join("\n")
}

/// Charges, one a millisecond: each third one is paid, and each third one declined.
async fn add_charges(store: &Store, charges: i64) {
    let numbers =
        "WITH RECURSIVE n (i) AS (SELECT CAST(0 AS BIGINT) UNION ALL SELECT i + 1 FROM n WHERE i < $1 - 1)";
    query(
        "INSERT INTO partners (id, name, allowed_origins, created_at) VALUES ('partner_1', 'Shop', '[]', 0)",
    )
    .write(&store.writer)
    .await
    .unwrap();
    query(format!(
        "{numbers} INSERT INTO charges (id, partner_id, status, decline_code, item_code, item_name, amount_value, \
         amount_currency, partner_reference, partner_shopper_id, payment_method_country_code, partner_custom_data, \
         shopper_id, shopper_email, user_initiated, display_saved_payment_method_list, \
         eligible_save_payment_methods, created_at, updated_at) SELECT 'ch_' || i, 'partner_1', CASE i % 3 WHEN 0 THEN 'succeeded' \
         WHEN 1 THEN 'failed' ELSE 'created' END, CASE WHEN i % 6 = 1 THEN 'do_not_honor' END, 'gems', 'Gems', \
         i || '.25', CASE i % 2 WHEN 0 THEN 'USD' ELSE 'EUR' END, '', '', 'US', '', '', '', 1, 1, 1, i, i FROM n"
    ))
    .bind(charges)
    .write(&store.writer)
    .await
    .unwrap();
}

#[tokio::test]
async fn postgres_reads_only_the_counts_of_the_range() {
    let server = Postgres::start(Durability::None).unwrap();
    let url = server.new_database().unwrap().parse().unwrap();
    let store = Store::connect(&Database::Postgres(url)).await.unwrap();
    for span in SPANS_MS {
        query(
            "INSERT INTO report_sums (place, tallies) SELECT $1 + CAST(n AS BIGINT) * $2 / 60000, '10:ssucceeded1;' \
             FROM generate_series(0, CAST(7776000000 / $2 AS INT)) n",
        )
        .bind(place_of(CountedKind::Charges, span, 0))
        .bind(span)
        .execute(&store.readers)
        .await
        .unwrap();
    }
    query("ANALYZE report_sums")
        .execute(&store.readers)
        .await
        .unwrap();
    let [week, ..] = SPANS_MS;
    let spans = SPANS_MS.map(|span| CountedSpans {
        from: week,
        until: week + span,
        span,
        is_taken: span < week,
    });
    let plan = plan(&store, counted_sql(WordsRead::All, spans.len()), &spans).await;
    let reads: Vec<&str> = plan.lines().filter(|line| line.contains("Index Cond")).collect();
    assert_eq!(reads.len(), spans.len(), "{plan}");
    assert!(reads.iter().all(|read| read.contains("place >=")), "{plan}");
    assert!(!plan.contains("Join") && !plan.contains("Seq Scan"), "{plan}");
}

#[tokio::test]
async fn many_charges_are_counted_like_few() {
    let database = super::super::super::test_database::TestDatabase::new();
    let store = database.connect().await;
    let charges = READ_MAX + 1_000;
    add_charges(&store, charges).await;
    let counted = async |ranges: &[(i64, i64)]| {
        let mut all = Tallies::default();
        for tallies in store.uncounted_charges::<Tallies>(ranges).await.unwrap().values() {
            all.merge(tallies);
        }
        let counts = ChargeCounts(all);
        let declines: BTreeMap<String, i64> = counts
            .declines()
            .map(|(reason, charges)| (reason.to_owned(), charges))
            .collect();
        (counts.paid(), declines, counts.0.of_topic(STATUS).count())
    };
    // In halves few at a time, so that each is read.
    let pieces = [(0, charges / 2), (charges / 2, charges)];
    let mut few = ChargeCounts::default();
    for piece in pieces {
        for tallies in store
            .uncounted_charges::<Tallies>(&[piece])
            .await
            .unwrap()
            .values()
        {
            few.0.merge(tallies);
        }
    }
    let (paid, declines, statuses) = counted(&[(0, charges)]).await;
    assert_eq!((&paid, statuses), (&few.paid(), 3));
    assert_eq!(counted(&pieces).await, (paid.clone(), declines.clone(), statuses));
    assert_eq!(paid[0].amount, "3000250");
    let reasons = [("", 1_000), ("do_not_honor", 1_000)];
    assert_eq!(
        declines,
        reasons
            .map(|(reason, charges)| (reason.to_owned(), charges))
            .into()
    );
}

#[tokio::test]
async fn a_part_of_a_minute_with_too_many_charges_is_read() {
    let database = super::super::super::test_database::TestDatabase::new();
    let store = database.connect().await;
    add_charges(&store, READ_MAX + 1_000).await;
    while store.count_for_report(10 * MINUTE_MS).await.unwrap() {}
    let cases: i64 = query("SELECT COUNT(*) FROM report_cases WHERE place > 0")
        .fetch_one(&store.readers)
        .await
        .unwrap();
    assert_eq!(cases, 0);
    let times = store.counted_times(0, MINUTE_MS).await.unwrap();
    for (from, until, paid) in [(0, MINUTE_MS, 2_000), (300, 900, 200), (4_500, MINUTE_MS, 500)] {
        let made = store.charges_over_time(&times, (0, from), &[(from, until)]).await;
        let charges: i64 = made.unwrap().all.paid().iter().map(|paid| paid.charges).sum();
        assert_eq!(charges, paid, "{from} to {until}");
    }
}
