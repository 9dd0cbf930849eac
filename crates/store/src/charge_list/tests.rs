use protocol::ids::{IdKind, new_id_at};

use super::*;
use crate::tests::database::{TestDatabase, creation, partner};

const MINE: &str = "partner_1";
const OTHER: &str = "partner_2";

struct Books {
    store: Store,
    _database: TestDatabase,
}

impl Books {
    async fn new() -> Self {
        let database = TestDatabase::new();
        let store = database.connect().await;
        for id in [MINE, OTHER] {
            store.put_partner(&partner(id), id).await.unwrap();
        }
        Self {
            store,
            _database: database,
        }
    }

    async fn add(&self, partner_id: &str, at: i64, reference: &str, shopper: &str) -> String {
        let charge = Charge {
            partner_reference: reference.into(),
            shopper_id: shopper.into(),
            ..Charge::unknown(new_id_at(IdKind::Charge, at), partner_id.into(), at)
        };
        let made = self.store.add_charge(&charge, &creation(&charge.id), None).await;
        made.unwrap();
        charge.id
    }

    async fn page(
        &self,
        filter: &ChargeFilter,
        after: Option<&ListPosition>,
        limit: usize,
    ) -> (Vec<String>, Option<ListPosition>) {
        let page = self
            .store
            .listed_charges(MINE, filter, after, limit)
            .await
            .unwrap();
        (
            page.charges.into_iter().map(|charge| charge.id).collect(),
            page.next,
        )
    }

    /// The ids on all pages, and how many pages there are.
    async fn all(&self, filter: &ChargeFilter, limit: usize) -> (Vec<String>, usize) {
        let (mut ids, mut pages, mut after) = (Vec::new(), 0, None);
        loop {
            let (some, next) = self.page(filter, after.as_ref(), limit).await;
            ids.extend(some);
            pages += 1;
            if next.is_none() {
                return (ids, pages);
            }
            after = next;
        }
    }
}

#[tokio::test]
async fn charges_are_listed_once_while_others_are_made() {
    let books = Books::new().await;
    let mut made = Vec::new();
    for number in 0..47 {
        // Several are of one millisecond.
        let at = 1_000 + number / 5;
        made.push((at, books.add(MINE, at, "order", "").await));
        books.add(OTHER, at, "order", "").await;
    }
    made.sort();
    let newest_first: Vec<String> = made.into_iter().rev().map(|(_, id)| id).collect();
    let (mut seen, mut after) = (Vec::new(), None);
    loop {
        let (some, next) = books.page(&ChargeFilter::default(), after.as_ref(), 10).await;
        assert!(some.len() <= 10);
        seen.extend(some);
        books.add(MINE, 2_000, "order", "").await;
        if next.is_none() {
            break;
        }
        after = next;
    }
    assert_eq!(seen, newest_first);
}

#[tokio::test]
async fn a_page_looks_at_a_limited_number_of_charges() {
    let books = Books::new().await;
    let wanted = books.add(MINE, 1_000, "order", "").await;
    books
        .store
        .end_charge(&wanted, protocol::charge_state::ChargeEvent::Canceled, 1_001)
        .await
        .unwrap();
    let count = i64::try_from(LOOKED_AT_MAX).unwrap();
    for at in 0..count {
        books.add(MINE, 2_000 + at, "order", "").await;
    }
    let canceled = ChargeFilter {
        status: Some(ChargeStatus::Canceled),
        ..ChargeFilter::default()
    };
    let (first, next) = books.page(&canceled, None, 20).await;
    assert!(first.is_empty() && next.is_some());
    assert_eq!(
        books.page(&canceled, next.as_ref(), 20).await,
        (vec![wanted.clone()], None)
    );
    // The charges with a reference are found by an index, and the others are looked at among them.
    let of_shopper = ChargeFilter {
        partner_reference: Some("order".into()),
        shopper_id: Some("nobody".into()),
        ..ChargeFilter::default()
    };
    assert_eq!(books.all(&of_shopper, 100).await, (vec![], 2));
    let created = ChargeFilter {
        status: Some(ChargeStatus::Created),
        ..ChargeFilter::default()
    };
    assert_eq!(books.all(&created, 100).await.0.len(), LOOKED_AT_MAX);
}

