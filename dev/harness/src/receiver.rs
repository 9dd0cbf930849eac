//! A merchant's server: stores every event that arrives, and sometimes answers that it cannot accept one.

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

/// One event out of this many is refused when it arrives for the first time.
const REFUSED_ONE_IN: u64 = 16;

/// A received event.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ReceivedEvent {
    /// `webhook-id`: `evt_…`.
    pub id: String,
    /// `webhook-timestamp`.
    pub timestamp: String,
    /// `webhook-signature`.
    pub signature: String,
    /// The bytes that were signed.
    pub text: String,
}

impl ReceivedEvent {
    /// The charge in the event; null if the text is not an event.
    pub fn charge(&self) -> Value {
        self.event()["data"].clone()
    }

    /// The event's type; empty if the text is not an event.
    pub fn kind(&self) -> String {
        self.event()["type"].as_str().unwrap_or_default().to_owned()
    }

    fn event(&self) -> Value {
        serde_json::from_str(&self.text).unwrap_or_default()
    }
}

/// A running receiver; it ends when it is dropped.
#[derive(Debug)]
pub struct WebhookReceiver {
    /// Where events are posted.
    pub url: String,
    kept: Arc<ReceivedEvents>,
    serving: JoinHandle<()>,
}

#[derive(Debug)]
struct ReceivedEvents {
    arrived: Mutex<Vec<ReceivedEvent>>,
    refused: Mutex<HashSet<String>>,
    count: watch::Sender<usize>,
}

impl WebhookReceiver {
    /// Starts to receive.
    pub async fn start() -> Result<Self, TrialError> {
        let start = |cause| TrialError::Start("the receiver".to_owned(), cause);
        let listener = TcpListener::bind(SocketAddr::from(([127, 0, 0, 1], 0)))
            .await
            .map_err(start)?;
        let url = format!("http://{}/hooks", listener.local_addr().map_err(start)?);
        let kept = Arc::new(ReceivedEvents {
            arrived: Mutex::default(),
            refused: Mutex::default(),
            count: watch::Sender::new(0),
        });
        let router = Router::new().fallback(receive).with_state(Arc::clone(&kept));
        let serving = tokio::spawn(async move {
            // It ends when it is aborted.
            let _ = axum::serve(listener, router).await;
        });
        Ok(Self { url, kept, serving })
    }

    /// All received events, in the order of arrival.
    pub fn arrived(&self) -> Vec<ReceivedEvent> {
        let arrived = self.kept.arrived.lock();
        arrived.unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Counts what arrives.
    pub fn count(&self) -> watch::Receiver<usize> {
        self.kept.count.subscribe()
    }
}

impl Drop for WebhookReceiver {
    fn drop(&mut self) {
        self.serving.abort();
    }
}

async fn receive(State(kept): State<Arc<ReceivedEvents>>, headers: HeaderMap, body: Bytes) -> StatusCode {
    let header = |name| headers.get(name).and_then(|value| value.to_str().ok());
    let said = |name| header(name).unwrap_or_default().to_owned();
    let event = ReceivedEvent {
        id: said("webhook-id"),
        timestamp: said("webhook-timestamp"),
        signature: said("webhook-signature"),
        text: String::from_utf8_lossy(&body).into_owned(),
    };
    let is_refused = must_refuse(&event.id)
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

/// Decides by the end of the id, which is random.
fn must_refuse(id: &str) -> bool {
    let end = id.get(id.len().saturating_sub(4)..).unwrap_or_default();
    u64::from_str_radix(end, 16).is_ok_and(|number| number % REFUSED_ONE_IN == 0)
}
