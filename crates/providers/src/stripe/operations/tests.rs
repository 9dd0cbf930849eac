use protocol::{Hold, SecretSource, Sensitive};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;
use tokio::task::JoinHandle;
use url::Url;

use super::super::api_key::ApiKey;
use super::*;
use crate::{Connector, HOLD_ENDED};

pub(in crate::stripe) const LONG: Duration = Duration::from_secs(30);
const STATE: &str = "GET /v1/payment_intents/pi_1?expand[]=latest_charge";
const CAPTURE: &str = "POST /v1/payment_intents/pi_1/capture";
const CANCEL: &str = "POST /v1/payment_intents/pi_1/cancel";
const LIST: &str = "GET /v1/refunds?payment_intent=pi_1&limit=100";

/// An answer: its request line, its status and its body. Status 0 closes the connection without an answer.
pub(in crate::stripe) type Answers = Vec<(&'static str, u16, Value)>;

/// A server with these answers, one per request. It ends with the requests that it got.
pub(in crate::stripe) async fn stripe(answers: Answers) -> (StripeConnector, JoinHandle<Vec<String>>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = Url::parse(&format!("http://{}", listener.local_addr().unwrap())).unwrap();
    let server = tokio::spawn(async move {
        let mut requests = Vec::new();
        for (expected, status, body) in answers {
            let (mut stream, _) = listener.accept().await.unwrap();
            let request = read(&mut stream).await;
            assert!(request.starts_with(&format!("{expected} HTTP")), "{request}");
            requests.push(request);
            if status > 0 {
                let body = body.to_string();
                let answer = format!(
                    "HTTP/1.1 {status} Played\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{body}",
                    body.len()
                );
                stream.write_all(answer.as_bytes()).await.unwrap();
            }
        }
        requests
    });
    let key = ApiKey::read(&SecretSource::Setting(Sensitive::new(
        "sk_test_4f0aKeyOfTests".into(),
    )))
    .unwrap();
    (StripeConnector::new(&url, &key, None).unwrap(), server)
}

async fn read(stream: &mut tokio::net::TcpStream) -> String {
    let mut bytes = Vec::new();
    loop {
        assert!(stream.read_buf(&mut bytes).await.unwrap() > 0);
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let Some((head, body)) = text.split_once("\r\n\r\n") else {
            continue;
        };
        let length = head.lines().find_map(|line| {
            let (name, value) = line.split_once(": ")?;
            name.eq_ignore_ascii_case("content-length").then_some(value)
        });
        if body.len() >= length.map_or(0, |length| length.parse().unwrap()) {
            return text;
        }
    }
}

fn operation(kind: OperationKind) -> ProviderOperation<'static> {
    ProviderOperation {
        kind,
        id: "re_7",
        payment: PaymentRef {
            attempt_id: "att_1",
            charge_id: "ch_1",
            idempotency_key: "stripe_pay_1",
            reference: Some("pi_1"),
        },
        idempotency_key: "stripe_op_1",
        amount_value: "10",
        amount_currency: "USD",
        reference: None,
        reason: Some("requested_by_customer"),
    }
}

/// The outcome of an operation with these answers.
async fn operated(operation: ProviderOperation<'_>, answers: Answers) -> (OperationOutcome, Vec<String>) {
    let (connector, server) = stripe(answers).await;
    let outcome = connector.operate(operation, LONG).await;
    (outcome, server.await.unwrap())
}

async fn looked_up(operation: ProviderOperation<'_>, answers: Answers) -> OperationLookup {
    let (connector, server) = stripe(answers).await;
    let found = connector.lookup_operation(operation, LONG).await;
    server.await.unwrap();
    found
}

fn payment(status: &str, fields: Value) -> Value {
    let mut payment = json!({
        "id": "pi_1", "object": "payment_intent", "amount": 1250, "currency": "usd", "status": status,
        "capture_method": "manual", "latest_charge": "ch_x",
    });
    let Value::Object(fields) = fields else {
        panic!("no fields");
    };
    payment.as_object_mut().unwrap().extend(fields);
    payment
}

fn refund(id: &str, status: &str, ours: &str) -> Value {
    json!({"id": id, "object": "refund", "status": status, "metadata": {"cardform_refund": ours}})
}

pub(in crate::stripe) fn refusal(kind: &str, code: Option<&str>) -> Value {
    json!({"error": {"type": kind, "code": code, "message": "In words."}})
}

fn succeeded(reference: &str) -> OperationOutcome {
    OperationOutcome::Succeeded(Some(reference.into()))
}

