//! Operations in a real database: never more is given back than was taken, and each operation changes its charge once.

use futures_util::future::join_all;
use harness::random::Random;
use protocol::{Approval, CaptureMethod, ChargeView, DisputeStatus, Hold, ProviderDispute};

use super::*;
use crate::tests::database::{TestDatabase, creation, partner};
use crate::{
    AttemptOutcome, BeginOutcome, ChargeTerms, NewAttempt, StoredWebhookSecret, UsedCard, WebhookEndpoint,
};

const CHARGE: &str = "ch_1";

struct Books {
    store: Store,
    _database: TestDatabase,
}

impl Books {
    /// A charge that a shopper has paid, or whose money is held.
    async fn of(amount: &str, currency: &str, capture: CaptureMethod) -> Self {
        let books = Self::unpaid(amount, currency, capture).await;
        let attempt = books.pressed().await;
        let approval = Approval {
            reference: "sim_1".into(),
            hold: (capture == CaptureMethod::Manual).then_some(Hold { ends_at: Some(9_000) }),
            ..Approval::default()
        };
        let outcome = AttemptOutcome::Succeeded(approval);
        books
            .store
            .finish_attempt(&attempt, &outcome, &[], 2_000)
            .await
            .unwrap();
        books
    }

    async fn unpaid(amount: &str, currency: &str, capture: CaptureMethod) -> Self {
        let database = TestDatabase::new();
        let store = database.connect().await;
        let partner = partner("partner_1");
        store.put_partner(&partner, "sk_1").await.unwrap();
        let charge = Charge {
            amount_value: amount.into(),
            amount_currency: currency.into(),
            capture_method: capture,
            ..Charge::unknown(CHARGE.into(), partner.id, 0)
        };
        store.add_charge(&charge, &creation(CHARGE), None).await.unwrap();
        let endpoint = WebhookEndpoint {
            partner_id: "partner_1".into(),
            url: "https://shop.example/events".into(),
            secret: StoredWebhookSecret::plain("whsec_"),
            events: None,
            created_at: 0,
        };
        store.put_webhook_endpoint(&endpoint).await.unwrap();
        Self {
            store,
            _database: database,
        }
    }

    async fn pressed(&self) -> Attempt {
        let charge = self.store.charge(CHARGE).await.unwrap().unwrap();
        let new = NewAttempt {
            id: "att_1".into(),
            charge_id: CHARGE.into(),
            press_key: "press".into(),
            provider_key: "pay_1".into(),
            now_ms: 1_000,
            owner_until: 11_000,
            terms: ChargeTerms::from(&charge),
            card: UsedCard::new("visa", "4242", "424242", (1, 2030), None),
            charge_limit: None,
            counts: vec![],
            opens_card: None,
        };
        match self.store.begin_attempt(&new).await.unwrap() {
            BeginOutcome::Started(attempt) => attempt,
            other => panic!("{other:?}"),
        }
    }

    async fn begin(&self, new: NewOperation) -> BeginOperation {
        self.store.begin_operation(&new).await.unwrap()
    }

    async fn started(&self, new: NewOperation) -> Operation {
        match self.begin(new).await {
            BeginOperation::Started(started) => started.operation,
            other => panic!("{other:?}"),
        }
    }

    async fn finish(&self, operation: &Operation, result: OperationResult) -> Operation {
        self.store
            .finish_operation(operation, &result, 4_000)
            .await
            .unwrap()
    }

    async fn charge(&self) -> ChargeView {
        let charge = self.store.charge(CHARGE).await.unwrap().unwrap();
        self.store.charge_view(&charge).await.unwrap()
    }

    async fn events(&self) -> Vec<String> {
        let sql = "SELECT kind FROM webhook_events WHERE charge_id = 'ch_1' ORDER BY number";
        query(sql).fetch_all(&self.store.readers).await.unwrap()
    }
}

fn wish(kind: OperationKind, id: &str, amount: Option<&str>) -> NewOperation {
    NewOperation {
        id: id.into(),
        kind,
        charge_id: CHARGE.into(),
        amount_value: amount.map(str::to_owned),
        reason: None,
        metadata: None,
        provider_key: format!("pay_{id}"),
        idempotency_key: None,
        keys_from: 0,
        body_sha256: amount.unwrap_or("all").to_owned(),
        now_ms: 3_000,
        owner_until: 13_000,
    }
}

