use std::future::pending;
use std::sync::{Arc, Mutex};

use axum::Router;
use axum::http::HeaderMap;
use axum::response::IntoResponse;
use axum::routing::get;
use tokio::net::TcpListener;

use super::*;

/// The reaction of the test's GrowthBook server to a request.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Does {
    Answers,
    Fails(u16),
    Hangs,
    SendsTooMuch,
}

/// A server that takes one action for each request and then repeats the last one; also returns the etags that it
/// was sent.
async fn serve(does: &'static [Does]) -> (Fetcher, Arc<Mutex<Vec<Option<String>>>>) {
    let asked = Arc::new(Mutex::new(Vec::new()));
    let seen = Arc::clone(&asked);
    let answer = move |headers: HeaderMap| async move {
        let etag = headers
            .get("if-none-match")
            .map(|etag| etag.to_str().unwrap().to_owned());
        let number = {
            let mut seen = seen.lock().unwrap();
            seen.push(etag.clone());
            seen.len() - 1
        };
        match does[number.min(does.len() - 1)] {
            Does::Answers if etag.as_deref() == Some("\"v1\"") => StatusCode::NOT_MODIFIED.into_response(),
            Does::Answers => ([("etag", "\"v1\"")], "{}").into_response(),
            Does::Fails(status) => StatusCode::from_u16(status).unwrap().into_response(),
            Does::Hangs => pending().await,
            Does::SendsTooMuch => vec![b' '; DOCUMENT_BYTES_MAX + 1].into_response(),
        }
    };
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/features", listener.local_addr().unwrap());
    let router = Router::new().route("/features", get(answer));
    tokio::spawn(async move { axum::serve(listener, router).await });
    let fetcher = Fetcher {
        timeout: Duration::from_millis(200),
        pauses: [Duration::from_millis(1); 3],
        http: Client::builder().no_proxy().build().unwrap(),
        source: FeaturesSource::Url(url.parse().unwrap()),
    };
    (fetcher, asked)
}

#[tokio::test]
async fn an_unchanged_document_is_not_sent_again() {
    let (fetcher, asked) = serve(&[Does::Answers]).await;
    let first = fetcher.fetch(None).await.unwrap().unwrap();
    assert_eq!(
        (first.bytes.as_slice(), first.etag.as_deref()),
        (&b"{}"[..], Some("\"v1\""))
    );
    assert_eq!(fetcher.fetch(first.etag.as_deref()).await.unwrap(), None);
    assert_eq!(*asked.lock().unwrap(), [None, Some("\"v1\"".to_owned())]);
}

#[tokio::test]
async fn a_failed_request_is_retried_three_times() {
    let (fetcher, asked) = serve(&[Does::Fails(503), Does::Hangs, Does::Fails(429), Does::Answers]).await;
    assert!(fetcher.fetch(None).await.unwrap().is_some());
    assert_eq!(asked.lock().unwrap().len(), 4);
    let (fetcher, asked) = serve(&[Does::Fails(500)]).await;
    let error = fetcher.fetch(None).await.unwrap_err();
    assert!(matches!(
        error,
        SourceError::Status(StatusCode::INTERNAL_SERVER_ERROR)
    ));
    assert_eq!(asked.lock().unwrap().len(), 4);
    let (fetcher, asked) = serve(&[Does::Hangs]).await;
    assert!(matches!(fetcher.fetch(None).await, Err(SourceError::TimedOut)));
    assert_eq!(asked.lock().unwrap().len(), 4);
}

#[tokio::test]
async fn a_permanent_error_is_not_retried() {
    let (fetcher, asked) = serve(&[Does::Fails(401)]).await;
    assert!(matches!(fetcher.fetch(None).await, Err(SourceError::Status(_))));
    assert_eq!(asked.lock().unwrap().len(), 1);
    let (fetcher, asked) = serve(&[Does::SendsTooMuch]).await;
    assert!(matches!(fetcher.fetch(None).await, Err(SourceError::TooLong)));
    assert_eq!(asked.lock().unwrap().len(), 1);
}

#[tokio::test]
async fn no_error_contains_the_url() {
    let source = FeaturesSource::Url("http://127.0.0.1:1/api/features/sdk-key".parse().unwrap());
    let mut fetcher = Fetcher::new(source).unwrap();
    fetcher.pauses = [Duration::from_millis(1); 3];
    let error = fetcher.fetch(None).await.unwrap_err();
    assert!(!format!("{error} {error:?}").contains("sdk-key"));
}
