//! Attempts of many charges at the same time, and their work in the database.

use std::time::Duration;

use futures_util::future::join_all;
use harness::postgres::{Durability, Postgres};
use protocol::AttemptLimit;
use protocol::webhook_event::EventSubject;

use super::super::super::charge_view::{Told, view};
use super::*;
use crate::{AttemptCount, EndpointKey, Readers, StoredWebhookSecret, WebhookEndpoint};

/// Unpaid charges of a merchant without an endpoint: `ch_0`, `ch_1` …
struct UnpaidCharges {
    store: Store,
    database: TestDatabase,
}

async fn unpaid_charges(count: usize) -> UnpaidCharges {
    unpaid_charges_in(TestDatabase::new(), count).await
}

async fn unpaid_charges_in(database: TestDatabase, count: usize) -> UnpaidCharges {
    let store = database.connect().await;
    let books = UnpaidCharges { store, database };
    books.add_partner("partner_1").await;
    for number in 0..count {
        books.add(&charge(number)).await;
    }
    books
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
        card: UsedCard::new("visa", "4242", "424242", (12, 2030), None),
        charge_limit: None,
        counts: vec![],
        opens_card: None,
    }
}

impl UnpaidCharges {
    async fn add_partner(&self, id: &str) {
        let partner = partner(id);
        self.store.put_partner(&partner, id).await.unwrap();
    }

    async fn add(&self, charge: &Charge) {
        let creation = creation(&charge.id);
        self.store.add_charge(charge, &creation, None).await.unwrap();
    }

    /// The merchant takes these events, or all.
    async fn tell_merchant(&self, events: Option<&[&str]>) {
        let endpoint = WebhookEndpoint {
            partner_id: "partner_1".into(),
            url: "https://shop.example/events".into(),
            secret: StoredWebhookSecret::plain("whsec_"),
            events: events.map(|events| events.iter().map(|&event| event.to_owned()).collect()),
            created_at: 0,
        };
        self.store.put_webhook_endpoint(&endpoint).await.unwrap();
    }

    async fn approve_all(&self, attempts: &[Attempt]) -> Vec<FinishOutcome> {
        let paid = approved();
        let ended = attempts
            .iter()
            .map(|attempt| self.store.finish_attempt(attempt, &paid, &[], 2_000));
        join_all(ended).await.into_iter().map(Result::unwrap).collect()
    }

    async fn charge(&self, number: usize) -> Charge {
        let found = self.store.charge(&format!("ch_{number}")).await;
        found.unwrap().unwrap()
    }

    /// The events of a charge: number and kind, body, and when to send it.
    async fn events(&self, charge_id: &str) -> Vec<(String, String, i64)> {
        query("SELECT number || ' ' || kind, payload, next_try_at FROM webhook_events WHERE charge_id = $1 ORDER BY number")
            .bind(charge_id)
            .fetch_all(&self.store.readers)
            .await
            .unwrap()
    }

    async fn press_all(&self, presses: &[NewAttempt]) -> Vec<BeginOutcome> {
        let begun = join_all(presses.iter().map(|new| self.store.begin_attempt(new))).await;
        begun.into_iter().map(Result::unwrap).collect()
    }
}

fn is_started(outcome: &BeginOutcome) -> bool {
    matches!(outcome, BeginOutcome::Started(_))
}

fn started(outcomes: Vec<BeginOutcome>) -> Vec<Attempt> {
    let started = outcomes.into_iter().map(|outcome| match outcome {
        BeginOutcome::Started(attempt) => attempt,
        other => panic!("{other:?}"),
    });
    started.collect()
}