fn refund(id: &str, amount: Option<&str>) -> NewOperation {
    wish(OperationKind::Refund, id, amount)
}

fn result(state: OperationStatus) -> OperationResult {
    OperationResult {
        state,
        reference: None,
        failure_code: None,
        hold_ended: false,
        look_at: None,
    }
}

#[tokio::test]
async fn refunds_at_once_never_give_back_more_than_was_taken() {
    let books = Books::of("12.50", "USD", CaptureMethod::Automatic).await;
    let wishes = (0..200).map(|number| books.begin(refund(&format!("re_{number}"), Some("0.10"))));
    let begun = join_all(wishes).await;
    let started: Vec<&Operation> = begun
        .iter()
        .filter_map(|begun| match begun {
            BeginOperation::Started(started) => Some(&started.operation),
            BeginOperation::TooLarge(left) => {
                assert_eq!(left, "0.00");
                None
            }
            other => panic!("{other:?}"),
        })
        .collect();
    assert_eq!(started.len(), 125);
    let ended = started
        .iter()
        .map(|operation| books.finish(operation, result(OperationStatus::Succeeded)));
    join_all(ended).await;
    let charge = books.charge().await;
    assert_eq!(charge.amount_refunded, "12.50");
    assert_eq!(charge.status, ChargeStatus::Succeeded);
    assert_eq!(charge.refunds.len(), 125);
}

/// Another node records the refund between the two.
#[tokio::test]
async fn a_charge_that_is_read_before_its_refunds_has_their_sum() {
    let books = Books::of("12.50", "USD", CaptureMethod::Automatic).await;
    let before = books.store.charge(CHARGE).await.unwrap().unwrap();
    let BeginOperation::Started(started) = books.begin(refund("re_1", Some("7.00"))).await else {
        panic!("not begun");
    };
    books
        .finish(&started.operation, result(OperationStatus::Succeeded))
        .await;
    let view = books.store.charge_view(&before).await.unwrap();
    assert_eq!((view.refunds.len(), view.amount_refunded.as_str()), (1, "7.00"));
}

/// Sums are added in minor units, so nothing is rounded: in currencies with no, two and three digits after the point.
#[tokio::test]
async fn sums_are_exact_in_every_currency() {
    for (currency, amount, parts, left) in [
        ("JPY", "1000", ["333", "333", "333"], "1"),
        ("USD", "0.30", ["0.1", "0.10", "0.09"], "0.01"),
        ("KWD", "1.000", ["0.333", "0.333", "0.333"], "0.001"),
        ("USD", "90000000000.01", ["90000000000", "0.005", "0.00"], "0.01"),
    ] {
        let books = Books::of(amount, currency, CaptureMethod::Automatic).await;
        for (number, part) in parts.into_iter().enumerate() {
            let begun = books.begin(refund(&format!("re_{number}"), Some(part))).await;
            // An amount finer than the currency, and nothing, are no refund.
            if minor_units(part, currency).unwrap_or_default() == 0 {
                assert!(matches!(begun, BeginOperation::TooLarge(_)), "{part}");
            }
        }
        let too_large = books.begin(refund("re_more", Some(amount))).await;
        assert_eq!(too_large, BeginOperation::TooLarge(left.into()), "{currency}");
        let rest = books.started(refund("re_rest", None)).await;
        assert_eq!(rest.amount_value, left, "{currency}");
    }
}

