//! A merchant's server that receives webhooks, and can refuse, redirect or not answer.

use std::time::Duration;

use anyhow::Result;
use axum::Router;
use axum::body::Bytes;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde_json::Value;
use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio::time::timeout;

/// [`ReceiverBehavior::RefusesSome`] refuses one event out of this many.
const REFUSED_ONE_IN: usize = 16;
/// How long a test waits for events on a busy machine.
const WAIT_MAX: Duration = Duration::from_secs(60);

/// How the receiver behaves.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ReceiverBehavior {
    /// Answers with this status.
    Answers(u16),
    /// Answers this status and asks to wait so many seconds.
    AsksToWait(u16, u32),
    /// Answers 500 to some events when they arrive for the first time, and 204 otherwise.
    RefusesSome,
    /// Redirects to this URL.
    RedirectsTo(String),
    /// Answers 400 to events of this type, and 204 to others.
    DoesNotKnow(&'static str),
    /// Reads the event, and answers only when the behavior is changed.
    SaysNothing,
}

/// A received event.
#[derive(Debug, Clone)]
pub struct ReceivedEvent {
    /// All headers.
    pub headers: HeaderMap,
    /// The bytes that were signed.
    pub text: String,
    /// The text as JSON; null if it is not JSON.
    pub body: Value,
}

impl ReceivedEvent {
    /// An event with these headers.
    pub fn new(headers: HeaderMap, text: String) -> Self {
        let body = serde_json::from_str(&text).unwrap_or_default();
        Self { headers, text, body }
    }

    /// The header with this name; empty if it is absent.
    pub fn header(&self, name: &str) -> &str {
        let value = self.headers.get(name).and_then(|value| value.to_str().ok());
        value.unwrap_or_default()
    }

    /// `evt_…`.
    pub fn id(&self) -> &str {
        self.header("webhook-id")
    }

    /// The event's type.
    pub fn kind(&self) -> &str {
        self.body["type"].as_str().unwrap_or_default()
    }

    /// The id of the charge in the event.
    pub fn charge_id(&self) -> &str {
        let data = &self.body["data"];
        let id = data["charge_id"].as_str().or(data["id"].as_str());
        id.unwrap_or_default()
    }
}

/// A running receiver; it ends when it is dropped.
#[derive(Debug)]
pub struct WebhookReceiver {
    /// The address for events.
    pub url: String,
    shared: Shared,
    _serving: JoinSet<()>,
}

#[derive(Debug, Clone)]
struct Shared {
    behavior: watch::Sender<ReceiverBehavior>,
    arrived: watch::Sender<Vec<ReceivedEvent>>,
}

impl WebhookReceiver {
    /// Starts to receive, and answers 204.
    pub async fn start() -> Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let url = format!("http://{}/hooks", listener.local_addr()?);
        let shared = Shared {
            behavior: watch::Sender::new(ReceiverBehavior::Answers(204)),
            arrived: watch::Sender::default(),
        };
        let router = Router::new().fallback(receive).with_state(shared.clone());
        let mut serving = JoinSet::new();
        serving.spawn(async move {
            // It ends when it is aborted.
            let _ = axum::serve(listener, router).await;
        });
        Ok(Self {
            url,
            shared,
            _serving: serving,
        })
    }

    /// Changes how it answers.
    pub fn set(&self, behavior: ReceiverBehavior) {
        self.shared.behavior.send_replace(behavior);
    }

    /// Waits until this many events have arrived, and returns all of them.
    ///
    /// # Panics
    /// If they do not arrive in time.
    pub async fn arrived(&self, events: usize) -> Vec<ReceivedEvent> {
        let mut arrived = self.shared.arrived.subscribe();
        let enough = timeout(WAIT_MAX, arrived.wait_for(|arrived| arrived.len() >= events)).await;
        assert!(enough.is_ok(), "waited {WAIT_MAX:?} in vain for {events} events");
        self.all()
    }

    /// All received events, in the order of arrival.
    pub fn all(&self) -> Vec<ReceivedEvent> {
        self.shared.arrived.borrow().clone()
    }

    /// The types of the events of this charge, in order.
    pub fn kinds_of(&self, charge_id: &str) -> Vec<String> {
        let all = self.all();
        let of_charge = all.iter().filter(|event| event.charge_id() == charge_id);
        of_charge.map(|event| event.kind().to_owned()).collect()
    }
}

async fn receive(State(shared): State<Shared>, headers: HeaderMap, body: Bytes) -> Response {
    let event = ReceivedEvent::new(headers, String::from_utf8_lossy(&body).into_owned());
    let (mut is_refused, kind) = (false, event.kind().to_owned());
    shared.arrived.send_modify(|arrived| {
        is_refused =
            arrived.len() % REFUSED_ONE_IN == 0 && arrived.iter().all(|earlier| earlier.id() != event.id());
        arrived.push(event);
    });
    let mut behavior = shared.behavior.subscribe();
    let behavior = behavior
        .wait_for(|behavior| *behavior != ReceiverBehavior::SaysNothing)
        .await
        .map_or(ReceiverBehavior::SaysNothing, |behavior| behavior.clone());
    let status = match behavior {
        ReceiverBehavior::AsksToWait(status, seconds) => {
            let status = StatusCode::from_u16(status).unwrap_or(StatusCode::OK);
            return (status, [(header::RETRY_AFTER, seconds.to_string())]).into_response();
        }
        ReceiverBehavior::RedirectsTo(url) => {
            return (StatusCode::TEMPORARY_REDIRECT, [(header::LOCATION, url)]).into_response();
        }
        ReceiverBehavior::Answers(status) => StatusCode::from_u16(status).unwrap_or_default(),
        ReceiverBehavior::DoesNotKnow(unknown) if kind == unknown => StatusCode::BAD_REQUEST,
        ReceiverBehavior::RefusesSome if is_refused => StatusCode::INTERNAL_SERVER_ERROR,
        _ => StatusCode::NO_CONTENT,
    };
    status.into_response()
}