#[tokio::test]
async fn each_of_many_attempts_gets_its_own_outcome() {
    const PRESSES: usize = 30;
    let books = unpaid_charges(PRESSES).await;
    let presses: Vec<NewAttempt> = (0..PRESSES).map(press).collect();
    let attempts = started(books.press_all(&presses).await);
    let end = async |at: usize, attempt: &Attempt| {
        let ended = if at.is_multiple_of(2) {
            AttemptOutcome::Succeeded(format!("ref_{at}").into())
        } else {
            AttemptOutcome::Declined(DeclineCode::GenericDecline.into())
        };
        let recorded = books.store.finish_attempt(attempt, &ended, &[], 2_000).await;
        assert_eq!(recorded.unwrap(), FinishOutcome::RecordedWithoutEvent);
    };
    join_all(attempts.iter().enumerate().map(|(at, attempt)| end(at, attempt))).await;
    for number in 0..PRESSES {
        let charge = books.charge(number).await;
        let attempt = books.store.attempt(&format!("att_{number}")).await;
        let attempt = attempt.unwrap().unwrap();
        let ended = (
            charge.status,
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
async fn each_state_of_a_charge_has_an_event_with_the_charge_as_it_was() {
    const TOLD: usize = 9;
    let books = unpaid_charges(TOLD).await;
    books.add_partner("partner_2").await;
    let untold = Charge {
        partner_id: "partner_2".into(),
        ..charge(TOLD)
    };
    books.add(&untold).await;
    books.tell_merchant(None).await;
    let presses: Vec<NewAttempt> = (0..=TOLD).map(press).collect();
    let attempts = started(books.press_all(&presses).await);
    let recorded = books.approve_all(&attempts).await;
    assert!(
        recorded[..TOLD]
            .iter()
            .all(|finished| *finished == FinishOutcome::Recorded)
    );
    assert_eq!(recorded[TOLD], FinishOutcome::RecordedWithoutEvent);

    assert_eq!(books.events(&untold.id).await, []);
    for number in 0..TOLD {
        let charge = books.charge(number).await;
        let events = books.events(&charge.id).await;
        let body = |view, at| EventSubject::Charge(&view).stored_body(at).unwrap();
        let processing = Charge {
            status: ChargeStatus::Processing,
            updated_at: 1_000,
            amount_captured: None,
            paid_at: None,
            ..charge.clone()
        };
        let processing = body(view(&processing, Told::default()), 1_000);
        let paid = body(books.store.charge_view(&charge).await.unwrap(), charge.updated_at);
        assert_eq!(charge.status, ChargeStatus::Succeeded);
        // The second one waits for the first one, but not for long.
        let later = 2_000 + protocol::webhook_schedule::WAIT_FOR_EARLIER_MS;
        assert_eq!(
            events,
            [
                ("1 charge.processing".into(), processing, 1_000),
                ("2 charge.succeeded".into(), paid, later),
            ]
        );
    }
}

#[tokio::test]
async fn an_event_that_a_merchant_does_not_take_is_not_written() {
    let books = unpaid_charges(5).await;
    books.tell_merchant(Some(&["charge.succeeded"])).await;
    let presses: Vec<NewAttempt> = (0..4).map(press).collect();
    let attempts = started(books.press_all(&presses).await);
    assert_eq!(books.approve_all(&attempts).await, [FinishOutcome::Recorded; 4]);
    for attempt in &attempts {
        let events = books.events(&attempt.charge_id).await;
        let kinds: Vec<&str> = events.iter().map(|(kind, ..)| kind.as_str()).collect();
        assert_eq!(kinds, ["1 charge.succeeded"]);
    }
    books
        .store
        .remove_webhook_endpoint(&EndpointKey::first("partner_1"), None, 3_000)
        .await
        .unwrap();
    let attempts = started(books.press_all(&[press(4)]).await);
    assert_eq!(
        books.approve_all(&attempts).await,
        [FinishOutcome::RecordedWithoutEvent]
    );
}

#[tokio::test]
async fn one_of_two_simultaneous_presses_of_a_charge_begins() {
    let books = unpaid_charges(2).await;
    let again = NewAttempt {
        id: "att_second".into(),
        press_key: "second".into(),
        provider_key: "pay_second".into(),
        ..press(0)
    };
    let begun = books.press_all(&[press(0), again, press(1)]).await;
    assert!(is_started(&begun[2]), "{begun:?}");
    let (first, second) = if is_started(&begun[0]) { (0, 1) } else { (1, 0) };
    let BeginOutcome::Started(attempt) = &begun[first] else {
        panic!("{begun:?}")
    };
    assert!(
        matches!(&begun[second], BeginOutcome::Other(other) if other == attempt),
        "{begun:?}"
    );
}

#[tokio::test]
async fn a_locked_charge_delays_no_other_charge() {
    let books = unpaid_charges(2).await;
    let Readers::Postgres(_) = &books.store.readers else {
        // SQLite has one writer.
        return;
    };
    let other_node = books.database.connect().await;
    let mut held = other_node.write().await.unwrap();
    crate::charge::hold(&mut held, "ch_0").await.unwrap();
    let (first, second) = (press(0), press(1));
    let mut waits = std::pin::pin!(books.store.begin_attempt(&first));
    let begins = async {
        tokio::select! {
            _ = &mut waits => panic!("another node has locked its charge"),
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

/// PostgreSQL refuses the character in every text.
#[tokio::test]
async fn a_press_that_the_database_refuses_stops_no_other_press() {
    let books = unpaid_charges(3).await;
    let strange = NewAttempt {
        press_key: "\0".into(),
        ..press(1)
    };
    let presses = [press(0), strange, press(2)];
    let begun = join_all(presses.iter().map(|new| books.store.begin_attempt(new))).await;
    for at in [0, 2] {
        assert!(begun[at].as_ref().is_ok_and(is_started), "{begun:?}");
    }
}

#[tokio::test]
async fn a_press_learns_that_the_database_is_closed() {
    let books = unpaid_charges(1).await;
    books.store.close().await;
    let error = books.store.begin_attempt(&press(0)).await.unwrap_err();
    assert!(error.is_outage(), "{error}");
    assert!(error.to_string().ends_with("closed"), "{error}");
}

/// PostgreSQL chooses a plan once for many calls. With the statistics of an empty table it would read all unpaid charges
/// and all attempts for each statement. No index has a charge's status, so the row changes within its page.
#[tokio::test]
async fn a_press_reads_no_other_charge_and_changes_its_own_in_place() {
    const PRESSES: usize = 600;
    const CHANGES: i64 = 1_200;
    // Its own server, because one that runs for long vacuums tables beside the test.
    let server = Postgres::start(Durability::None).unwrap();
    let mut books = unpaid_charges_in(TestDatabase::on(&server), PRESSES).await;
    books.store = Store::connect_with(books.database.database(), Some(1))
        .await
        .unwrap();
    let presses: Vec<NewAttempt> = (0..PRESSES).map(press).collect();
    for (number, some) in presses.chunks(15).enumerate() {
        // Half of the presses write no events, half of them do.
        if number == PRESSES / 30 {
            books.tell_merchant(None).await;
        }
        let attempts = started(books.press_all(some).await);
        books.approve_all(&attempts).await;
    }
    // The statistics of a session are complete after its next transaction.
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
