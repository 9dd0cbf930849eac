//! A redirect in a provider's answer is not followed, because the card would be posted to another server.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use axum::Router;
use axum::http::StatusCode;
use axum::response::IntoResponse;
use protocol::Sensitive;
use server::config::Settings;
use web::{Listening, TimeLimits, bind};

use crate::world::World;

/// Another server that counts its requests.
async fn counting(answer: impl Fn() -> axum::response::Response + Clone + Send + Sync + 'static) -> Counting {
    let listener = bind(SocketAddr::from(([127, 0, 0, 1], 0))).await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let came = Arc::new(AtomicUsize::new(0));
    let counter = Arc::clone(&came);
    let router = Router::new().fallback(move || {
        counter.fetch_add(1, Ordering::SeqCst);
        let answer = answer();
        async move { answer }
    });
    Counting {
        _listening: Listening::serve(listener, None, router, TimeLimits::default()),
        url,
        came,
    }
}

struct Counting {
    url: String,
    came: Arc<AtomicUsize>,
    _listening: Listening,
}

impl Counting {
    fn came(&self) -> usize {
        self.came.load(Ordering::SeqCst)
    }
}

async fn assert_no_redirect_is_followed(of_provider: impl FnOnce(&mut Settings)) {
    let elsewhere = counting(|| StatusCode::OK.into_response()).await;
    let target = format!("{}/v1/payments", elsewhere.url);
    // 307 makes a client send the same body again.
    let provider =
        counting(move || (StatusCode::TEMPORARY_REDIRECT, [("location", target.clone())]).into_response())
            .await;
    let world = World::with(|settings| {
        settings.provider_url = Some(provider.url.clone());
        of_provider(settings);
    })
    .await;
    let charge = world.charge().await;
    let answer = world.pay(&charge, "press-1", "4242424242424242").await;
    assert_ne!(answer.status_code(), "succeeded");
    assert!(provider.came() > 0, "the provider was asked");
    assert_eq!(elsewhere.came(), 0, "and no other server");
}

#[tokio::test]
async fn a_redirect_of_the_simulator_is_not_followed() {
    Box::pin(assert_no_redirect_is_followed(|_| ())).await;
}

#[tokio::test]
async fn a_redirect_of_stripe_is_not_followed() {
    Box::pin(assert_no_redirect_is_followed(|settings| {
        settings.provider = Some("stripe".into());
        settings.provider_key = Some(Sensitive::new("sk_test_1".into()));
    }))
    .await;
}
