//! Attempts in a real database: which may begin, which attempt answers for a press, and that an outcome is
//! recorded once.

mod at_once;
mod endpoints;
mod events;
mod saved_cards;

use super::super::sql::query;
use super::*;
use crate::tests::database::{TestDatabase, creation, partner};
use protocol::DeclineCode;

use crate::{ChangeOutcome, Charge, ChargeChange, Creation};

struct Books {
    store: Store,
    database: TestDatabase,
    terms: ChargeTerms,
}

const CHARGE: &str = "ch_1";

async fn books() -> Books {
    books_in(TestDatabase::new()).await
}

async fn books_in(database: TestDatabase) -> Books {
    let store = database.connect().await;
    let partner = partner("partner_1");
    store.put_partner(&partner, "sk_1").await.unwrap();
    let charge = Charge {
        item_code: "gems".into(),
        item_name: "Gems".into(),
        amount_value: "12.50".into(),
        amount_currency: "USD".into(),
        partner_reference: "order-1".into(),
        ..Charge::unknown(CHARGE.into(), partner.id, 0)
    };
    let creation = creation(&charge.id);
    store.add_charge(&charge, &creation, None).await.unwrap();
    let terms = ChargeTerms::from(&charge);
    Books {
        store,
        database,
        terms,
    }
}

impl Books {
    async fn press(&self, key: &str) -> BeginOutcome {
        self.store.begin_attempt(&self.new_attempt(key)).await.unwrap()
    }

    fn new_attempt(&self, key: &str) -> NewAttempt {
        NewAttempt {
            id: format!("att_{key}"),
            charge_id: CHARGE.into(),
            press_key: key.into(),
            provider_key: format!("pay_{key}"),
            now_ms: 1_000,
            owner_until: 11_000,
            terms: self.terms.clone(),
            card: UsedCard::new("visa", "4242", "424242", (12, 2030), None),
            charge_limit: None,
            counts: vec![],
            opens_card: None,
        }
    }

    async fn started(&self, key: &str) -> Attempt {
        match self.press(key).await {
            BeginOutcome::Started(attempt) => attempt,
            other => panic!("{other:?}"),
        }
    }

    async fn finish(&self, attempt: &Attempt, outcome: AttemptOutcome) -> FinishOutcome {
        self.store
            .finish_attempt(attempt, &outcome, &[], 2_000)
            .await
            .unwrap()
    }

    async fn status(&self) -> (ChargeStatus, Option<String>) {
        let charge = self.store.charge(CHARGE).await.unwrap().unwrap();
        (charge.status, charge.decline_code)
    }
}

/// The merchant asks for 15 USD now.
async fn change_amount(books: &Books) -> ChangeOutcome {
    let change = ChargeChange {
        id: "chg_1".into(),
        partner_id: "partner_1".into(),
        from: books.terms.clone(),
        to: ChargeTerms {
            amount_value: "15.00".into(),
            ..books.terms.clone()
        },
        request: Creation {
            charge_id: CHARGE.into(),
            body_sha256: String::new(),
            token_id: String::new(),
            signing_key_id: String::new(),
            expires_at: 0,
            created_at: 3_000,
        },
    };
    books.store.change_charge(&change, None).await.unwrap()
}

#[tokio::test]
async fn an_attempt_with_other_terms_than_the_charge_does_not_begin() {
    let books = books().await;
    assert_eq!(change_amount(&books).await, ChangeOutcome::Changed);
    // The press read the charge before the change.
    assert_eq!(books.press("a").await, BeginOutcome::OtherTerms);
    assert_eq!(books.status().await, (ChargeStatus::Created, None));
    assert_eq!(books.store.abandoned_attempts(i64::MAX, 9).await.unwrap(), []);
}

#[tokio::test]
async fn a_charge_whose_attempt_is_under_way_does_not_change() {
    let books = books().await;
    let attempt = books.started("a").await;
    let stays = ChangeOutcome::Stays(ChargeStatus::Processing);
    assert_eq!(change_amount(&books).await, stays);
    books.finish(&attempt, declined()).await;
    assert_eq!(change_amount(&books).await, ChangeOutcome::Changed);
    // The new terms were made from terms that it does not have any more.
    assert_eq!(change_amount(&books).await, ChangeOutcome::Outdated);
}

#[tokio::test]
async fn a_late_approval_of_the_amount_before_a_change_does_not_pay() {
    let books = books().await;
    let attempt = books.started("a").await;
    books.finish(&attempt, declined()).await;
    change_amount(&books).await;
    assert_eq!(
        books.finish(&attempt, approved()).await,
        FinishOutcome::ApprovedTooLate
    );
    assert_eq!(books.status().await.0, ChargeStatus::Failed);
}

