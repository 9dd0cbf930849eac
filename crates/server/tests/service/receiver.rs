//! A merchant's server that receives webhooks, and can fail, redirect or not answer.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex};

use crate::waiting::in_time;
use axum::Router;
use axum::body::Bytes;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde_json::Value;
use server::http::connection::TimeLimits;
use server::http::listener::{Listening, bind};
use tokio::sync::watch;

/// How the receiver behaves.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum ReceiverBehavior {
    Answers(u16),
    RedirectsTo(String),
    /// Answers 400 to events of this type, and 204 to others.
    DoesNotKnow(&'static str),
    /// Reads the event, and answers when the behavior is changed.
    SaysNothing,
}

/// A received event.
#[derive(Debug, Clone)]
pub(crate) struct Arrived {
    pub(crate) headers: HeaderMap,
    pub(crate) text: String,
    pub(crate) body: Value,
}

impl Arrived {
    pub(crate) fn id(&self) -> &str {
        self.headers["webhook-id"].to_str().unwrap()
    }

    pub(crate) fn kind(&self) -> &str {
        self.body["type"].as_str().unwrap()
    }

    pub(crate) fn charge_id(&self) -> &str {
        self.body["data"]["id"].as_str().unwrap()
    }
}

pub(crate) struct Receiver {
    pub(crate) url: String,
    mood: watch::Sender<ReceiverBehavior>,
    shared: Shared,
    _listening: Listening,
}

#[derive(Clone)]
struct Shared {
    mood: watch::Receiver<ReceiverBehavior>,
    arrived: Arc<Mutex<Vec<Arrived>>>,
    count: Arc<watch::Sender<usize>>,
}

impl Receiver {
    pub(crate) async fn start() -> Self {
        let (mood, heard) = watch::channel(ReceiverBehavior::Answers(204));
        let shared = Shared {
            mood: heard,
            arrived: Arc::default(),
            count: Arc::new(watch::channel(0).0),
        };
        let listener = bind(SocketAddr::from(([127, 0, 0, 1], 0))).await.unwrap();
        let url = format!("http://{}/hooks", listener.local_addr().unwrap());
        let router = Router::new().fallback(hear).with_state(shared.clone());
        Self {
            url,
            mood,
            shared,
            _listening: Listening::serve(listener, None, router, TimeLimits::default()),
        }
    }

    pub(crate) fn set(&self, mood: ReceiverBehavior) {
        self.mood.send_replace(mood);
    }

    /// Waits until this many events have arrived, and returns all of them.
    pub(crate) async fn arrived(&self, events: usize) -> Vec<Arrived> {
        let mut count = self.shared.count.subscribe();
        let enough = count.wait_for(|count| *count >= events);
        in_time(format!("{events} events arrive at the merchant"), enough)
            .await
            .unwrap();
        self.all()
    }

    pub(crate) fn all(&self) -> Vec<Arrived> {
        self.shared.arrived.lock().unwrap().clone()
    }

    /// The types of the events of this charge, in order.
    pub(crate) fn kinds_of(&self, charge_id: &str) -> Vec<String> {
        let all = self.all();
        let of_charge = all.iter().filter(|event| event.charge_id() == charge_id);
        of_charge.map(|event| event.kind().to_owned()).collect()
    }
}

async fn hear(State(mut shared): State<Shared>, headers: HeaderMap, body: Bytes) -> Response {
    let text = String::from_utf8(body.to_vec()).unwrap();
    let event = Arrived {
        headers,
        body: serde_json::from_str(&text).unwrap(),
        text,
    };
    let kind = event.kind().to_owned();
    shared.arrived.lock().unwrap().push(event);
    shared.count.send_modify(|count| *count += 1);
    let mood = shared
        .mood
        .wait_for(|mood| *mood != ReceiverBehavior::SaysNothing)
        .await
        .unwrap()
        .clone();
    match mood {
        ReceiverBehavior::Answers(status) => StatusCode::from_u16(status).unwrap().into_response(),
        ReceiverBehavior::DoesNotKnow(unknown) if kind == unknown => StatusCode::BAD_REQUEST.into_response(),
        ReceiverBehavior::DoesNotKnow(_) => StatusCode::NO_CONTENT.into_response(),
        ReceiverBehavior::RedirectsTo(url) => {
            (StatusCode::TEMPORARY_REDIRECT, [(header::LOCATION, url)]).into_response()
        }
        ReceiverBehavior::SaysNothing => unreachable!("it was waited for another"),
    }
}