/// Random refunds with random ends, also late ones, against whole numbers: currencies with no, two and three digits after the point.
#[tokio::test]
async fn random_refunds_add_up_to_the_minor_unit() {
    use OperationStatus::{Failed, OutcomeUnknown, Pending, Processing, Succeeded};
    for (seed, currency) in (0..12).zip(["JPY", "USD", "KWD"].into_iter().cycle()) {
        let mut chance = Random::new(seed);
        let captured = chance.between(1, 1_000_000);
        let amount = |units: u64| minor_units_text(units, currency);
        let books = Books::of(&amount(captured), currency, CaptureMethod::Automatic).await;
        let mut made: Vec<(Operation, u64)> = Vec::new();
        let sum = |made: &[(Operation, u64)], counts: fn(OperationStatus) -> bool| -> u64 {
            let counted = made.iter().filter(|(operation, _)| counts(operation.state));
            counted.map(|(_, units)| units).sum()
        };
        for step in 0..40 {
            let at = format!("seed {seed}, step {step}");
            let left = captured - sum(&made, OperationStatus::counts);
            if made.is_empty() || chance.between(0, 2) == 0 {
                let units = match chance.between(0, 8) {
                    0 => left,
                    1 => left + 1,
                    _ => chance.between(1, captured / 4 + 2),
                };
                let begun = books
                    .begin(refund(&format!("re_{step}"), Some(&amount(units))))
                    .await;
                match begun {
                    BeginOperation::Started(started) if (1..=left).contains(&units) => {
                        made.push((started.operation, units));
                    }
                    BeginOperation::TooLarge(told) if units == 0 || units > left => {
                        assert_eq!(told, amount(left), "{at}");
                    }
                    other => panic!("{at}: {units} of {left}: {other:?}"),
                }
            } else {
                let last = made.len() as u64;
                let (operation, _) = &mut made[usize::try_from(chance.between(0, last)).unwrap()];
                let state = match operation.state {
                    Processing | Pending | OutcomeUnknown => {
                        *chance.one_of(&[Pending, Succeeded, Failed, OutcomeUnknown])
                    }
                    // A provider may take back a success, and nothing else.
                    Succeeded => Failed,
                    Failed => continue,
                };
                *operation = books.finish(operation, result(state)).await;
            }
            let refunded = sum(&made, |state| state == Succeeded);
            assert_eq!(books.charge().await.amount_refunded, amount(refunded), "{at}");
        }
    }
}

#[tokio::test]
async fn a_refund_that_fails_later_can_be_made_again() {
    let books = Books::of("12.50", "USD", CaptureMethod::Automatic).await;
    let all = books.started(refund("re_1", None)).await;
    let known = books.finish(&all, result(OperationStatus::Succeeded)).await;
    assert_eq!(books.charge().await.amount_refunded, "12.50");
    assert_eq!(
        books.begin(refund("re_2", None)).await,
        BeginOperation::TooLarge("0.00".into())
    );

    let failed = OperationResult {
        failure_code: Some("expired_or_canceled_card".into()),
        ..result(OperationStatus::Failed)
    };
    books.finish(&known, failed.clone()).await;
    let charge = books.charge().await;
    assert_eq!(
        (charge.amount_refunded.as_str(), charge.status),
        ("0.00", ChargeStatus::Succeeded)
    );
    // The end is told once, however often it is recorded, and a success that comes late changes nothing.
    books.finish(&known, failed).await;
    books.finish(&known, result(OperationStatus::Succeeded)).await;
    let events = [
        "charge.processing",
        "charge.succeeded",
        "refund.processing",
        "refund.succeeded",
        "refund.failed",
    ];
    assert_eq!(books.events().await, events);
    books.started(refund("re_2", None)).await;
}

/// The provider's event says that the look-up may have had an old answer.
#[tokio::test]
async fn an_event_during_a_look_up_has_the_operation_looked_at_again() {
    let books = Books::of("12.50", "USD", CaptureMethod::Automatic).await;
    let mut refund = books.started(refund("re_1", None)).await;
    assert!(books.store.own_operation(&refund, 5_000).await.unwrap());
    refund.owner_until = Some(5_000);
    let look_soon = OperationResult {
        look_at: Some(6_000),
        ..result(OperationStatus::Succeeded)
    };
    let mut refund = books.finish(&refund, look_soon).await;
    assert!(books.store.own_operation(&refund, 9_000).await.unwrap());
    refund.owner_until = Some(9_000);
    books.store.look_at_operation(&refund, 7_000).await.unwrap();
    books.finish(&refund, result(OperationStatus::Succeeded)).await;
    let due = books.store.due_operations(7_000, 9).await.unwrap();
    assert_eq!(due.len(), 1);
    // Nothing follows a failure.
    books.finish(&refund, result(OperationStatus::Failed)).await;
    assert_eq!(books.store.due_operations(i64::MAX, 9).await.unwrap(), []);
}

