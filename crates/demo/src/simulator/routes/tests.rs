use futures_util::FutureExt as _;
use serde_json::json;

use super::*;

/// A payment with a good card.
fn paid(latency: Duration) -> impl Future<Output = Response> {
    let simulator = Simulator::open(None, latency, Clock::system(), String::new()).unwrap();
    let mut headers = HeaderMap::new();
    headers.insert("idempotency-key", "key-1".parse().unwrap());
    let request = json!({
        "charge_id": "ch_1",
        "amount_value": "12.50",
        "amount_currency": "USD",
        "card": {
            "number": "4242424242424242",
            "security_code": "123",
            "expiration_month": 12,
            "expiration_year": 2030,
            "holder_name": "",
        },
    });
    let body = Ok(JsonBody(serde_json::from_value(request).unwrap()));
    pay(State(Arc::new(simulator)), headers, body)
}

#[tokio::test]
async fn the_simulator_answers_at_once_without_a_latency() {
    let answer = paid(Duration::ZERO).now_or_never();
    assert_eq!(answer.map(|answer| answer.status()), Some(StatusCode::OK));
    assert!(paid(Duration::from_millis(1)).now_or_never().is_none());
}
