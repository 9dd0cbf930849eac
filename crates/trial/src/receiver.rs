//! A merchant's server: keeps every event that arrives, and now and then answers that it cannot take one.

use std::collections::HashSet;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, PoisonError};

use axum::Router;
use axum::body::Bytes;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use serde_json::Value;
use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio::task::JoinHandle;

use crate::TrialError;

/// One event in so many is refused when it comes for the first time.
const REFUSED_ONE_IN: u64 = 16;

/// An event as it arrived.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Arrived {
    /// `webhook-id`: `evt_…`.
    pub id: String,
    /// `webhook-timestamp`.
    pub timestamp: String,
    /// `webhook-signature`.
    pub signature: String,
    /// The bytes that were signed.
    pub text: String,
}

impl Arrived {
    /// The charge as the event shows it; null when the text is no event.
    pub fn charge(&self) -> Value {
        self.event()["data"].clone()
    }

    /// The event's type; empty when the text is no event.
    pub fn kind(&self) -> String {
        self.event()["type"].as_str().unwrap_or_default().to_owned()
    }

    fn event(&self) -> Value {
        serde_json::from_str(&self.text).unwrap_or_default()
    }
}

/// A running receiver; gone when it is dropped.
#[derive(Debug)]
pub struct Receiver {
    /// Where events are posted.
    pub url: String,
    kept: Arc<Kept>,
    serving: JoinHandle<()>,
}

#[derive(Debug)]
struct Kept {
    arrived: Mutex<Vec<Arrived>>,
    refused: Mutex<HashSet<String>>,
    count: watch::Sender<usize>,
}

impl Receiver {
    /// Starts to receive.
    pub async fn start() -> Result<Self, TrialError> {
        let start = |cause| TrialError::Start("the receiver".to_owned(), cause);
        let listener = TcpListener::bind(SocketAddr::from(([127, 0, 0, 1], 0)))
            .await
            .map_err(start)?;
        let url = format!("http://{}/hooks", listener.local_addr().map_err(start)?);
        let kept = Arc::new(Kept {
            arrived: Mutex::default(),
            refused: Mutex::default(),
            count: watch::Sender::new(0),
        });
        let router = Router::new().fallback(hear).with_state(Arc::clone(&kept));
        let serving = tokio::spawn(async move {
            // It ends when it is aborted.
            let _ = axum::serve(listener, router).await;
        });
        Ok(Self { url, kept, serving })
    }

    /// All that arrived, in the order in which it did.
    pub fn arrived(&self) -> Vec<Arrived> {
        let arrived = self.kept.arrived.lock();
        arrived.unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Counts what arrives.
    pub fn count(&self) -> watch::Receiver<usize> {
        self.kept.count.subscribe()
    }
}

impl Drop for Receiver {
    fn drop(&mut self) {
        self.serving.abort();
    }
}

async fn hear(State(kept): State<Arc<Kept>>, headers: HeaderMap, body: Bytes) -> StatusCode {
    let header = |name| headers.get(name).and_then(|value| value.to_str().ok());
    let said = |name| header(name).unwrap_or_default().to_owned();
    let event = Arrived {
        id: said("webhook-id"),
        timestamp: said("webhook-timestamp"),
        signature: said("webhook-signature"),
        text: String::from_utf8_lossy(&body).into_owned(),
    };
    let is_refused = is_one_to_refuse(&event.id)
        && kept
            .refused
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .insert(event.id.clone());
    kept.arrived
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
        .push(event);
    kept.count.send_modify(|count| *count += 1);
    if is_refused {
        StatusCode::SERVICE_UNAVAILABLE
    } else {
        StatusCode::NO_CONTENT
    }
}

/// By the end of the id, which is random.
fn is_one_to_refuse(id: &str) -> bool {
    let end = id.get(id.len().saturating_sub(4)..).unwrap_or_default();
    u64::from_str_radix(end, 16).is_ok_and(|number| number % REFUSED_ONE_IN == 0)
}
