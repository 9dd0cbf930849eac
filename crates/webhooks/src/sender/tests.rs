use tokio::net::TcpListener;

use super::*;

fn causes(error: &dyn std::error::Error) -> String {
    let next = error.source().map(causes).unwrap_or_default();
    format!("{error}; {next}")
}

#[test]
fn a_receiver_asks_to_wait_in_seconds_or_until_a_date() {
    for (value, seconds) in [
        ("120", Some(120)),
        ("Thu, 01 Jan 1970 00:20:00 GMT", Some(200)),
        ("Thu, 01 Jan 1970 00:10:00 GMT", None),
        ("-1", None),
        ("soon", None),
    ] {
        let headers = [(header::RETRY_AFTER, value.parse().unwrap())]
            .into_iter()
            .collect();
        assert_eq!(
            retry_after(&headers, 1_000),
            seconds.map(Duration::from_secs),
            "{value}"
        );
    }
}

#[tokio::test]
async fn a_name_that_resolves_to_a_private_address_is_not_called() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("https://localhost:{}/", listener.local_addr().unwrap().port());
    let refused = Sender::new(false).unwrap().client.get(&url).send().await;
    let said = causes(&refused.unwrap_err());
    assert!(said.contains("private network"), "{said}");

    // The same name is called when private networks are allowed, so the address was the reason.
    let sender = Sender::new(true).unwrap();
    let calling = tokio::spawn(async move { sender.client.get(&url).send().await.is_ok() });
    listener.accept().await.unwrap();
    calling.abort();
}
