use serde_json::json;

use super::super::operations::tests::{Answers, LONG, refusal, stripe};
use super::*;
use crate::Connector;

const CARD: &str = "GET /v1/payment_methods/pm_1";

async fn attached(answers: Answers) -> CardChangeOutcome {
    let (connector, server) = stripe(answers).await;
    let kept = KeptCard {
        card: "pm_1".into(),
        customer: "cus_1".into(),
    };
    let outcome = connector.attach(&kept, Some((3, 2033)), LONG).await;
    server.await.unwrap();
    outcome
}

#[tokio::test]
async fn only_a_refusal_of_the_card_says_that_it_is_not_attached() {
    let refused = || refusal("invalid_request_error", None);
    for (status, expected) in [
        (401, CardChangeOutcome::NotNow),
        (403, CardChangeOutcome::NotNow),
        (404, CardChangeOutcome::Refused),
    ] {
        assert_eq!(
            attached(vec![(CARD, status, refused())]).await,
            expected,
            "{status}"
        );
    }
    let card = json!({"id": "pm_1", "customer": "cus_1", "card": {"exp_month": 12, "exp_year": 2030}});
    let date = ("POST /v1/payment_methods/pm_1", 400, refused());
    assert_eq!(
        attached(vec![(CARD, 200, card), date]).await,
        CardChangeOutcome::Done
    );
}