#[tokio::test]
async fn a_lost_answer_counts_until_it_is_known() {
    let books = Books::of("12.50", "USD", CaptureMethod::Automatic).await;
    let first = books.started(refund("re_1", Some("10.00"))).await;
    let lost = OperationResult {
        look_at: Some(5_000),
        ..result(OperationStatus::OutcomeUnknown)
    };
    let mut first = books.finish(&first, lost.clone()).await;
    assert_eq!(
        books.begin(refund("re_2", Some("2.51"))).await,
        BeginOperation::TooLarge("2.50".into())
    );
    assert_eq!(books.charge().await.amount_refunded, "0.00");
    assert_eq!(books.store.due_operations(4_999, 9).await.unwrap(), []);
    assert_eq!(
        books.store.due_operations(5_000, 9).await.unwrap(),
        std::slice::from_ref(&first)
    );
    // One node takes it over.
    assert!(books.store.own_operation(&first, 20_000).await.unwrap());
    assert!(!books.store.own_operation(&first, 20_000).await.unwrap());
    first.owner_until = Some(20_000);
    books.finish(&first, result(OperationStatus::Succeeded)).await;
    assert_eq!(books.charge().await.amount_refunded, "10.00");
    assert_eq!(books.store.due_operations(i64::MAX, 9).await.unwrap(), []);
}

#[tokio::test]
async fn a_key_names_one_request_for_a_day() {
    let books = Books::of("12.50", "USD", CaptureMethod::Automatic).await;
    let keyed = |id: &str, amount, keys_from| NewOperation {
        idempotency_key: Some("key".into()),
        keys_from,
        ..refund(id, amount)
    };
    let first = books.started(keyed("re_1", Some("1.00"), 0)).await;
    assert_eq!(
        books.begin(keyed("re_2", Some("1.00"), 0)).await,
        BeginOperation::Before(Box::new(first))
    );
    assert_eq!(
        books.begin(keyed("re_3", Some("2.00"), 0)).await,
        BeginOperation::KeyUsed
    );
    books.started(keyed("re_4", Some("2.00"), 3_001)).await;
}

#[tokio::test]
async fn a_hold_is_captured_once() {
    let books = Books::of("12.50", "USD", CaptureMethod::Manual).await;
    let held = books.charge().await;
    assert_eq!(held.status, ChargeStatus::Authorized);
    assert_eq!(
        (held.amount_capturable.as_str(), held.amount_captured.as_str()),
        ("12.50", "0.00")
    );
    assert_eq!(held.capture_before, Some(rfc3339(9_000)));
    let not_paid = BeginOperation::NotAllowed(ChargeStatus::Authorized);
    assert_eq!(books.begin(refund("re_1", None)).await, not_paid);

    let part = || wish(OperationKind::Capture, "op_1", Some("10"));
    let capture = books.started(part()).await;
    let again = wish(OperationKind::Capture, "op_2", Some("10"));
    assert_eq!(
        books.begin(again).await,
        BeginOperation::Before(Box::new(capture.clone()))
    );
    for other in [
        wish(OperationKind::Capture, "op_3", None),
        wish(OperationKind::Release, "op_4", None),
    ] {
        assert_eq!(books.begin(other).await, BeginOperation::InProgress);
    }
    let too_much = wish(OperationKind::Capture, "op_5", Some("12.51"));
    books.finish(&capture, result(OperationStatus::Failed)).await;
    assert_eq!(
        books.begin(too_much).await,
        BeginOperation::TooLarge("12.50".into())
    );
    let capture = books
        .started(wish(OperationKind::Capture, "op_6", Some("10")))
        .await;
    books.finish(&capture, result(OperationStatus::Succeeded)).await;

    let paid = books.charge().await;
    assert_eq!(paid.status, ChargeStatus::Succeeded);
    assert_eq!(
        (paid.amount_capturable.as_str(), paid.amount_captured.as_str()),
        ("0.00", "10.00")
    );
    assert_eq!(
        books.begin(refund("re_1", Some("10.01"))).await,
        BeginOperation::TooLarge("10.00".into())
    );
    let ended = BeginOperation::NotAllowed(ChargeStatus::Succeeded);
    assert_eq!(
        books.begin(wish(OperationKind::Release, "op_7", None)).await,
        ended
    );
    assert_eq!(
        books.events().await,
        ["charge.processing", "charge.authorized", "charge.succeeded"]
    );
    assert_eq!(books.store.due_holds(i64::MAX, 9).await.unwrap(), []);
}