#[tokio::test]
async fn each_filter_selects_its_charges() {
    let books = Books::new().await;
    let first = books.add(MINE, 1_000, "order-1", "ana").await;
    let second = books.add(MINE, 2_000, "order-2", "ben").await;
    let third = books.add(MINE, 3_000, "order-1", "").await;
    books.add(OTHER, 2_000, "order-1", "ana").await;
    let cases = [
        (
            ChargeFilter {
                created_from: Some(2_000),
                ..ChargeFilter::default()
            },
            vec![&third, &second],
        ),
        (
            ChargeFilter {
                created_to: Some(2_000),
                ..ChargeFilter::default()
            },
            vec![&first],
        ),
        (
            ChargeFilter {
                partner_reference: Some("order-1".into()),
                ..ChargeFilter::default()
            },
            vec![&third, &first],
        ),
        (
            ChargeFilter {
                shopper_id: Some("ben".into()),
                ..ChargeFilter::default()
            },
            vec![&second],
        ),
        (
            ChargeFilter {
                partner_reference: Some("order-1".into()),
                shopper_id: Some("ana".into()),
                ..ChargeFilter::default()
            },
            vec![&first],
        ),
        (
            ChargeFilter {
                last_four: Some("4242".into()),
                ..ChargeFilter::default()
            },
            vec![],
        ),
        (
            ChargeFilter {
                provider_reference: Some("pi_1".into()),
                ..ChargeFilter::default()
            },
            vec![],
        ),
    ];
    for (filter, expected) in cases {
        for limit in [1, 100] {
            let (ids, _) = books.all(&filter, limit).await;
            assert_eq!(ids.iter().collect::<Vec<_>>(), expected, "{filter:?}");
        }
    }
}

/// SQLite once took the index of all charges by their time for those with a reference: 0.4 s among 1,000,000 charges.
#[tokio::test]
async fn sqlite_reads_each_list_by_its_index() {
    let database = TestDatabase::sqlite();
    let _store = database.connect().await;
    let file = rusqlite::Connection::open(database.file()).unwrap();
    let plan = |filter: &ChargeFilter| {
        let selection = Selection {
            partner_id: MINE,
            indexed: filter.indexed(),
        };
        let [from, until] = [2_000, 1_000].map(ListPosition::before);
        let others = filter.others(6 + selection.indexed.iter().len());
        let statement = selection.read(COLUMNS, &from, &until, &others, READ_MAX, "LIMIT 21");
        let mut explained = file
            .prepare(&format!("EXPLAIN QUERY PLAN {}", statement.sql()))
            .unwrap();
        let mut steps = explained.raw_query();
        let mut plan = String::new();
        while let Some(step) = steps.next().unwrap() {
            plan += &step.get::<_, String>("detail").unwrap();
        }
        plan
    };
    let all = ChargeFilter::default();
    let reference = ChargeFilter {
        partner_reference: Some("order".into()),
        ..all.clone()
    };
    let shopper = ChargeFilter {
        shopper_id: Some("shopper".into()),
        ..all.clone()
    };
    let of_both = ChargeFilter {
        shopper_id: Some("shopper".into()),
        ..reference.clone()
    };
    for (filter, index) in [
        (all, "charges_of_partner_by_time"),
        (reference, "charges_by_reference"),
        (shopper, "charges_of_shopper"),
        (of_both, "charges_by_reference"),
    ] {
        for status in [None, Some(ChargeStatus::Created)] {
            let plan = plan(&ChargeFilter {
                status,
                ..filter.clone()
            });
            assert!(plan.contains(index) && !plan.contains("TEMP B-TREE"), "{plan}");
        }
    }
}
