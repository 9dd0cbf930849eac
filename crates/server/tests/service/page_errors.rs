//! The error pages over plain HTTP: missing pages and failures, in the reader's language (docs/form.md#error-pages).

use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::extract::State;
use axum::http::{HeaderMap, Uri};
use axum::response::Response;
use axum::routing::get;
use server::pages::{ServedPages, or_failed_page};
use web::{Listening, TimeLimits, bind};

use crate::page_addresses::{PageReader, THAI};

const HOME: &str = "href=\"/\"";

#[tokio::test]
async fn the_404_page_is_in_the_readers_language_with_a_link_home() {
    let reader = PageReader::of(|_| ()).await;
    for (path, headers, lang, said) in [
        ("/nowhere", THAI, "th-TH", "ไม่พบหน้านี้: /nowhere"),
        (
            "/de-DE/nowhere",
            THAI,
            "de-DE",
            "Seite nicht gefunden: /de-DE/nowhere",
        ),
        (
            "/ar-SA/x",
            THAI,
            "ar-SA",
            "الصفحة غير موجودة: \u{2068}/ar-SA/x\u{2069}",
        ),
        ("/xx-XX", &[], "en-US", "Page not found: /xx-XX"),
        ("/a/b/c?payload=x", &[], "en-US", "Page not found: /a/b/c<"),
    ] {
        let texts = std::fs::read_to_string(format!("../../locales/{lang}.json")).unwrap();
        let texts: serde_json::Value = serde_json::from_str(&texts).unwrap();
        // Message and description are separate (docs/form.md#error-pages).
        let sorry = texts["page_not_found"].as_str().unwrap();
        let seen = reader.sees(path, headers).await;
        assert_eq!((seen.status, seen.lang()), (404, lang), "{path}");
        assert!(seen.body.contains(said), "{path}: {}", seen.body);
        assert!(seen.body.contains(sorry), "{path}: {}", seen.body);
        assert!(seen.body.contains(HOME), "{path}");
    }
    // A missing payload is the merchant's mistake, and the page has no link home.
    let unusable = reader.sees("/th-TH", &[]).await;
    assert_eq!((unusable.status, unusable.lang()), (400, "th-TH"));
    assert!(!unusable.body.contains(HOME));
}

#[tokio::test]
async fn the_404_page_escapes_and_shortens_the_path() {
    let reader = PageReader::of(|_| ()).await;
    let markup = reader.sees("/a'&b%3Cscript%3E", &[]).await;
    assert!(
        markup.body.contains("Page not found: /a&#39;&amp;b%3Cscript%3E<"),
        "{}",
        markup.body
    );
    let long = reader.sees(&format!("/{}", "x".repeat(3_000)), &[]).await;
    assert_eq!(long.status, 404);
    assert!(long.body.contains(&format!("/{}…", "x".repeat(255))));
    assert!(!long.body.contains(&"x".repeat(256)));
}

#[tokio::test]
async fn without_the_database_the_page_says_that_it_is_unavailable() {
    let reader = PageReader::of(|_| ()).await;
    reader.world.service.app.store.close().await;
    let seen = reader.sees(&reader.form("/"), &[]).await;
    assert_eq!((seen.status, seen.lang()), (503, "en-US"));
    assert!(seen.body.contains("This page is temporarily unavailable."));
    assert!(seen.body.contains("<title>Internal Server Error</title>"));
    assert!(!seen.body.contains(HOME));
    let thai = reader.sees(&reader.form("/"), THAI).await;
    assert_eq!((thai.status, thai.lang()), (503, "th-TH"));
}

/// A handler with a bug.
async fn panics(State(served): State<Arc<ServedPages>>, uri: Uri, headers: HeaderMap) -> Response {
    or_failed_page(&served, &uri, &headers, async { panic!("a shopper's own words") }).await
}

#[tokio::test]
async fn a_panic_gives_the_500_page_in_the_readers_language() {
    let reader = PageReader::of(|_| ()).await;
    let app = &reader.world.service.app;
    let pages = Router::new().route("/{*path}", get(panics));
    let listener = bind("127.0.0.1:0".parse().unwrap()).await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let listening = Listening::serve(
        listener,
        None,
        pages.with_state(Arc::clone(&app.pages)),
        TimeLimits::default(),
    );
    for (path, lang, said) in [
        ("/en-US", "en-US", "This page is temporarily unavailable."),
        (
            "/de-DE",
            "de-DE",
            "Diese Seite ist vorübergehend nicht verfügbar.",
        ),
    ] {
        let answer = reader
            .world
            .http
            .get(format!("{url}{path}"))
            .send()
            .await
            .unwrap();
        assert_eq!(answer.status(), 500);
        assert_eq!(answer.headers()["cache-control"], "no-store");
        assert!(answer.headers().contains_key("content-security-policy"));
        let body = answer.text().await.unwrap();
        assert!(body.contains(&format!("<html lang=\"{lang}\"")), "{body}");
        assert!(body.contains(said), "{body}");
        assert!(!body.contains(HOME) && !body.contains("own words"));
    }
    listening.stop(Duration::from_secs(5)).await;
}

#[tokio::test]
async fn a_file_name_that_is_not_text_is_not_found() {
    let reader = PageReader::of(|_| ()).await;
    for path in [
        "/assets/%ff",
        "/sdk/%ff",
        "/locales/%ff/en-US.json",
        "/builds/meta/%ff",
        "/operator/assets/%ff",
        "/demo/assets/%ff",
        "/demo/gallery/assets/%ff",
        "/assets/none.js",
        "/sdk/none.js",
    ] {
        let seen = reader.sees(path, &[]).await;
        assert_eq!(seen.status, 404, "{path}: {}", seen.body);
        let page_or_error = seen.body.contains("<h1") || seen.body.contains(r#""code":"not_found""#);
        assert!(page_or_error, "{path}: {}", seen.body);
    }
}