#[tokio::test]
async fn a_hold_is_released_or_ends() {
    let ended = OperationResult {
        hold_ended: true,
        ..result(OperationStatus::Failed)
    };
    for (kind, end, status) in [
        (
            OperationKind::Release,
            result(OperationStatus::Succeeded),
            ChargeStatus::Canceled,
        ),
        (OperationKind::Release, ended.clone(), ChargeStatus::Canceled),
        (OperationKind::Capture, ended, ChargeStatus::Expired),
    ] {
        let books = Books::of("12.50", "USD", CaptureMethod::Manual).await;
        let due = books.store.due_holds(9_000, 9).await.unwrap();
        assert_eq!(due.len(), 1);
        assert!(books.store.own_hold(&due[0], 20_000).await.unwrap());
        assert!(!books.store.own_hold(&due[0], 20_000).await.unwrap());
        let operation = books.started(wish(kind, "op_1", None)).await;
        books.finish(&operation, end).await;
        let charge = books.charge().await;
        assert_eq!((charge.status, charge.amount_captured.as_str()), (status, "0.00"));
        assert_eq!(books.store.due_holds(i64::MAX, 9).await.unwrap(), []);
    }
    let books = Books::of("12.50", "USD", CaptureMethod::Manual).await;
    let attempt = books.store.attempt_that_paid(CHARGE).await.unwrap().unwrap();
    for _ in 0..2 {
        books
            .store
            .record_end_of_hold(&attempt, None, 10_000)
            .await
            .unwrap();
    }
    assert_eq!(books.charge().await.status, ChargeStatus::Expired);
}

/// The provider's event about a payment can come before the answer about its capture or release.
#[tokio::test]
async fn a_hold_that_is_looked_at_during_an_operation_ends_with_it() {
    for (kind, captured, status) in [
        (OperationKind::Capture, Some("12.50"), ChargeStatus::Succeeded),
        (OperationKind::Release, None, ChargeStatus::Canceled),
    ] {
        let books = Books::of("12.50", "USD", CaptureMethod::Manual).await;
        let operation = books.started(wish(kind, "op_1", None)).await;
        let attempt = books.store.attempt_that_paid(CHARGE).await.unwrap().unwrap();
        let looked = books.store.record_end_of_hold(&attempt, captured, 3_500);
        looked.await.unwrap();
        assert_eq!(books.charge().await.status, ChargeStatus::Authorized);
        let finished = books.finish(&operation, result(OperationStatus::Succeeded)).await;
        assert_eq!(finished.owner_until, None);
        assert_eq!(books.charge().await.status, status);
    }
}

/// A node of the version before holds would capture the money at once.
#[tokio::test]
async fn an_older_program_cannot_pay_a_charge_whose_money_is_to_be_held() {
    for (capture, is_refused) in [(CaptureMethod::Manual, true), (CaptureMethod::Automatic, false)] {
        let books = Books::unpaid("12.50", "USD", capture).await;
        let inserted = query(
            "INSERT INTO attempts (id, charge_id, press_key, provider_key, state, created_at, owner_until, \
             card_brand, card_last_four) VALUES ('att_1', 'ch_1', 'press', 'pay_1', 'in_flight', 0, 0, 'visa', '4242')",
        )
        .write(&books.store.writer)
        .await;
        assert_eq!(inserted.is_err(), is_refused, "{inserted:?}");
        if !is_refused {
            continue;
        }
        books.pressed().await;
    }
}

