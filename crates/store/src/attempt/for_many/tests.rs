//! Attempts that begin and end at the same time on PostgreSQL.

use std::time::Duration;

use futures_util::future::join_all;
use model::AttemptLimit;
use trial::postgres::{Durability, Postgres};
use wire::{ChargeStatus, PaidCard};

use super::super::{BeginOutcome, FinishOutcome};
use super::*;
use crate::{AttemptCount, Charge, ChargeTerms, Creation, Database, Partner, Store};

/// Unpaid charges of a merchant without an endpoint: `ch_0`, `ch_1` …
struct UnpaidCharges {
    store: Store,
    database: Database,
    _server: Postgres,
}

async fn unpaid_charges(count: usize) -> UnpaidCharges {
    let server = Postgres::start(Durability::None).unwrap();
    let database = Database::Postgres(server.new_database().unwrap().parse().unwrap());
    let store = Store::connect(&database).await.unwrap();
    let partner = Partner {
        id: "partner_1".into(),
        name: "Shop".into(),
        allowed_origins: vec![],
        site_ids: Vec::new(),
        active: true,
        created_at: 0,
    };
    store.put_partner(&partner, "sk_1").await.unwrap();
    for number in 0..count {
        let charge = charge(number);
        let creation = Creation {
            charge_id: charge.id.clone(),
            body_sha256: String::new(),
            token_id: String::new(),
            signing_key_id: String::new(),
            expires_at: 0,
            created_at: 0,
        };
        store.add_charge(&charge, &creation, None).await.unwrap();
    }
    UnpaidCharges {
        store,
        database,
        _server: server,
    }
}

fn charge(number: usize) -> Charge {
    Charge {
        item_code: "gems".into(),
        item_name: "Gems".into(),
        amount_value: "12.50".into(),
        amount_currency: "USD".into(),
        partner_reference: "order".into(),
        ..Charge::unknown(format!("ch_{number}"), "partner_1".into(), 0)
    }
}

/// A press of the charge with this number.
fn press(number: usize) -> NewAttempt {
    let charge = charge(number);
    NewAttempt {
        id: format!("att_{number}"),
        press_key: "press".into(),
        provider_key: format!("pay_{number}"),
        now_ms: 1_000,
        owner_until: 11_000,
        terms: ChargeTerms::from(&charge),
        charge_id: charge.id,
        card: PaidCard {
            brand: "visa".into(),
            last_four: "4242".into(),
        },
        charge_limit: None,
        counts: vec![],
    }
}

impl UnpaidCharges {
    async fn press_all(&self, presses: &[NewAttempt]) -> Vec<BeginOutcome> {
        let begun = join_all(presses.iter().map(|new| self.store.begin_attempt(new))).await;
        begun.into_iter().map(Result::unwrap).collect()
    }
}

fn is_started(outcome: &BeginOutcome) -> bool {
    matches!(outcome, BeginOutcome::Started(_))
}

#[tokio::test]
async fn presses_at_the_same_time_share_statements() {
    const PRESSES: usize = 30;
    let books = unpaid_charges(PRESSES).await;
    let statements = || books.store.work().statements;
    let before = statements();
    let presses: Vec<NewAttempt> = (0..PRESSES).map(press).collect();
    let begun = books.press_all(&presses).await;
    assert!(begun.iter().all(is_started), "{begun:?}");
    assert_eq!(statements() - before, 1);
    let end = async |at: usize, outcome: &BeginOutcome| {
        let BeginOutcome::Started(attempt) = outcome else {
            panic!("{outcome:?}")
        };
        let ended = if at.is_multiple_of(2) {
            AttemptOutcome::Succeeded(format!("ref_{at}"))
        } else {
            AttemptOutcome::Declined(wire::DeclineCode::GenericDecline)
        };
        let recorded = books.store.finish_attempt(attempt, &ended, &[], 2_000).await;
        assert_eq!(recorded.unwrap(), FinishOutcome::RecordedUntold);
    };
    join_all(begun.iter().enumerate().map(|(at, outcome)| end(at, outcome))).await;
    assert_eq!(statements() - before, 2);
    for number in 0..PRESSES {
        let charge = books
            .store
            .charge(&format!("ch_{number}"))
            .await
            .unwrap()
            .unwrap();
        let attempt = books
            .store
            .attempt(&format!("att_{number}"))
            .await
            .unwrap()
            .unwrap();
        let ended = (
            charge.status.0,
            charge.decline_code.is_some(),
            attempt.state,
            attempt.provider_reference,
        );
        let expected = if number.is_multiple_of(2) {
            (
                ChargeStatus::Succeeded,
                false,
                AttemptState::Succeeded,
                Some(format!("ref_{number}")),
            )
        } else {
            (ChargeStatus::Failed, true, AttemptState::Declined, None)
        };
        assert_eq!(ended, expected);
    }
}

