use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;
use tokio::task::JoinHandle;
use vault::{Pan, SecurityCode};

use super::*;
use crate::{Billing, ProviderCard};
use protocol::{CaptureMethod, OperationKind};

const LONG: Duration = Duration::from_secs(60);

/// A connector to a server that answers everything with this status and body.
async fn connector_to(status: &str, body: &str) -> (SimulatorConnector, JoinHandle<()>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = Url::parse(&format!("http://{}", listener.local_addr().unwrap())).unwrap();
    let length = body.len();
    let answer = format!("HTTP/1.1 {status}\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n{body}");
    let server = tokio::spawn(async move {
        loop {
            let (mut stream, _) = listener.accept().await.unwrap();
            let mut asked = [0; 4_096];
            assert!(stream.read(&mut asked).await.unwrap() > 0);
            stream.write_all(answer.as_bytes()).await.unwrap();
        }
    });
    (SimulatorConnector::new(&url, &url).unwrap(), server)
}

const PAYMENT: PaymentRef<'static> = PaymentRef {
    attempt_id: "att_1",
    charge_id: "ch_1",
    idempotency_key: "pay_1",
    reference: None,
};

/// What a payment and its lookup are when the server answers both with this status and body.
async fn read_as(status: &str, body: &str) -> (ProviderOutcome, PaymentLookup) {
    let (connector, server) = connector_to(status, body).await;
    let charge = ProviderCharge {
        attempt_id: "att_1".into(),
        idempotency_key: "pay_1".into(),
        charge_id: "ch_1".into(),
        amount_value: "12.50".into(),
        amount_currency: "USD".into(),
        description: ChargeDescription::default(),
        capture: CaptureMethod::Automatic,
        statement_descriptor: None,
        billing: Billing::default(),
        card: ProviderCard {
            number: Pan::parse("4242424242424242").unwrap(),
            security_code: Some(SecurityCode::parse("123").unwrap()),
            expiration_month: 12,
            expiration_year: 2030,
            holder_name: String::new(),
            network: None,
        },
        authentication: Authentication::default(),
        merchant: None,
        saved_for: None,
        keep_for: None,
        shopper_id: String::new(),
    };
    let outcome = connector.charge(&charge, None, LONG).await;
    let found = connector.lookup(PAYMENT, LONG).await;
    server.abort();
    (outcome, found)
}

fn refusal(code: &str) -> String {
    serde_json::json!({ "error": { "code": code } }).to_string()
}

/// A payment that may have been made must not count as refused or as never received.
#[tokio::test]
async fn only_the_simulators_own_refusals_are_certain() {
    let rejected = ProviderOutcome::declined(DeclineCode::ProcessingError);
    let own = read_as("400 Bad Request", &refusal(REJECTED)).await;
    assert_eq!(own, (rejected, PaymentLookup::Unreachable));
    let own = read_as("404 Not Found", &refusal(NOT_FOUND)).await;
    assert_eq!(own, (ProviderOutcome::Unknown, PaymentLookup::NeverReceived));
    let other = refusal("another");
    for (status, body) in [
        ("400 Bad Request", ""),
        ("400 Bad Request", "<h1>Bad Request</h1>"),
        ("400 Bad Request", "{}"),
        ("400 Bad Request", &other),
        ("400 Bad Request", &refusal(NOT_FOUND)),
        ("404 Not Found", ""),
        ("404 Not Found", "{}"),
        ("404 Not Found", &other),
        ("404 Not Found", &refusal(REJECTED)),
        ("403 Forbidden", &refusal(REJECTED)),
        ("500 Internal Server Error", &refusal(REJECTED)),
        ("502 Bad Gateway", &refusal(NOT_FOUND)),
        ("200 OK", ""),
        ("200 OK", &refusal(REJECTED)),
    ] {
        let read = read_as(status, body).await;
        let unknown = (ProviderOutcome::Unknown, PaymentLookup::Unreachable);
        assert_eq!(read, unknown, "{status} {body}");
    }
}

/// An operation that may have moved money must not count as failed or as never received.
#[tokio::test]
async fn only_the_simulators_own_refusals_of_operations_are_certain() {
    let unknown = (OperationOutcome::Unknown, OperationLookup::Unreachable);
    let absent = refusal(payment::OPERATION_NOT_FOUND);
    for (status, body, expected) in [
        (
            "400 Bad Request",
            refusal(REJECTED),
            (OperationOutcome::failed(REJECTED), OperationLookup::Unreachable),
        ),
        (
            "404 Not Found",
            refusal(NOT_FOUND),
            (OperationOutcome::failed(NOT_FOUND), OperationLookup::Unreachable),
        ),
        (
            "404 Not Found",
            absent.clone(),
            (OperationOutcome::Unknown, OperationLookup::NeverReceived),
        ),
        ("400 Bad Request", refusal(NOT_FOUND), unknown.clone()),
        ("400 Bad Request", String::new(), unknown.clone()),
        (
            "404 Not Found",
            "<h1>no such page</h1>".to_owned(),
            unknown.clone(),
        ),
        ("404 Not Found", refusal(REJECTED), unknown.clone()),
        ("502 Bad Gateway", absent, unknown.clone()),
        ("200 OK", String::new(), unknown.clone()),
        ("200 OK", refusal(REJECTED), unknown),
    ] {
        let (connector, server) = connector_to(status, &body).await;
        let operation = ProviderOperation {
            kind: OperationKind::Refund,
            id: "re_1",
            payment: PAYMENT,
            idempotency_key: "op_1",
            amount_value: "1.00",
            amount_currency: "USD",
            reference: None,
            reason: None,
        };
        let read = (
            connector.operate(operation, LONG).await,
            connector.lookup_operation(operation, LONG).await,
        );
        assert_eq!(read, expected, "{status} {body}");
        assert_eq!(
            connector.lookup_hold(PAYMENT, LONG).await,
            HoldLookup::Unreachable
        );
        server.abort();
    }
}