#[tokio::test]
async fn a_dispute_is_told_once_for_each_status_and_never_opens_again() {
    let books = Books::of("12.50", "USD", CaptureMethod::Automatic).await;
    let told = |status| ProviderDispute {
        reference: "dp_stripe".into(),
        status,
        amount_value: "12.50".into(),
        amount_currency: "USD".into(),
        reason: Some("fraudulent".into()),
        respond_before: Some(9_000),
    };
    let record =
        async |key: &str, status, now| books.store.record_dispute(key, &told(status), now).await.unwrap();
    assert_eq!(record("pay_unknown", DisputeStatus::Open, 5_000).await, None);
    assert_eq!(record("pay_1", DisputeStatus::Open, 5_000).await, Some(true));
    assert_eq!(record("pay_1", DisputeStatus::Open, 6_000).await, Some(false));
    assert_eq!(record("pay_1", DisputeStatus::Lost, 7_000).await, Some(true));
    assert_eq!(record("pay_1", DisputeStatus::Open, 8_000).await, Some(false));

    let shown = books.charge().await;
    assert_eq!(shown.status, ChargeStatus::Succeeded);
    assert_eq!(shown.dispute.unwrap().status, DisputeStatus::Lost);
    let events = [
        "charge.processing",
        "charge.succeeded",
        "dispute.open",
        "dispute.lost",
    ];
    assert_eq!(books.events().await, events);
    let listed = books.store.disputes("partner_1", None, 9).await.unwrap();
    let behind = crate::ListPosition {
        created_at: listed[0].created_at,
        id: listed[0].id.clone(),
    };
    assert_eq!(listed.len(), 1);
    assert_eq!((listed[0].created_at, listed[0].updated_at), (5_000, 7_000));
    assert_eq!(
        books.store.disputes("partner_1", Some(&behind), 9).await.unwrap(),
        []
    );
    assert_eq!(books.store.disputes("partner_2", None, 9).await.unwrap(), []);
}

/// A bank gives more time, or asks for less.
#[tokio::test]
async fn an_open_disputes_deadline_amount_and_reason_are_updated() {
    let books = Books::of("12.50", "USD", CaptureMethod::Automatic).await;
    let mut told = ProviderDispute {
        reference: "dp_stripe".into(),
        status: DisputeStatus::Open,
        amount_value: "12.50".into(),
        amount_currency: "USD".into(),
        reason: None,
        respond_before: None,
    };
    let record = async |told: &ProviderDispute, now| {
        let recorded = books.store.record_dispute("pay_1", told, now).await;
        recorded.unwrap().unwrap()
    };
    assert!(record(&told, 5_000).await);
    told.amount_value = "5.00".into();
    told.reason = Some("fraudulent".into());
    told.respond_before = Some(9_000);
    assert!(record(&told, 6_000).await);
    assert!(!record(&told, 7_000).await);
    let mut late = told.clone();
    late.respond_before = Some(8_000);
    assert!(!record(&late, 7_000).await, "an older event came late");
    let shown = books.charge().await.dispute.unwrap();
    assert_eq!(
        (shown.amount_value.as_str(), shown.reason.as_deref()),
        ("5.00", Some("fraudulent"))
    );
    assert_eq!(shown.respond_before.unwrap(), "1970-01-01T00:00:09Z");
    assert_eq!(books.events().await[2..], ["dispute.open", "dispute.open"]);
    told.status = DisputeStatus::Won;
    assert!(record(&told, 8_000).await);
    told.amount_value = "4.00".into();
    assert!(!record(&told, 9_000).await, "it has ended");
}

#[tokio::test]
async fn refunds_and_charges_are_events_of_one_list() {
    let books = Books::of("12.50", "USD", CaptureMethod::Automatic).await;
    books.started(refund("re_1", None)).await;
    let listed = books
        .store
        .listed_events("partner_1", &crate::EventFilter::default(), None, 9)
        .await
        .unwrap();
    let told: Vec<bool> = listed
        .events
        .iter()
        .map(|event| event.payload.contains("\"refund.processing\""))
        .collect();
    assert_eq!(told, [true, false, false]);
}