#[tokio::test]
async fn a_refund_has_its_payment_amount_id_and_key() {
    let given = || ("POST /v1/refunds", 200, refund("re_x", "succeeded", "re_7"));
    let (outcome, requests) = operated(operation(OperationKind::Refund), vec![given()]).await;
    assert_eq!(outcome, succeeded("re_x"));
    let (head, body) = requests[0].split_once("\r\n\r\n").unwrap();
    assert!(head.contains("idempotency-key: stripe_op_1"), "{head}");
    let fields = "payment_intent=pi_1&amount=1000&metadata%5Bcardform_refund%5D=re_7";
    assert_eq!(body, format!("{fields}&reason=requested_by_customer"));
    // Stripe refuses all other reasons.
    let own_words = ProviderOperation {
        reason: Some("The gems were broken."),
        ..operation(OperationKind::Refund)
    };
    let (_, requests) = operated(own_words, vec![given()]).await;
    assert_eq!(requests[0].split_once("\r\n\r\n").unwrap().1, fields);
}

#[tokio::test]
async fn each_refund_status_has_one_outcome() {
    let reference = || Some("re_x".to_owned());
    let failed = |code: &str| OperationOutcome::Failed {
        code: code.into(),
        reference: reference(),
    };
    for (status, reason, expected) in [
        ("pending", Value::Null, OperationOutcome::Pending(reference())),
        (
            "requires_action",
            Value::Null,
            OperationOutcome::Pending(reference()),
        ),
        ("succeeded", Value::Null, succeeded("re_x")),
        (
            "failed",
            json!("expired_or_canceled_card"),
            failed("expired_or_canceled_card"),
        ),
        ("failed", Value::Null, failed(REFUSED)),
        ("canceled", Value::Null, failed("canceled")),
        ("of_next_year", Value::Null, OperationOutcome::Unknown),
    ] {
        let mut refund = refund("re_x", status, "re_7");
        refund["failure_reason"] = reason;
        let answers = vec![("POST /v1/refunds", 200, refund)];
        let (outcome, _) = operated(operation(OperationKind::Refund), answers).await;
        assert_eq!(outcome, expected, "{status}");
    }
}

#[tokio::test]
async fn only_stripes_own_refusals_are_certain_and_nothing_is_sent_twice() {
    let refused = |code: &str| OperationOutcome::failed(code);
    for (status, body, expected) in [
        (
            400,
            refusal("invalid_request_error", Some("charge_already_refunded")),
            refused("charge_already_refunded"),
        ),
        (400, refusal("invalid_request_error", None), refused(REFUSED)),
        // The request with this key may have moved the money.
        (400, refusal("idempotency_error", None), OperationOutcome::Unknown),
        (
            409,
            refusal("idempotency_error", Some("idempotency_key_in_use")),
            OperationOutcome::Unknown,
        ),
        (429, refusal("api_error", None), OperationOutcome::Unknown),
        (500, refusal("api_error", None), OperationOutcome::Unknown),
        (400, json!("<h1>proxy</h1>"), OperationOutcome::Unknown),
        (404, json!({}), OperationOutcome::Unknown),
        (200, json!({}), OperationOutcome::Unknown),
        (0, json!({}), OperationOutcome::Unknown),
    ] {
        let answers = vec![("POST /v1/refunds", status, body.clone())];
        let (outcome, _) = operated(operation(OperationKind::Refund), answers).await;
        assert_eq!(outcome, expected, "{status} {body}");
    }
}

#[tokio::test]
async fn a_refused_capture_is_decided_by_the_payment() {
    let refused = || {
        (
            CAPTURE,
            400,
            refusal("invalid_request_error", Some("payment_intent_unexpected_state")),
        )
    };
    for (state, expected) in [
        (
            payment("succeeded", json!({"amount_received": 1000})),
            succeeded("pi_1"),
        ),
        // A server that does not tell the captured amount.
        (payment("succeeded", json!({})), succeeded("pi_1")),
        (
            payment("succeeded", json!({"amount_received": 1250})),
            OperationOutcome::failed("already_captured"),
        ),
        (
            payment("canceled", json!({})),
            OperationOutcome::failed(HOLD_ENDED),
        ),
        (
            payment("requires_capture", json!({})),
            OperationOutcome::failed("payment_intent_unexpected_state"),
        ),
    ] {
        let answers = vec![refused(), (STATE, 200, state.clone())];
        let (outcome, _) = operated(operation(OperationKind::Capture), answers).await;
        assert_eq!(outcome, expected, "{state}");
    }
    let unreachable = vec![refused(), (STATE, 404, refusal("invalid_request_error", None))];
    let (outcome, _) = operated(operation(OperationKind::Capture), unreachable).await;
    assert_eq!(outcome, OperationOutcome::Unknown);
}

