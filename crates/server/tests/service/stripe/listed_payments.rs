//! Stripe's list of payments, from which a restored database gets its lost payments back.

use payments::charges::recovery::recover;
use protocol::AttemptOutcome;
use providers::ListError;
use serde_json::{Value, json};

use super::peer::{Peer, ScriptedAnswer, payment, refusal};
use super::world;
use crate::dead_process::leave_attempt;

const SINCE_MS: i64 = 1_784_000_000_000;
const FIRST_PAGE: &str =
    "GET /v1/payment_intents?created[gte]=1784000000&limit=100&expand[]=data.latest_charge";
const SECOND_PAGE: &str = "GET /v1/payment_intents?created[gte]=1784000000&limit=100&expand[]=data.latest_charge&starting_after=pi_2";

fn listed(fields: Value) -> Value {
    let ScriptedAnswer::Says(_, body) = payment("succeeded", fields) else {
        panic!("no answer");
    };
    body
}

fn page(payments: &[Value], has_more: bool) -> ScriptedAnswer {
    ScriptedAnswer::Says(
        200,
        json!({"object": "list", "data": payments, "has_more": has_more}),
    )
}

#[tokio::test]
async fn stripes_payments_are_listed_over_several_pages() {
    let peer = Peer::start().await;
    let world = world(&peer.url).await;
    let ours = |charge: &str| {
        json!({
            "cardform_charge": charge, "cardform_payment": format!("key_{charge}"),
            "cardform_merchant": "partner_1", "cardform_reference": "order-1",
            "cardform_item_code": "gems", "cardform_item_name": "Gems",
        })
    };
    let charge = json!({"payment_method_details": {"card": {"capture_before": 1_784_600_000}}});
    peer.add_answers([
        (
            FIRST_PAGE,
            page(
                &[
                    listed(json!({
                        "id": "pi_3", "created": 1_784_000_003, "metadata": ours("ch_3"),
                        "status": "requires_capture", "latest_charge": charge,
                    })),
                    // Of another program.
                    listed(json!({"id": "pi_2", "created": 1_784_000_002, "metadata": {}})),
                ],
                true,
            ),
        ),
        (
            SECOND_PAGE,
            page(
                &[listed(json!({
                    "id": "pi_1", "created": 1_784_000_001, "status": "requires_payment_method",
                    "amount": 500, "currency": "jpy",
                    "metadata": {"cardform_charge": "ch_1", "cardform_payment": "key_ch_1"},
                }))],
                false,
            ),
        ),
    ]);
    let provider = &world.service.app.charges.provider;
    let limit = std::time::Duration::from_secs(10);
    let payments = provider.payments_since(SINCE_MS + 7, limit).await.unwrap();
    assert_eq!(payments.len(), 2);
    let (first, second) = (&payments[0], &payments[1]);
    assert_eq!((first.charge_id.as_str(), first.at), ("ch_1", 1_784_000_001_000));
    assert_eq!(
        (first.amount_value.as_str(), first.amount_currency.as_str()),
        ("500", "JPY")
    );
    // A payment of an earlier version has no description.
    assert_eq!(first.description, None);
    assert!(matches!(first.outcome, Some(AttemptOutcome::Declined(_))));
    assert_eq!(second.provider_key, "key_ch_3");
    assert_eq!(second.reference.as_deref(), Some("pi_3"));
    assert_eq!(second.amount_value, "12.50");
    assert_eq!(second.description.as_ref().unwrap().partner_id, "partner_1");
    let Some(AttemptOutcome::Succeeded(approval)) = &second.outcome else {
        panic!("{second:?}");
    };
    let ends_at = approval.hold.and_then(|hold| hold.ends_at);
    assert_eq!(
        (approval.reference.as_str(), ends_at),
        ("pi_3", Some(1_784_600_000_000))
    );
}

#[tokio::test]
async fn a_refused_list_of_stripe_is_an_error() {
    let peer = Peer::start().await;
    let world = world(&peer.url).await;
    peer.add_answers([(FIRST_PAGE, refusal(403, "invalid_request_error", json!({})))]);
    let provider = &world.service.app.charges.provider;
    let limit = std::time::Duration::from_secs(10);
    assert_eq!(
        provider.payments_since(SINCE_MS, limit).await,
        Err(ListError::Unreachable)
    );
}

/// The restored database knows the attempt, but not Stripe's id of its payment. Without it Stripe cannot be asked, and
/// the attempt would count as never made.
#[tokio::test]
async fn an_attempt_gets_its_lost_stripe_reference_back() {
    let peer = Peer::start().await;
    let world = world(&peer.url).await;
    let charge = world.charge().await;
    let attempt = leave_attempt(&world, &charge).await;
    let metadata = json!({"cardform_charge": charge.id, "cardform_payment": attempt.provider_key});
    let created = world.clock.now_seconds();
    // The clock stands still, so the list begins a quarter of an hour earlier.
    let list = format!(
        "GET /v1/payment_intents?created[gte]={}&limit=100&expand[]=data.latest_charge",
        created - 900
    );
    let list: &'static str = Box::leak(list.into_boxed_str());
    peer.add_answers([(
        list,
        page(
            &[listed(json!({"created": created, "metadata": metadata}))],
            false,
        ),
    )]);
    let app = &world.service.app;
    let recovery = recover(
        &app.store,
        &app.charges.provider,
        &world.clock,
        world.clock.now_ms(),
    )
    .await
    .unwrap();
    assert_eq!((recovery.outcomes, recovery.attempts), (1, 0));
    let stored = app.store.attempt(&attempt.id).await.unwrap().unwrap();
    assert_eq!(stored.provider_reference.as_deref(), Some("pi_1"));
    assert_eq!(world.view(&charge.id).await["status"], "succeeded");
}