#[tokio::test]
async fn of_two_presses_of_a_charge_at_the_same_time_one_begins() {
    let books = unpaid_charges(2).await;
    let second = NewAttempt {
        id: "att_second".into(),
        press_key: "second".into(),
        provider_key: "pay_second".into(),
        ..press(0)
    };
    let before = books.store.work().statements;
    let begun = books.press_all(&[press(0), second, press(1)]).await;
    // Only the second press needed more statements than the shared one.
    let statements = books.store.work().statements - before;
    assert!(statements <= 5, "{statements}");
    assert!(is_started(&begun[0]) && is_started(&begun[2]), "{begun:?}");
    assert!(
        matches!(&begun[1], BeginOutcome::Other(attempt) if attempt.id == "att_0"),
        "{begun:?}"
    );
}

#[tokio::test]
async fn a_charge_that_somebody_holds_holds_up_no_other() {
    let books = unpaid_charges(2).await;
    let other_node = Store::connect(&books.database).await.unwrap();
    let mut held = other_node.write().await.unwrap();
    crate::charge::hold(&mut held, "ch_0").await.unwrap();
    let (first, second) = (press(0), press(1));
    let mut waits = std::pin::pin!(books.store.begin_attempt(&first));
    let begins = async {
        tokio::select! {
            _ = &mut waits => panic!("somebody holds its charge"),
            begun = books.store.begin_attempt(&second) => begun.unwrap(),
        }
    };
    let begun = tokio::time::timeout(Duration::from_secs(4), begins).await;
    assert!(is_started(&begun.unwrap()));
    held.commit().await.unwrap();
    assert!(is_started(&waits.await.unwrap()));
}

#[tokio::test]
async fn a_press_over_a_limit_stops_no_other_press() {
    let books = unpaid_charges(4).await;
    let counted = |number: usize, subject: &str, attempts| NewAttempt {
        counts: vec![AttemptCount {
            subject: subject.into(),
            limit: AttemptLimit {
                attempts,
                window_seconds: 60,
            },
            parts: 1,
        }],
        ..press(number)
    };
    let presses = [
        counted(0, "address a", 1),
        counted(1, "address a", 1),
        counted(2, "address b", 1),
        counted(3, "address c", 0),
    ];
    let begun = books.press_all(&presses).await;
    let refused = |outcome: &BeginOutcome| *outcome == BeginOutcome::TooMany(60_000);
    assert_eq!(
        begun.iter().filter(|outcome| is_started(outcome)).count(),
        2,
        "{begun:?}"
    );
    assert!(
        refused(&begun[0]) != refused(&begun[1]) && refused(&begun[3]),
        "{begun:?}"
    );
    // A refused press was not counted, and the address that was counted is refused from now on.
    let again = books.press_all(&[counted(3, "address c", 1)]).await;
    assert!(is_started(&again[0]), "{again:?}");
}

#[tokio::test]
async fn each_press_that_shares_a_statement_learns_of_its_error() {
    let books = unpaid_charges(0).await;
    books.store.close().await;
    let presses = [press(0), press(1)];
    for begun in join_all(presses.iter().map(|new| books.store.begin_attempt(new))).await {
        let error = begun.unwrap_err();
        assert!(error.is_outage(), "{error}");
        assert_eq!(
            error.to_string(),
            "database: the connections to the database are closed"
        );
    }
}

/// PostgreSQL chooses a plan once for many calls. With the statistics of an empty table it would read all unpaid charges
/// and all attempts under way for each statement.
#[tokio::test]
async fn a_press_reads_no_other_unpaid_charge() {
    const PRESSES: usize = 600;
    let mut books = unpaid_charges(PRESSES).await;
    books.store = Store::connect_with(&books.database, Some(1)).await.unwrap();
    let presses: Vec<NewAttempt> = (0..PRESSES).map(press).collect();
    for some in presses.chunks(30) {
        let begun = books.press_all(some).await;
        let ended = begun.iter().map(async |outcome| {
            let BeginOutcome::Started(attempt) = outcome else {
                panic!("{outcome:?}")
            };
            let paid = AttemptOutcome::Succeeded("ref".into());
            books
                .store
                .finish_attempt(attempt, &paid, &[], 2_000)
                .await
                .unwrap();
        });
        join_all(ended).await;
    }
    // What a session has read is known after its next transaction.
    let flush = query("SELECT CAST(1 AS BIGINT) FROM pg_stat_force_next_flush()");
    flush.fetch_one::<i64>(&books.store.readers).await.unwrap();
    for index in ["charges_to_expire", "attempts_to_reconcile"] {
        let scans = query("SELECT idx_scan FROM pg_stat_user_indexes WHERE indexrelname = $1").bind(index);
        let scans: i64 = scans.fetch_one(&books.store.readers).await.unwrap();
        assert_eq!(scans, 0, "{index}");
    }
}
