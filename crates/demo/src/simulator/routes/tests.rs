use futures_util::FutureExt as _;
use serde_json::json;

use super::*;

fn with_latency(latency: Duration) -> Arc<Simulator> {
    Arc::new(Simulator::open(None, latency, Clock::system(), String::new()).unwrap())
}

fn with_key(key: &str) -> HeaderMap {
    let mut headers = HeaderMap::new();
    headers.insert("idempotency-key", key.parse().unwrap());
    headers
}

/// A payment with a good card.
fn paid(simulator: &Arc<Simulator>) -> impl Future<Output = Response> + use<> {
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
    pay(State(Arc::clone(simulator)), with_key("key-1"), body)
}

fn refunded(simulator: &Arc<Simulator>) -> impl Future<Output = Response> + use<> {
    let request = json!({"id": "re_1", "amount_value": "1.00", "amount_currency": "USD"});
    let body = Ok(JsonBody(serde_json::from_value(request).unwrap()));
    let (simulator, payment) = (State(Arc::clone(simulator)), Path("key-1".to_owned()));
    operation_routes::refund(simulator, payment, with_key("key-2"), body)
}

#[tokio::test]
async fn the_simulator_answers_at_once_without_a_latency() {
    let at_once = with_latency(Duration::ZERO);
    for answer in [paid(&at_once).now_or_never(), refunded(&at_once).now_or_never()] {
        assert_eq!(answer.map(|answer| answer.status()), Some(StatusCode::OK));
    }
    // What is not answered yet is recorded.
    let later = with_latency(Duration::from_millis(1));
    assert!(paid(&later).now_or_never().is_none());
    assert!(refunded(&later).now_or_never().is_none());
    assert_eq!(later.operations.entries().len(), 1);
}