fn approved() -> AttemptOutcome {
    AttemptOutcome::Succeeded("sim_1".into())
}

fn declined() -> AttemptOutcome {
    AttemptOutcome::Declined(DeclineCode::InsufficientFunds.into())
}

#[tokio::test]
async fn an_attempt_and_its_charges_state_change_are_written_together() {
    let books = books().await;
    let attempt = books.started("a").await;
    assert_eq!(books.status().await, (ChargeStatus::Processing, None));
    assert_eq!(books.store.attempt(&attempt.id).await.unwrap(), Some(attempt));
}

#[tokio::test]
async fn an_unfinished_attempt_answers_for_every_other_press() {
    let books = books().await;
    let first = books.started("a").await;
    assert_eq!(books.press("a").await, BeginOutcome::Other(first.clone()));
    assert_eq!(books.press("b").await, BeginOutcome::Other(first.clone()));
    books.store.lose_outcome(&first, 3_000, &[], 2_000).await.unwrap();
    assert_eq!(books.status().await, (ChargeStatus::OutcomeUnknown, None));
    assert!(matches!(
        books.press("c").await,
        BeginOutcome::Other(other) if other.id == first.id && other.state == AttemptState::OutcomeUnknown
    ));
}

#[tokio::test]
async fn another_card_may_be_tried_after_a_decline() {
    let books = books().await;
    let first = books.started("a").await;
    assert_eq!(
        books.finish(&first, declined()).await,
        FinishOutcome::RecordedWithoutEvent
    );
    let reason = Some("insufficient_funds".to_owned());
    assert_eq!(books.status().await, (ChargeStatus::Failed, reason.clone()));
    assert!(matches!(
        books.press("a").await,
        BeginOutcome::Other(same) if same.state == AttemptState::Declined && same.decline_code == reason
    ));
    let second = books.started("b").await;
    assert_eq!(
        books.finish(&second, approved()).await,
        FinishOutcome::RecordedWithoutEvent
    );
    assert_eq!(books.status().await, (ChargeStatus::Succeeded, None));
}

#[tokio::test]
async fn a_paid_charge_takes_no_other_attempt() {
    let books = books().await;
    let first = books.started("a").await;
    books.finish(&first, approved()).await;
    assert_eq!(
        books.press("b").await,
        BeginOutcome::NotPayable(ChargeStatus::Succeeded)
    );
    assert!(
        matches!(books.press("a").await, BeginOutcome::Other(same) if same.state == AttemptState::Succeeded)
    );
}

#[tokio::test]
async fn the_first_outcome_of_an_attempt_is_kept() {
    let books = books().await;
    let attempt = books.started("a").await;
    books.finish(&attempt, approved()).await;
    assert_eq!(books.finish(&attempt, declined()).await, FinishOutcome::Before);
    assert_eq!(books.finish(&attempt, approved()).await, FinishOutcome::Before);
    books
        .store
        .lose_outcome(&attempt, 3_000, &[], 2_000)
        .await
        .unwrap();
    assert_eq!(books.status().await, (ChargeStatus::Succeeded, None));
}

#[tokio::test]
async fn a_late_approval_is_recorded() {
    let books = books().await;
    let attempt = books.started("a").await;
    books
        .finish(
            &attempt,
            AttemptOutcome::Declined(DeclineCode::ProcessingError.into()),
        )
        .await;
    assert_eq!(
        books.finish(&attempt, approved()).await,
        FinishOutcome::ApprovedLate
    );
    assert_eq!(books.status().await, (ChargeStatus::Succeeded, None));
}

#[tokio::test]
async fn a_late_approval_after_another_attempt_is_reported() {
    let books = books().await;
    let first = books.started("a").await;
    books.finish(&first, declined()).await;
    let second = books.started("b").await;
    assert_eq!(
        books.finish(&first, approved()).await,
        FinishOutcome::ApprovedTooLate
    );
    assert_eq!(
        books.finish(&second, approved()).await,
        FinishOutcome::RecordedWithoutEvent
    );
    assert_eq!(
        books.finish(&first, approved()).await,
        FinishOutcome::ApprovedTooLate
    );
}

