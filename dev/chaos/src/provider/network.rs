//! The network between the nodes and the provider, with a delay in both directions. A request on its way arrives even if its node
//! is killed. Some requests arrive after their node has timed out, some answers are late, and one in twenty is replaced by a
//! proxy's 502. In front of localstripe, it also has what that lacks: the page for a 3-D Secure challenge, and the memory of the
//! keys of refunds.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use anyhow::{Context, Result};
use axum::Router;
use axum::body::Bytes;
use axum::extract::{Path, State};
use axum::http::{HeaderMap, Method, StatusCode, Uri, header};
use axum::response::{IntoResponse, Response};
use axum::routing::post;
use harness::process::CardformProcess;
use harness::random::Random;
use reqwest::Client;
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio::time::{Duration, sleep, timeout};

use super::localstripe::Localstripe;
use super::stripe_books::StripeRequests;

/// How long a request takes there, and an answer back, in milliseconds.
const ONE_WAY_MS: (u64, u64) = (1, 30);
/// Longer than a node waits for the provider (two seconds) and the grace time of the reconciler (one second) together.
const LATE: Duration = Duration::from_secs(4);
/// Of this many requests, one arrives late, one gets a late answer, and three get none.
const REQUESTS: u64 = 60;
const LOST_OF_THEM: u64 = 3;
/// The headers that are carried; localstripe takes no other.
const CARRIED: [&str; 3] = ["authorization", "content-type", "idempotency-key"];
/// Where Stripe's refunds are made.
const REFUNDS: &str = "/v1/refunds";

/// A running network; it ends when it is dropped.
pub(crate) struct ProviderNetwork {
    /// The provider's address for the nodes.
    pub(super) url: String,
    line: Arc<ProviderLine>,
    _serving: JoinSet<()>,
}

/// The status and the body.
type Answer = (StatusCode, Bytes);

/// What is at the other end.
pub(super) enum FarEnd {
    Simulator { url: String, _running: CardformProcess },
    Stripe(Localstripe),
}

struct ProviderLine {
    far_end: FarEnd,
    http: Client,
    url: String,
    /// Which requests have a fault; `None` if the network has none.
    chance: Option<Mutex<Random>>,
    seen: Mutex<StripeRequests>,
    /// The answers to refunds at localstripe, by their keys. Locked while a refund is made, so that a key makes one.
    refunds: tokio::sync::Mutex<HashMap<String, Answer>>,
    under_way: watch::Sender<usize>,
}

impl ProviderNetwork {
    /// Begins to carry requests to this provider, with faults if there is a seed.
    pub(super) async fn start(far_end: FarEnd, seed: Option<u64>) -> Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let url = format!("http://{}", listener.local_addr()?);
        let line = Arc::new(ProviderLine {
            far_end,
            http: Client::builder().no_proxy().build()?,
            url: url.clone(),
            chance: seed.map(|seed| Mutex::new(Random::new(seed))),
            seen: Mutex::default(),
            refunds: tokio::sync::Mutex::default(),
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

    /// What is at its other end.
    pub(super) fn far_end(&self) -> &FarEnd {
        &self.line.far_end
    }

    /// Waits until no request is on its way any more.
    pub(super) async fn has_carried_all(&self, limit: Duration) -> Result<()> {
        let mut under_way = self.line.under_way.subscribe();
        let carried = timeout(limit, under_way.wait_for(|count| *count == 0)).await;
        carried.context("a request to the provider is still on its way")??;
        Ok(())
    }

    /// The errors in the requests, one line each.
    pub(super) fn complaints(&self) -> Vec<String> {
        let seen = self.line.seen.lock();
        seen.unwrap_or_else(PoisonError::into_inner).complaints()
    }
}

fn key_of(headers: &HeaderMap) -> Option<&str> {
    headers.get("idempotency-key")?.to_str().ok()
}

async fn carry(
    State(line): State<Arc<ProviderLine>>,
    method: Method,
    uri: Uri,
    headers: HeaderMap,
    body: Bytes,
) -> Response {
    if method == Method::POST && matches!(line.far_end, FarEnd::Stripe(_)) {
        let mut seen = line.seen.lock().unwrap_or_else(PoisonError::into_inner);
        seen.add(uri.path(), key_of(&headers), &body);
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

impl ProviderLine {
    async fn carry(&self, method: Method, uri: &Uri, headers: &HeaderMap, body: Bytes) -> Response {
        let (there, back, is_lost) = self.choose();
        sleep(there).await;
        // At localstripe a refund with a known key gets the first answer, as at Stripe.
        let is_refund = method == Method::POST && uri.path() == REFUNDS;
        let sent = self.sent(method, uri, headers, body);
        let answered = match key_of(headers).filter(|_| is_refund) {
            Some(key) => self.once(key, sent).await,
            None => sent.await,
        };
        sleep(back).await;
        let Some((status, answer)) = answered.filter(|_| !is_lost) else {
            return StatusCode::BAD_GATEWAY.into_response();
        };
        let answer = with_challenge_page(&answer, &self.url).unwrap_or_else(|| answer.to_vec());
        (status, [(header::CONTENT_TYPE, "application/json")], answer).into_response()
    }

    /// The first answer to this key, for which the request is sent if there is none.
    async fn once(&self, key: &str, sent: impl Future<Output = Option<Answer>>) -> Option<Answer> {
        let mut refunds = self.refunds.lock().await;
        if let Some(first) = refunds.get(key) {
            return Some(first.clone());
        }
        let answer = sent.await?;
        refunds.insert(key.to_owned(), answer.clone());
        Some(answer)
    }

    async fn sent(&self, method: Method, uri: &Uri, headers: &HeaderMap, body: Bytes) -> Option<Answer> {
        let server = match &self.far_end {
            FarEnd::Simulator { url, .. } => url,
            FarEnd::Stripe(server) => &server.url,
        };
        let path = uri.path_and_query().map_or("/", |path| path.as_str());
        let mut request = self.http.request(method, format!("{server}{path}")).body(body);
        for name in CARRIED {
            if let Some(value) = headers.get(name) {
                request = request.header(name, value);
            }
        }
        let answer = request.send().await.ok()?;
        Some((answer.status(), answer.bytes().await.ok()?))
    }

    /// How long the request takes, how long the answer takes, and whether the answer is lost and a proxy answers instead.
    fn choose(&self) -> (Duration, Duration, bool) {
        let Some(chance) = &self.chance else {
            return (Duration::ZERO, Duration::ZERO, false);
        };
        let mut chance = chance.lock().unwrap_or_else(PoisonError::into_inner);
        let mut moment = || Duration::from_millis(chance.between(ONE_WAY_MS.0, ONE_WAY_MS.1));
        let (there, back) = (moment(), moment());
        match chance.between(0, REQUESTS) {
            0 => (there + LATE, back, false),
            1 => (there, back + LATE, false),
            fault => (there, back, fault < 2 + LOST_OF_THEM),
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
    State(line): State<Arc<ProviderLine>>,
    Path(payment): Path<String>,
    body: String,
) -> StatusCode {
    let FarEnd::Stripe(server) = &line.far_end else {
        return StatusCode::NOT_FOUND;
    };
    match server.authenticate(&payment, body == "answer=approve").await {
        Ok(()) => StatusCode::NO_CONTENT,
        Err(_) => StatusCode::BAD_GATEWAY,
    }
}

#[cfg(test)]
mod tests;
