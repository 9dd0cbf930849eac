//! Attempts that begin and end at the same time on PostgreSQL.

use std::time::Duration;

use futures_util::future::join_all;
use model::AttemptLimit;
use harness::postgres::{Durability, Postgres};
use wire::{ChargeStatus, PaidCard};

use super::super::{Attempt, AttemptOutcome, AttemptState, BeginOutcome, FinishOutcome, NewAttempt};
use crate::sql::query;
use crate::test_database::{creation, partner};
use crate::{AttemptCount, Charge, ChargeTerms, Database, Store, StoredWebhookSecret, WebhookEndpoint};

mod plans;

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
    let books = UnpaidCharges {
        store,
        database,
        _server: server,
    };
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
        card: PaidCard {
            brand: "visa".into(),
            last_four: "4242".into(),
        },
        charge_limit: None,
        counts: vec![],
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
        let paid = AttemptOutcome::Succeeded("ref".into());
        let ended = attempts
            .iter()
            .map(|attempt| self.store.finish_attempt(attempt, &paid, &[], 2_000));
        join_all(ended).await.into_iter().map(Result::unwrap).collect()
    }

    async fn charge(&self, number: usize) -> Charge {
        let found = self.store.charge(&format!("ch_{number}")).await;
        found.unwrap().unwrap()
    }

    /// What was written of a charge's events: number and kind, body, and when to send it.
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
        let charge = books.charge(number).await;
        let attempt = books.store.attempt(&format!("att_{number}")).await;
        let attempt = attempt.unwrap().unwrap();
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
async fn events_of_many_charges_are_written_together() {
    const TOLD: usize = 9;
    let books = unpaid_charges(TOLD).await;
    books.add_partner("partner_2").await;
    let untold = Charge {
        partner_id: "partner_2".into(),
        ..charge(TOLD)
    };
    books.add(&untold).await;
    books.tell_merchant(None).await;
    let statements = || books.store.work().statements;
    let before = statements();
    let presses: Vec<NewAttempt> = (0..=TOLD).map(press).collect();
    // Only the first presses find out that the merchant has an endpoint.
    let mut attempts = started(books.press_all(&presses[..2]).await);
    assert_eq!(statements() - before, 3);
    attempts.extend(started(books.press_all(&presses[2..]).await));
    assert_eq!(statements() - before, 5);
    let recorded = books.approve_all(&attempts).await;
    assert!(
        recorded[..TOLD]
            .iter()
            .all(|finished| *finished == FinishOutcome::Recorded)
    );
    assert_eq!(recorded[TOLD], FinishOutcome::RecordedUntold);
    assert_eq!(statements() - before, 8);

    assert_eq!(books.events(&untold.id).await, []);
    for number in 0..TOLD {
        let charge = books.charge(number).await;
        let events = books.events(&charge.id).await;
        let body = |charge: Charge| {
            let at = charge.updated_at;
            model::webhook_event::stored_body(&charge.into(), at).unwrap()
        };
        let processing = Charge {
            status: crate::StatusColumn(ChargeStatus::Processing),
            updated_at: 1_000,
            ..charge.clone()
        };
        assert_eq!(charge.status.0, ChargeStatus::Succeeded);
        // The second one waits for the first one, but not for long.
        let later = 2_000 + model::webhook_schedule::WAIT_FOR_EARLIER_MS;
        assert_eq!(
            events,
            [
                ("1 charge.processing".into(), body(processing), 1_000),
                ("2 charge.succeeded".into(), body(charge), later),
            ]
        );
    }
}

#[tokio::test]
async fn an_event_that_a_merchant_does_not_take_costs_nothing() {
    let books = unpaid_charges(4).await;
    books.tell_merchant(Some(&["charge.succeeded"])).await;
    let statements = || books.store.work().statements;
    let before = statements();
    let presses: Vec<NewAttempt> = (0..4).map(press).collect();
    let attempts = started(books.press_all(&presses).await);
    assert_eq!(statements() - before, 1);
    books.approve_all(&attempts).await;
    let kinds: Vec<String> = query("SELECT kind FROM webhook_events")
        .fetch_all(&books.store.readers)
        .await
        .unwrap();
    assert_eq!(kinds, ["charge.succeeded"; 4]);
    // Once nobody takes events any more, the form without them is used again.
    books
        .store
        .remove_webhook_endpoint("partner_1", 3_000)
        .await
        .unwrap();
    let round_trips = || books.store.work().round_trips;
    for (number, round_trips_of_payment) in [(4, 3), (5, 2)] {
        books.add(&charge(number)).await;
        let before = round_trips();
        let attempts = started(books.press_all(&[press(number)]).await);
        let ended = books.approve_all(&attempts).await;
        assert_eq!(ended, [FinishOutcome::RecordedUntold]);
        assert_eq!(round_trips() - before, round_trips_of_payment);
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