#[tokio::test]
async fn an_attempt_is_taken_over_once_after_its_lease_ends() {
    let books = books().await;
    let attempt = books.started("a").await;
    assert_eq!(books.store.abandoned_attempts(10_999, 9).await.unwrap(), []);
    let abandoned = books.store.abandoned_attempts(11_000, 9).await.unwrap();
    assert_eq!(abandoned, [attempt]);
    assert!(books.store.own_attempt(&abandoned[0], 20_000).await.unwrap());
    assert!(!books.store.own_attempt(&abandoned[0], 20_000).await.unwrap());
    assert_eq!(books.store.abandoned_attempts(19_999, 9).await.unwrap(), []);
}

#[tokio::test]
async fn a_finished_attempt_cannot_be_taken_over() {
    let books = books().await;
    let attempt = books.started("a").await;
    books.finish(&attempt, approved()).await;
    assert!(!books.store.own_attempt(&attempt, 20_000).await.unwrap());
    assert_eq!(books.store.abandoned_attempts(i64::MAX, 9).await.unwrap(), []);
}

#[tokio::test]
async fn the_database_refuses_two_unfinished_attempts_and_two_payments() {
    let books = books().await;
    let insert = |id: &'static str, state: &'static str| {
        query(
            "INSERT INTO attempts (id, charge_id, press_key, provider_key, state, created_at, owner_until) \
             VALUES ($1, 'ch_1', $1, $1, $2, 0, 0)",
        )
        .bind(id)
        .bind(state)
        .write(&books.store.writer)
    };
    insert("att_1", "in_flight").await.unwrap();
    assert!(insert("att_2", "outcome_unknown").await.is_err());
    insert("att_3", "succeeded").await.unwrap();
    assert!(insert("att_4", "succeeded").await.is_err());
}

/// Windows begin at multiples of their length.
#[tokio::test]
async fn a_charge_takes_no_more_attempts_than_its_limit() {
    const MINUTE_MS: i64 = 60_000;
    let books = books().await;
    let press = async |key: &str, now_ms: i64| {
        let new = NewAttempt {
            now_ms,
            charge_limit: Some(AttemptLimit {
                attempts: 2,
                window_seconds: 60,
            }),
            ..books.new_attempt(key)
        };
        let begun = books.store.begin_attempt(&new).await.unwrap();
        if let BeginOutcome::Started(attempt) = &begun {
            books.finish(attempt, declined()).await;
        }
        begun
    };
    for key in ["a", "b"] {
        assert!(matches!(press(key, 1_000).await, BeginOutcome::Started(_)));
    }
    assert_eq!(press("c", MINUTE_MS - 1).await, BeginOutcome::TooMany(MINUTE_MS));
    assert_eq!(press("d", MINUTE_MS - 1).await, BeginOutcome::TooMany(MINUTE_MS));
    // The same press as before gets its answer.
    assert!(matches!(press("a", MINUTE_MS - 1).await, BeginOutcome::Other(_)));
    assert!(matches!(press("c", MINUTE_MS).await, BeginOutcome::Started(_)));
}

#[tokio::test]
async fn an_unknown_charge_has_no_attempts() {
    let books = books().await;
    let new = NewAttempt {
        id: "att_x".into(),
        charge_id: "ch_none".into(),
        press_key: "x".into(),
        provider_key: "pay_x".into(),
        now_ms: 0,
        owner_until: 0,
        terms: books.terms.clone(),
        card: UsedCard::new("visa", "4242", "424242", (12, 2030), None),
        charge_limit: None,
        counts: vec![],
        opens_card: None,
    };
    assert_eq!(
        books.store.begin_attempt(&new).await.unwrap(),
        BeginOutcome::NoCharge
    );
}

/// SQLite makes a table for a condition with `IN` and three words.
#[tokio::test]
async fn no_table_is_made_for_the_states_of_attempts() {
    let books = books_in(TestDatabase::sqlite()).await;
    let file = rusqlite::Connection::open(books.database.file()).unwrap();
    let tables = |statement: &str| {
        let mut explained = file.prepare(&format!("EXPLAIN {statement}")).unwrap();
        let mut steps = explained.raw_query();
        let mut tables = 0;
        while let Some(step) = steps.next().unwrap() {
            tables += usize::from(step.get::<_, String>("opcode").unwrap() == "OpenEphemeral");
        }
        tables
    };
    assert_eq!(
        tables("SELECT id FROM charges WHERE status IN ('a', 'b', 'c')"),
        1
    );
    assert_eq!(
        tables(&format!(
            "UPDATE attempts SET state = 'succeeded' WHERE id = 'att_1' AND {UNDER_WAY}"
        )),
        0
    );
    assert_eq!(
        tables("INSERT INTO attempts (id, charge_id, state) VALUES ('att_1', 'ch_1', 'in_flight')"),
        0
    );
}