#[tokio::test]
async fn each_sending_of_a_capture_or_a_release_has_a_new_key() {
    let done = payment("succeeded", json!({"amount_received": 1000}));
    let capture = || {
        operated(
            operation(OperationKind::Capture),
            vec![(CAPTURE, 200, done.clone())],
        )
    };
    let (outcome, requests) = capture().await;
    assert_eq!(outcome, succeeded("pi_1"));
    let key = |requests: &[String]| {
        let key = requests[0]
            .lines()
            .find(|line| line.starts_with("idempotency-key: stripe_op_1-"));
        key.unwrap_or_else(|| panic!("{requests:?}")).to_owned()
    };
    assert_ne!(key(&requests), key(&capture().await.1));
    assert!(
        requests[0].ends_with("\r\n\r\namount_to_capture=1000"),
        "{requests:?}"
    );
    let released = payment("canceled", json!({}));
    let (outcome, requests) =
        operated(operation(OperationKind::Release), vec![(CANCEL, 200, released)]).await;
    assert_eq!(outcome, succeeded("pi_1"));
    key(&requests);
    assert!(requests[0].ends_with("\r\n\r\n"), "{requests:?}");
}

#[tokio::test]
async fn a_capture_or_release_is_looked_up_by_its_payment() {
    use OperationKind::{Capture, Release};
    let known = |outcome| OperationLookup::Known(outcome);
    for (kind, state, expected) in [
        (
            Capture,
            payment("requires_capture", json!({})),
            OperationLookup::NeverReceived,
        ),
        (
            Capture,
            payment("succeeded", json!({"amount_received": 1000})),
            known(succeeded("pi_1")),
        ),
        (
            Capture,
            payment("canceled", json!({"cancellation_reason": "automatic"})),
            known(OperationOutcome::failed(HOLD_ENDED)),
        ),
        (
            Capture,
            payment("processing", json!({})),
            OperationLookup::Unreachable,
        ),
        (
            Release,
            payment("requires_capture", json!({})),
            OperationLookup::NeverReceived,
        ),
        (
            Release,
            payment("canceled", json!({"cancellation_reason": null})),
            known(succeeded("pi_1")),
        ),
        (
            Release,
            payment("canceled", json!({"cancellation_reason": "automatic"})),
            known(OperationOutcome::failed(HOLD_ENDED)),
        ),
        (
            Release,
            payment("succeeded", json!({"amount_received": 1250})),
            known(OperationOutcome::failed("already_captured")),
        ),
    ] {
        let found = looked_up(operation(kind), vec![(STATE, 200, state.clone())]).await;
        assert_eq!(found, expected, "{kind:?} {state}");
    }
}

#[tokio::test]
async fn a_refund_is_looked_up_by_its_reference_or_found_by_our_id() {
    let of_another = || refund("re_a", "succeeded", "re_6");
    let pages = vec![
        (LIST, 200, json!({"data": [of_another()], "has_more": true})),
        (
            "GET /v1/refunds?payment_intent=pi_1&limit=100&starting_after=re_a",
            200,
            json!({"data": [refund("re_b", "pending", "re_7")]}),
        ),
    ];
    let found = looked_up(operation(OperationKind::Refund), pages).await;
    let pending = OperationOutcome::Pending(Some("re_b".into()));
    assert_eq!(found, OperationLookup::Known(pending));

    let absent = vec![(LIST, 200, json!({"data": [of_another()], "has_more": false}))];
    let found = looked_up(operation(OperationKind::Refund), absent).await;
    assert_eq!(found, OperationLookup::NeverReceived);
    let unreadable = vec![(LIST, 403, refusal("invalid_request_error", None))];
    let found = looked_up(operation(OperationKind::Refund), unreadable).await;
    assert_eq!(found, OperationLookup::Unreachable);

    let with_reference = ProviderOperation {
        reference: Some("re_b"),
        ..operation(OperationKind::Refund)
    };
    let mut late = refund("re_b", "failed", "re_7");
    late["failure_reason"] = json!("lost_or_stolen_card");
    let found = looked_up(with_reference, vec![("GET /v1/refunds/re_b", 200, late)]).await;
    let failed = OperationOutcome::Failed {
        code: "lost_or_stolen_card".into(),
        reference: Some("re_b".into()),
    };
    assert_eq!(found, OperationLookup::Known(failed));
}

#[tokio::test]
async fn a_hold_tells_its_end_or_the_captured_amount() {
    let charge = json!({"payment_method_details": {"card": {"capture_before": 1_784_000_000}}});
    for (state, expected) in [
        (
            payment("requires_capture", json!({"latest_charge": charge})),
            HoldLookup::Held(Hold {
                ends_at: Some(1_784_000_000_000),
            }),
        ),
        (
            payment("requires_capture", json!({})),
            HoldLookup::Held(Hold { ends_at: None }),
        ),
        (
            payment("succeeded", json!({"amount_received": 1000})),
            HoldLookup::Captured("10.00".into()),
        ),
        (payment("canceled", json!({})), HoldLookup::Ended),
        (payment("processing", json!({})), HoldLookup::Unreachable),
    ] {
        let (connector, server) = stripe(vec![(STATE, 200, state.clone())]).await;
        let payment = operation(OperationKind::Capture).payment;
        assert_eq!(connector.lookup_hold(payment, LONG).await, expected, "{state}");
        server.await.unwrap();
    }
}
