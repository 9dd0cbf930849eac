//! The network between the nodes and localstripe, with a delay in both directions. A request on its way arrives even if its node is
//! killed. Some requests arrive after their node has timed out, some answers are late, and some are replaced by a proxy's 502.
//! The network also has the page for a 3-D Secure challenge, which localstripe lacks.

use std::sync::{Arc, Mutex, PoisonError};

use anyhow::{Context, Result};
use axum::Router;
use axum::body::Bytes;
use axum::extract::{Path, State};
use axum::http::{HeaderMap, Method, StatusCode, Uri, header};
use axum::response::{IntoResponse, Response};
use axum::routing::post;
use harness::random::Random;
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio::time::{Duration, sleep, timeout};

use super::localstripe::Localstripe;
use super::stripe_books::StripeRequests;

/// How long a request takes there, and an answer back, in milliseconds.
const ONE_WAY_MS: (u64, u64) = (1, 30);
/// Longer than a node waits for Stripe (two seconds) and the grace time of the reconciler (one second) together.
const LATE: Duration = Duration::from_secs(4);
/// One request out of this many has a fault of each kind.
const FAULT_ONE_IN: u64 = 60;
/// The headers that are sent to localstripe, too.
const CARRIED: [header::HeaderName; 2] = [header::AUTHORIZATION, header::CONTENT_TYPE];

/// A running network; it ends when it is dropped.
pub(crate) struct StripeNetwork {
    /// Stripe's address for the nodes.
    pub(super) url: String,
    line: Arc<StripeLine>,
    _serving: JoinSet<()>,
}

struct StripeLine {
    server: Localstripe,
    url: String,
    chance: Mutex<Random>,
    seen: Mutex<StripeRequests>,
    under_way: watch::Sender<usize>,
}

impl StripeNetwork {
    /// Begins to carry requests to this localstripe.
    pub(super) async fn start(server: Localstripe, seed: u64) -> Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let url = format!("http://{}", listener.local_addr()?);
        let line = Arc::new(StripeLine {
            server,
            url: url.clone(),
            chance: Mutex::new(Random::new(seed)),
            seen: Mutex::default(),
            under_way: watch::Sender::new(0),
        });
        let router = Router::new()
            .route("/challenge/{payment}", post(answer_challenge))
            .fallback(carry)
            .with_state(Arc::clone(&line));
        let mut serving = JoinSet::new();
        serving.spawn(async move {
            // It ends when it is aborted.
            let _ = axum::serve(listener, router).await;
        });
        Ok(Self {
            url,
            line,
            _serving: serving,
        })
    }

    /// The server at its other end.
    pub(super) fn server(&self) -> &Localstripe {
        &self.line.server
    }

    /// Waits until no request is on its way any more.
    pub(super) async fn has_carried_all(&self, limit: Duration) -> Result<()> {
        let mut under_way = self.line.under_way.subscribe();
        let carried = timeout(limit, under_way.wait_for(|count| *count == 0)).await;
        carried.context("a request to Stripe is still on its way")??;
        Ok(())
    }

    /// The errors in the requests, one line each.
    pub(super) fn complaints(&self) -> Vec<String> {
        let seen = self.line.seen.lock();
        seen.unwrap_or_else(PoisonError::into_inner).complaints()
    }
}

async fn carry(
    State(line): State<Arc<StripeLine>>,
    method: Method,
    uri: Uri,
    headers: HeaderMap,
    body: Bytes,
) -> Response {
    if method == Method::POST {
        let key = headers.get("idempotency-key").and_then(|key| key.to_str().ok());
        let mut seen = line.seen.lock().unwrap_or_else(PoisonError::into_inner);
        seen.add(uri.path(), key, &body);
    }
    line.under_way.send_modify(|count| *count += 1);
    // In a task of its own, because it must continue when the node is killed.
    let carried = tokio::spawn(async move {
        let answer = line.carry(method, &uri, &headers, body).await;
        line.under_way.send_modify(|count| *count -= 1);
        answer
    });
    carried
        .await
        .unwrap_or_else(|_| StatusCode::BAD_GATEWAY.into_response())
}

impl StripeLine {
    async fn carry(&self, method: Method, uri: &Uri, headers: &HeaderMap, body: Bytes) -> Response {
        let (there, back, is_lost) = self.choose();
        sleep(there).await;
        let path = uri.path_and_query().map_or("/", |path| path.as_str());
        let mut request = self.server.request(method, path).body(body);
        for name in CARRIED {
            if let Some(value) = headers.get(&name) {
                request = request.header(name, value);
            }
        }
        let answered = async {
            let answer = request.send().await?;
            Ok::<_, reqwest::Error>((answer.status(), answer.bytes().await?))
        };
        let answered = answered.await;
        sleep(back).await;
        let Some((status, answer)) = answered.ok().filter(|_| !is_lost) else {
            return StatusCode::BAD_GATEWAY.into_response();
        };
        let answer = with_challenge_page(&answer, &self.url).unwrap_or_else(|| answer.to_vec());
        (status, [(header::CONTENT_TYPE, "application/json")], answer).into_response()
    }

    /// How long the request takes, how long the answer takes, and whether the answer is lost and a proxy answers instead.
    fn choose(&self) -> (Duration, Duration, bool) {
        let mut chance = self.chance.lock().unwrap_or_else(PoisonError::into_inner);
        let mut moment = || Duration::from_millis(chance.between(ONE_WAY_MS.0, ONE_WAY_MS.1));
        let (there, back) = (moment(), moment());
        match chance.between(0, FAULT_ONE_IN) {
            0 => (there + LATE, back, false),
            1 => (there, back + LATE, false),
            fault => (there, back, fault == 2),
        }
    }
}

/// The answer with the address of the page for its payment's challenge, in the field in which Stripe has one; `None` if there is
/// no challenge.
fn with_challenge_page(answer: &[u8], url: &str) -> Option<Vec<u8>> {
    let mut payment: Value = serde_json::from_slice(answer).ok()?;
    let id = payment["id"].as_str()?.to_owned();
    let page = payment.pointer_mut("/next_action/use_stripe_sdk/stripe_js")?;
    *page = json!(format!("{url}/challenge/{id}"));
    serde_json::to_vec(&payment).ok()
}

/// The shopper's answer on the page of a challenge, as the simulator's page sends it.
async fn answer_challenge(
    State(line): State<Arc<StripeLine>>,
    Path(payment): Path<String>,
    body: String,
) -> StatusCode {
    match line.server.authenticate(&payment, body == "answer=approve").await {
        Ok(()) => StatusCode::NO_CONTENT,
        Err(_) => StatusCode::BAD_GATEWAY,
    }
}

#[cfg(test)]
mod tests;
