use serde_json::json;

use super::*;

fn book_with(id: &str) -> OrderBook {
    let book = OrderBook::default();
    book.add(id, Product::find("gems-100").unwrap());
    book
}

fn call(answer: Value) -> LogLine {
    LogLine {
        number: 0,
        at_ms: 1,
        kind: LineKind::Request,
        name: "POST /v1/charges".to_owned(),
        status: 201,
        took_ms: 3,
        sent: None,
        answer: Some(answer),
    }
}

#[test]
fn secrets_are_shortened_at_every_depth() {
    let book = book_with("LK-1");
    let secret = "x".repeat(40);
    let answer = json!({"id": "ch_1", "client_secret": secret, "data": [{"payload": secret, "url": secret}]});
    book.log("LK-1", call(answer));
    let shown = book.calls("LK-1")[0].answer.clone().unwrap();
    let start = format!("{}…", "x".repeat(SHOWN_CHARACTERS));
    assert_eq!(
        shown,
        json!({"id": "ch_1", "client_secret": start, "data": [{"payload": start, "url": start}]})
    );
}

#[test]
fn the_oldest_calls_and_orders_are_removed_first() {
    let book = book_with("LK-first");
    for _ in 0..=CALLS_MAX {
        book.log("LK-first", call(json!({})));
    }
    let numbers: Vec<_> = book.calls("LK-first").iter().map(|call| call.number).collect();
    assert_eq!((numbers.len(), numbers[0]), (CALLS_MAX, 2));
    for order in 0..ORDERS_MAX {
        book.add(&format!("LK-{order}"), Product::find("gems-100").unwrap());
    }
    assert!(book.calls("LK-first").is_empty());
    book.set_charge("LK-first", "ch_1");
    book.set_charge("LK-0", "ch_2");
    assert!(book.find("LK-first").is_none());
    assert_eq!(book.find("LK-0").unwrap().1, "ch_2");
}

#[test]
fn calls_about_an_unknown_order_are_not_kept() {
    let book = book_with("LK-1");
    book.log("LK-2", call(json!({})));
    assert!(book.calls("LK-2").is_empty());
}
